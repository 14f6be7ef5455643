package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// Standing says in a line how an entry stands: who relates to it and what it is worth now;
// and where the entry states its title. ok is false for what is generated or archived.
func (w *Workspace) Standing(v *View, entry string) (line string, at markdown.Span, ok bool) {
	e, ok := v.Tree().Entry(entry)
	if !ok || e.Role != format.RoleEntry {
		return "", at, false
	}
	parts := []string{counted(len(mentions(v, entry, "", false)), "backlink", "backlinks")}
	if counted, _ := v.Tree().Counted(entry); counted.Has {
		s := v.Tree().Signals(entry, w.opts.Now())
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
func (w *Workspace) Waiting(v *View, entry string) (all []Waiting, at markdown.Span) {
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
	n := len(v.quickly(ctx, p).Links().About(p, ""))
	if n == 0 {
		return ""
	}
	return counted(n, "knowledge entry", "knowledge entries")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Mentioning lists what mentions a file as a whole: of an entry the relations and marks
// that lead to it, of a code file the entries that name it or something in it.
func (w *Workspace) Mentioning(ctx context.Context, v *View, p string) (out []Target) {
	v = v.quickly(ctx, p)
	if entry, ok := v.EntryPath(p); ok {
		return mentions(v, entry, "", false)
	}
	for _, r := range v.Links().About(p, "") {
		t := entryTarget(v, r.Entry, "")
		refs := v.Links().Of(r.Entry)
		if i := slices.IndexFunc(refs, func(c link.CodeRef) bool { return c.Path == p }); i >= 0 {
			t.At = refs[i].Span
		}
		out = append(out, t)
	}
	return out
}

// ReindexResponse says that the folder is being read again.
type ReindexResponse struct {
	Started bool `json:"started"`
}

// Reindex has tree and code read again, where what was told of changes on the disk is not
// trusted. It does not wait for it.
func (w *Workspace) Reindex(context.Context, *View, struct{}) (*ReindexResponse, error) {
	w.DiskChanged(nil)
	return &ReindexResponse{Started: true}, nil
}
