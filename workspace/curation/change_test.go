package curation

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// What is confirmed is compared with commits: whoever confirms code that is not committed is told that the mark stays.
func TestConfirmationOfUncommittedCodeSaysThatTheMarkStays(t *testing.T) {
	var hours atomic.Int64
	w := workspacetest.Drifted(t, workspace.Options{Now: func() time.Time {
		return time.Date(2026, 5, 1, 12+int(hours.Load()), 0, 0, 0, time.UTC)
	}})
	confirm := func(want string) {
		t.Helper()
		ctx := context.Background()
		if err := w.Follow(ctx); err != nil {
			t.Fatal(err)
		}
		hours.Add(1)
		r, err := Curate(ctx, w, plan.Batch{Ops: []plan.Op{{Type: plan.OpConfirm, Path: workspacetest.TokensEntry, Reason: "read"}}})
		if err != nil || len(r.Results) != 1 || r.Results[0].Message != want {
			t.Errorf("%+v, %v; want %q", r, err, want)
		}
	}
	workspacetest.Write(t, w.Root(), "src/gone.go", "package src\n\nfunc Gone() {}\n") // what is listed and is not there stays marked
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	confirm("Confirmed " + workspacetest.TokensEntry)
	workspacetest.Write(t, w.Root(), "src/sign.go",
		"package src\n\n// SignToken signs.\nfunc SignToken(store *Keys) error {\n\treturn store.Rotate(time.Now())\n}\n")
	confirm("Confirmed " + workspacetest.TokensEntry + "; marked as stale until the code change is committed")
	workspacetest.GitAt(t, w.Root(), "2026-05-01T14:30:00Z", "commit", "-qam", "keys rotate")
	confirm("Confirmed " + workspacetest.TokensEntry)
}
