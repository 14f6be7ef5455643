package drift

import (
	"errors"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Used records uses of entries; see [workspace.View.Used]. Entries that no longer fit the code gain nothing.
// If that is not known yet, it is found out in the background; a process that ends before then counts
// nothing.
func Used(v *workspace.View, entries ...string) {
	w := v.Workspace()
	if trusted, _ := w.Trusted(); !trusted {
		return
	}
	var ask []*format.Entry
	for _, p := range entries {
		if e, ok := v.Tree().Entry(p); ok && NamesCode(e) {
			ask = append(ask, e)
		} else {
			v.Used(p)
		}
	}
	switch {
	case len(ask) == 0:
	case v.CodeRead():
		noteFitting(v, ask)
	default:
		w.Go(func() {
			switch err := w.WaitCode(w.Life()); {
			case errors.Is(err, workspace.ErrNoCode): // it never will be known
				for _, e := range ask {
					v.Used(e.Path)
				}
			case err == nil:
				noteFitting(w.View(), ask)
			}
		})
	}
}

// noteFitting notes the use of those entries that fit the code, at once where that is known. The code has been read.
func noteFitting(v *workspace.View, entries []*format.Entry) {
	for i, d := range comparisonsOf(v, entries...) {
		note := func() {
			if found, err := d.await(v.Workspace().Life()); err == nil && len(found) == 0 {
				v.Used(entries[i].Path)
			}
		}
		if d.Over() {
			note()
		} else {
			v.Workspace().Go(note)
		}
	}
}
