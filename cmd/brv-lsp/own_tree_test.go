package main

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

// TestOwnContextTreeIsTrue checks this project's own entries: none is broken,
// each is related to another, and the code that they name is there.
func TestOwnContextTreeIsTrue(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo: the code has no symbols")
	}
	w, err := workspace.Open(t.Context(), "../..", workspace.Options{Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := diagnosis.Check(t.Context(), w.View(), diagnosis.CheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == format.SeverityInfo.String() {
			continue // the code went on; whether the entry is still true is for a reader
		}
		t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
	}
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	v, entries := w.View(), 0
	for _, e := range v.Tree().Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		entries++
		if len(v.Tree().Relations(e.Path))+len(v.Tree().Backlinks(e.Path)) == 0 {
			t.Errorf("%s: related to nothing", e.Path)
		}
		links := v.Links().Of(e.Path)
		if len(links) < len(e.Files) {
			t.Errorf("%s: of %d files only %d mean anything", e.Path, len(e.Files), len(links))
		}
		for _, c := range links {
			if !c.Exists {
				t.Errorf("%s: names %s, which is not there", e.Path, c.Path)
			}
		}
	}
	if entries < 12 {
		t.Errorf("%d entries", entries)
	}
}
