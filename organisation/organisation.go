// Package organisation is the knowledge of many repositories, for all who may read it: what a store of it must do,
// and what is said to the gateway in front of one.
//
//	CI of a repository ──(its key)──►  gateway  ──(its own key)──►  Store: a folder, or OpenSearch
//	editor, agent ──(person's token)──►  permits, counts, ranks
//
// The store finds, and the gateway ranks: by the local ranker's code, over fifty candidates, with the counts of what
// the asker may read ([retrieval.Collection]). Scores of a store are never shown, since they tell of entries that one
// may not read.
//
// # A push
//
// A document is named by its repository, path and text. What counts is the repository's manifest, which names one
// text for each path, and is replaced in one step. So a push that is killed anywhere leaves the old state, and is
// sent again as a whole: the manifest first, then the texts that are lacking, then the manifest once more. What no
// manifest names is removed with the next push. A manifest's number only grows, so that an older job that ends
// later is refused.
package organisation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Limits of pushes and questions. An organisation has about a thousand repositories of 300 entries; a
// repository with more than MaxEntries must be split; OpenSearch lists an old and a new state of one at once.
const (
	MaxEntries  = 5_000
	MaxText     = 256 << 10 // bytes of one entry
	MaxBody     = 8 << 20   // bytes of a request, and of an answer
	MaxBatch    = 1 << 20   // bytes of the texts that a client sends at once
	MaxQuestion = 8 << 10   // bytes; the local search reads no more either
	MaxHits     = 10
	Candidates  = 50 // that are ranked: with 20 the order is nearly the same, with 100 no better (docs/organisation.md)
)

// Document is an entry of a repository.
type Document struct {
	Repository string `json:"repository"`
	Path       string `json:"path"` // in the tree
	Text       string `json:"text"`
}

// ID identifies a document by its whole content.
func (d Document) ID() string { return ID(d.Repository, d.Path, Digest(d.Text)) }

// Digest is the name of a text.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// ID names the document of a repository with a path and a text's digest.
func ID(repository, path, digest string) string {
	return Digest(repository + "\x00" + path + "\x00" + digest)[:32]
}

// Entry is the document as it is ranked: its path begins with the repository.
func (d Document) Entry() *format.Entry {
	e := format.Parse(d.Path, d.Text)
	e.Path = d.Repository + "/" + d.Path
	return e
}

// Manifest lists the entries of a repository.
type Manifest struct {
	Repository string            `json:"repository"`
	Commit     string            `json:"commit"`
	Number     int64             `json:"number"`
	Pushed     time.Time         `json:"pushed"`
	Entries    map[string]string `json:"entries"` // path → digest of the text
	Lengths    retrieval.Lengths `json:"lengths"`

	Version string `json:"-"` // of a store that is a server: what it calls this state
}

// Holds reports whether the manifest names a document at its path.
func (m *Manifest) Holds(d Document) bool {
	digest, ok := m.Entries[d.Path]
	return ok && digest == Digest(d.Text)
}

// Credential returns the kind of credential in a text, which is then refused; "" for none.
func Credential(text string) string {
	if found := secrets.Scan(text); len(found) > 0 {
		return "it contains a credential: " + found[0].Rule
	}
	return ""
}

// Reasons why a store refuses.
var (
	// ErrConflict: the manifest is no longer the one that was to be replaced.
	ErrConflict = errors.New("another push of this repository finished first")
	// ErrUnreached: the store gives no usable answer.
	ErrUnreached = errors.New("the store does not answer")
)

