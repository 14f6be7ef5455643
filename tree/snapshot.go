package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// Snapshot is the whole tree at one moment. It is immutable. Snapshots made from
// one another share what did not change.
type Snapshot struct {
	list    []*Entry // sorted by path
	skipped []Skipped
	records table[*record]   // by path; see index.go for these three
	nodes   table[*Node]     // by path
	places  table[*place]    // by key
	usage   map[string]Usage // uses that the frontmatter does not state yet, by entry; never written to

	fingerprint func() string
}

// Skipped is a file that the tree holds but does not read.
type Skipped struct {
	Path   string
	Reason string
}

// emptySnapshot is what every snapshot is made from: a root and nothing else.
func emptySnapshot() *Snapshot {
	d := (&Snapshot{}).draft()
	d.folder("")
	d.s.lazyFingerprint()
	return d.s
}

// NewSnapshot builds a snapshot from parsed entries. Of two entries with one
// path the later counts.
func NewSnapshot(entries []*Entry, skipped []Skipped) *Snapshot {
	changed := make(map[string]*Entry, len(entries))
	for _, e := range entries {
		changed[e.Path] = e
	}
	return emptySnapshot().update(changed, skipped)
}

// Entry returns the entry at a tree path.
func (s *Snapshot) Entry(p string) (*Entry, bool) {
	if r, ok := s.records.get(p); ok {
		return r.entry, true
	}
	return nil, false
}

// Entries returns all entries sorted by path. The list is the snapshot's own and
// must not be changed.
func (s *Snapshot) Entries() []*Entry { return slices.Clip(s.list) }

// Len is the number of entries.
func (s *Snapshot) Len() int { return len(s.list) }

// Node returns the folder at a tree path; "" is the root.
func (s *Snapshot) Node(p string) (*Node, bool) { return s.nodes.get(p) }

// Relations returns an entry's relations with what they mean, in order of place;
// none of a generated or archived file.
// Markdown and wiki links count only where they resolve inside the tree; so do
// `sources` and `consolidated_from`, which name entries that may be gone.
func (s *Snapshot) Relations(p string) []Relation {
	if r, ok := s.records.get(p); ok {
		return r.relations
	}
	return nil
}

// Backlinks returns the relations that lead to an entry, sorted by their source.
func (s *Snapshot) Backlinks(p string) []Backlink {
	if r, ok := s.records.get(p); ok {
		return r.back
	}
	return nil
}

// Skipped lists the files left out, with the reason of each.
func (s *Snapshot) Skipped() []Skipped { return s.skipped }

// Fingerprint identifies the content: equal for equal paths and texts. The first
// call takes time in proportion to the number of entries.
func (s *Snapshot) Fingerprint() string { return s.fingerprint() }

func (s *Snapshot) hash() string {
	h := sha256.New()
	var line []byte
	for _, e := range s.list {
		line = append(append(append(append(line[:0], e.Path...), 0), e.Hash...), '\n')
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// resolved gives an entry's relations their meaning.
func (s *Snapshot) resolved(e *Entry) []Relation {
	if !e.Role.Searchable() { // what is generated or archived is nobody's statement any more
		return []Relation{}
	}
	out := make([]Relation, 0, len(e.Relations))
	for _, r := range e.Relations {
		r.Resolution = s.Resolve(e.Path, r.Form, r.Raw)
		if r.Target == "" && r.Form != FormRelated && r.Form != FormAt {
			continue
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Relation) int { return a.At.Start - b.At.Start })
	return out
}

// Problems lists an entry's defects: those of its path, its own and those of its
// relations, in order of place.
func (s *Snapshot) Problems(p string) []Problem {
	e, ok := s.Entry(p)
	if !ok {
		return nil
	}
	out := append(s.pathProblems(e), e.Problems...)
	for _, r := range s.Relations(p) {
		if message := r.Problem(); message != "" {
			code, severity := CodeBroken, SeverityError
			if len(r.Candidates) > 0 {
				code, severity = CodeAmbiguous, SeverityWarning
			}
			out = append(out, Problem{code, severity, message, r.At})
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return a.At.Start - b.At.Start })
	return capProblems(out)
}

// Problem says in one sentence why the relation leads nowhere, "" if it leads
// to an entry.
func (r Relation) Problem() string {
	switch {
	case r.Target != "":
		return ""
	case r.Escapes:
		return "relation leaves the context tree: " + r.Raw + " is never opened"
	case len(r.Candidates) > 0:
		return "relation " + r.Raw + " fits several entries: " + strings.Join(r.Candidates[:min(3, len(r.Candidates))], ", ")
	}
	return "relation to " + r.Raw + ": no such entry in the context tree"
}

// lazyFingerprint gives a snapshot its fingerprint, made when it is first asked for.
func (s *Snapshot) lazyFingerprint() { s.fingerprint = sync.OnceValue(s.hash) }
