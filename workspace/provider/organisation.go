package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/client"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// gateway is the client with which a folder asks its organisation.
type gateway struct {
	mu     sync.Mutex // guards the fields below
	client *client.Client
	of     settings.Organisation
	token  string
	told   bool
}

// gateways holds one for each open folder.
var gateways = workspace.NewMemory(func(*workspace.Workspace) *gateway { return new(gateway) })

// UseOrganisation makes a workspace ask the organisation that the settings name. If they name none, or if it
// cannot be used, the workspace asks none; the error tells the reason. The token is found like a model's key
// ([Choose]), or else in a file that no other user may read.
func UseOrganisation(w *workspace.Workspace, s settings.Organisation, key func(origin string) string, getenv func(string) string) error {
	now := gateways.Of(w.View())
	now.mu.Lock()
	defer now.mu.Unlock()
	token, err := organisationToken(s, key, getenv)
	if err == nil && s.Endpoint != "" && now.client != nil && now.of == s && now.token == token {
		return nil
	}
	now.client, now.of, now.token = nil, s, token
	if err == nil && s.Endpoint != "" {
		now.client, err = client.New(s.Endpoint, token)
	}
	return err
}

// Organisation returns the client for the organisation of a view's folder, nil if there is none. first is true if
// this user asks there for the first time, as far as the cache knows.
func Organisation(v *workspace.View) (c *client.Client, first bool) {
	now := gateways.Of(v)
	now.mu.Lock()
	defer now.mu.Unlock()
	if now.client == nil || now.told {
		return now.client, false
	}
	now.told = true
	dir := v.Workspace().Cache()
	if dir == "" {
		return now.client, true
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return now.client, true
	}
	f, err := os.OpenFile(filepath.Join(dir, "told-"+organisation.Digest(now.client.Origin())[:16]), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	return now.client, !errors.Is(err, os.ErrExist)
}

// maxToken bounds the size of a token's file, in bytes.
const maxToken = 8 << 10

func organisationToken(s settings.Organisation, key func(origin string) string, getenv func(string) string) (string, error) {
	if s.Endpoint == "" {
		return "", nil
	}
	at, err := outbound.Parse(s.Endpoint)
	if err != nil {
		return "", fmt.Errorf("brv.organisation.endpoint: %w", err)
	}
	k := keyring{setting: "brv.organisation.tokenVariable", origin: at.Origin, named: strings.TrimSpace(s.TokenVariable),
		stored: key, getenv: getenv}
	token, _, err := k.find()
	if token != "" || s.TokenFile == "" {
		return token, err
	}
	info, err := os.Stat(s.TokenFile)
	switch {
	case !filepath.IsAbs(s.TokenFile):
		return "", errors.New("brv.organisation.tokenFile: write the full path")
	case err != nil:
		return "", fmt.Errorf("brv.organisation.tokenFile: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxToken:
		return "", errors.New("brv.organisation.tokenFile: the file does not contain a token")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", errors.New("brv.organisation.tokenFile: other users can read the file; run chmod 600")
	}
	raw, err := os.ReadFile(s.TokenFile)
	return strings.TrimSpace(string(raw)), err
}

// OrganisationEntry is an entry of another repository of the organisation. It is not a part of the answer.
type OrganisationEntry struct {
	Repository string  `json:"repository"`
	Path       string  `json:"path"` // the path in that repository's tree
	Title      string  `json:"title"`
	Passage    string  `json:"passage"` // the quoted text; it is data, never an instruction
	Score      float64 `json:"score"`
	Age        string  `json:"age"`            // the time since the push, in words
	Link       string  `json:"link,omitempty"` // a link to the commit that was pushed
}

// AskedElsewhere is a question to the organisation that is running next to the own search.
type AskedElsewhere struct {
	asked  *client.Asked
	origin string // to report that the question went there; "" if that was reported before
	now    time.Time
}

// AskElsewhere asks the organisation that the user's settings name. It returns nil if there is none. wanted means
// that the request itself names the organisation, so that the user need not be told where the question goes.
func AskElsewhere(ctx context.Context, v *workspace.View, text string, wanted bool) *AskedElsewhere {
	c, first := Organisation(v)
	if c == nil || strings.TrimSpace(text) == "" {
		return nil
	}
	e := &AskedElsewhere{asked: c.Ask(ctx, text), now: v.Now()}
	if first && !wanted {
		e.origin = c.Origin()
	}
	return e
}

// Pending reports whether the answer is still missing.
func (e *AskedElsewhere) Pending() bool { return e != nil && !e.asked.Ready() }

// Join waits for the hits, at most [client.Within] after the question, and adds remarks about them to note.
func (e *AskedElsewhere) Join(note *string) []OrganisationEntry {
	if e == nil {
		return nil
	}
	hits, said := e.asked.Wait()
	if e.origin != "" {
		said = strings.Trim("questions are now also sent to "+e.origin+", as set in brv.organisation.endpoint; "+said, "; ")
	}
	*note = strings.Trim(*note+"; "+said, "; ")
	var out []OrganisationEntry
	for _, h := range hits {
		if h.Score < shownElsewhere {
			break
		}
		out = append(out, OrganisationEntry{Repository: h.Repository, Path: h.Path, Title: h.Title, Passage: h.Passage, Score: h.Score,
			Age: "pushed " + age(e.now.Sub(h.Pushed)), Link: h.Link})
	}
	return out
}

// shownElsewhere is the least score of a hit that is shown. The command line shows no less likely source below an
// answer either.
const shownElsewhere = 0.05

// old is the age from which an entry is marked as old, since an active repository pushes at least each quarter.
const old = 90 * 24 * time.Hour

func age(d time.Duration) string {
	days := int(d.Hours() / 24)
	switch {
	case d >= old:
		return fmt.Sprintf("%d days ago: perhaps out of date", days)
	case days < 1:
		return "today"
	}
	return words.Counted(days, "day", "days") + " ago"
}

// ElsewhereText lists the found entries in Markdown, "" if there are none.
func ElsewhereText(all []OrganisationEntry) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("From other repositories (quoted, not checked here):\n")
	for _, e := range all {
		fmt.Fprintf(&b, "- %s · %s: %s (%s)\n", e.Repository, e.Path, e.Title, e.Age)
		if e.Link != "" {
			b.WriteString("  " + e.Link + "\n")
		}
		left := 3 // the lines that may still be shown of it
		for line := range strings.Lines(e.Passage) {
			if line = strings.TrimSpace(line); line != "" && left > 0 {
				b.WriteString("  > " + line + "\n")
				left--
			}
		}
	}
	return b.String()
}
