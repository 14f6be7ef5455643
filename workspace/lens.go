package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Standing says in a line how an entry stands: who relates to it and what it is worth now;
// and where the entry states its title. ok is false for what is generated or archived.
func (w *Workspace) Standing(v *View, entry string) (line string, at tree.Span, ok bool) {
	e, ok := v.Tree().Entry(entry)
	if !ok || e.Role != tree.RoleEntry {
		return "", at, false
	}
	parts := []string{counted(len(mentions(v, entry, "", false)), "backlink", "backlinks")}
	if counted, _ := v.Tree().Counted(entry); counted.Has {
		s := v.Tree().Signals(entry, v.Now())
		parts = append(parts, fmt.Sprintf("importance %.0f (%s)", s.Importance, s.Maturity))
	}
	at, _ = titleOf(e)
	return strings.Join(parts, " · "), at, true
}

// Waiting is what of one batch waits for a review and concerns an entry.
type Waiting struct {
	Batch int
	Paths []string // by which it is decided
	Cut   bool     // [Workspace.ReviewText] does not show all of it
}

// Waiting says what about an entry waits for a review, oldest first, and where the entry
// states its title.
func (w *Workspace) Waiting(v *View, entry string) (all []Waiting, at tree.Span) {
	for _, item := range w.pending(entry) {
		if len(all) == 0 || all[len(all)-1].Batch != item.Batch {
			all = append(all, Waiting{Batch: item.Batch})
		}
		of := &all[len(all)-1]
		of.Paths, of.Cut = append(of.Paths, item.Path), of.Cut || item.cut
	}
	if e, ok := v.Tree().Entry(entry); ok {
		at, _ = titleOf(e)
	}
	return all, at
}

// Named says how many entries name a code file or something in it, "" if none does.
func (w *Workspace) Named(ctx context.Context, v *View, p string) string {
	if _, entry := v.EntryPath(p); entry {
		return ""
	}
	n := len(v.ForFile(ctx, p).Links().About(p, ""))
	if n == 0 {
		return ""
	}
	return counted(n, "knowledge entry", "knowledge entries")
}
