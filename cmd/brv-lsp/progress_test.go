package main

import (
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/workspace"
)

func TestLongWorkIsShownInOneLineThatGoes(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	b := newBar(&out, func() time.Time { return now })
	step := func(p workspace.Progress, after time.Duration, want string) {
		t.Helper()
		out.Reset()
		now = now.Add(after)
		b.tell(p)
		if out.String() != want {
			t.Errorf("%+v: %q, want %q", p, out.String(), want)
		}
	}
	const title = "Reading the code"
	step(workspace.Progress{Title: title, Done: 1, Total: 3}, barPause/2, "")
	step(workspace.Progress{Title: title, End: true}, 0, "") // what is soon over is not shown
	step(workspace.Progress{Title: title, Done: 1200, Total: 4000}, barPause, "brv-lsp: Reading the code: 1,200 of 4,000\r")
	step(workspace.Progress{Title: title, Done: 1300, Total: 4000}, barPause/2, "")
	step(workspace.Progress{Title: "Reading", Done: 1, Total: 2}, barPause, "brv-lsp: Reading: 1 of 2"+strings.Repeat(" ", 17)+"\r")
	step(workspace.Progress{Title: "Reading", End: true}, 0, strings.Repeat(" ", 24)+"\r")
	step(workspace.Progress{Title: title, End: true}, barPause, "")
}
