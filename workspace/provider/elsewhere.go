package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/organisation/client"
	"github.com/brv-lsp/brv-lsp/workspace"
)

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