// Store keeps documents and manifests, and finds candidates. It takes no decisions. It may be called by any number
// of goroutines, and by several gateways if it is a server.
type Store interface {
	// Manifests returns the manifests of all repositories. Unchanged ones of before are reused.
	Manifests(ctx context.Context, before map[string]*Manifest) (map[string]*Manifest, error)
	// Texts are the documents of a repository by [ID] with their lengths, also those that no manifest names.
	Texts(ctx context.Context, repository string) (map[string]retrieval.Lengths, error)
	// Write puts documents of one repository, and removes those with the ids. Existing documents are written
	// again.
	Write(ctx context.Context, repository string, put []Document, remove []string) error
	// Commit replaces the manifest before (nil for none) or fails with ErrConflict.
	Commit(ctx context.Context, m, before *Manifest) error
	// Find returns candidates from the repositories, best first; partial where a part of the store did not answer.
	Find(ctx context.Context, repositories []string, terms []retrieval.Term, most int) (found []Document, partial bool, err error)
	// Count returns for each group of terms the number of entries with at least one of them.
	Count(ctx context.Context, repositories []string, groups [][]string) ([]int, error)
}

// Push states which entries a repository should hold. It is sent before the texts, and again behind them.
type Push struct {
	Repository string            `json:"repository"`
	Commit     string            `json:"commit"`
	Number     int64             `json:"number"`
	Entries    map[string]string `json:"entries"` // path → digest of the text
}

// Pushed is the answer to a [Push]: which texts are lacking. Without any, the push is done.
type Pushed struct {
	Lacking []string `json:"lacking,omitempty"` // paths
}

// Texts are texts of a push.
type Texts struct {
	Repository string     `json:"repository"`
	Documents  []Document `json:"documents"` // their repository is not read
}

// Refused are the entries that are not taken, with the reason by their path.
type Refused struct {
	Refused map[string]string `json:"refused,omitempty"`
}

// Question is asked by a person.
type Question struct {
	Text  string `json:"text"`
	Limit int    `json:"limit,omitempty"` // at most MaxHits, which 0 means
}

// Answer lists hits, best first. It does not reveal which words occur in no entry.
type Answer struct {
	Hits []Hit  `json:"hits"`
	Note string `json:"note,omitempty"`
}

// Hit is an entry of another repository that a question found.
type Hit struct {
	Repository string    `json:"repository"`
	Path       string    `json:"path"` // in its tree
	Title      string    `json:"title"`
	Passage    string    `json:"passage"`
	Score      float64   `json:"score"`          // 0–1: the estimated probability that this is what was asked for
	Link       string    `json:"link,omitempty"` // to the forge at the commit
	Pushed     time.Time `json:"pushed"`
}

// repositoryName matches the names of repositories: those of a forge, with groups.
var repositoryName = lazyregexp.New(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+){0,9}$`)

// commitName is the hash of a commit.
var commitName = lazyregexp.New(`^[0-9a-f]{7,64}$`)

// digestName is a [Digest].
var digestName = lazyregexp.New(`^[0-9a-f]{64}$`)

// Check returns an error if a push is not valid.
func (p Push) Check() error {
	switch {
	case !IsRepository(p.Repository):
		return errors.New("repository: must look like acme/api")
	case !commitName().MatchString(p.Commit):
		return errors.New("commit: must be the hash of a commit")
	case p.Number <= 0:
		return errors.New("number: must be 1 or more, and larger with each push")
	case len(p.Entries) > MaxEntries:
		return fmt.Errorf("the push has %d entries; a repository can have at most %d", len(p.Entries), MaxEntries)
	}
	for path, digest := range p.Entries {
		if err := CheckPath(path); err != nil {
			return err
		}
		if !digestName().MatchString(digest) {
			return errors.New("entries: a digest must be the SHA-256 of a text, in hexadecimal digits")
		}
	}
	return nil
}

// IsRepository reports whether a name is one of a repository.
func IsRepository(name string) bool {
	return len(name) <= 200 && repositoryName().MatchString(name) && fs.ValidPath(name)
}

// CheckPath returns an error if path is not the path of an entry.
func CheckPath(path string) error {
	if len(path) > 1<<10 || !fs.ValidPath(path) || !strings.HasSuffix(path, ".md") || !sanitize.Plain(path) {
		return fmt.Errorf("%s: this is not the path of an entry", sanitize.Line(path, 100))
	}
	return nil
}
