package curation

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestPathsOfOperationsAsAgentsGiveThem updates an entry by each spelling of its path, with files and relations in it too.
func TestPathsOfOperationsAsAgentsGiveThem(t *testing.T) {
	const entry, other = "auth/jwt/rotation.md", "auth/jwt/tokens.md"
	w := workspacetest.Open(t, workspacetest.ReadFiles(), workspace.Options{})
	for _, spelled := range []string{
		"*", "@*", "./*", ".brv/context-tree/*", "./.brv/context-tree/*", "@.brv/context-tree/*", "ROOT/.brv/context-tree/*", "ROOT/./.brv//context-tree/*",
		"file://ROOT/.brv/context-tree/*", "file://localhostROOT/.brv/context-tree/*", "`*`", " * ", "\\", ".brv/context-tree/\\", "SHORT", "ROOT/.brv/context-tree/SHORT",
	} {
		w := workspacetest.Open(t, workspacetest.ReadFiles(), workspace.Options{})
		as := func(p string) string {
			return strings.NewReplacer("ROOT", w.Root(), "*", p, "SHORT", strings.TrimSuffix(p, ".md"), `\`, strings.ReplaceAll(p, "/", `\`)).Replace(spelled)
		}
		r, err := Curate(t.Context(), w, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: as(entry), Reason: "r", Content: format.Content{
			Relations: []string{as(other)}, Facts: []format.Fact{{Subject: "way", Statement: "x"}}, RawConcept: format.RawConcept{Files: []string{w.Root() + "/src/sign.go"}},
		}}}})
		if err != nil || len(r.Results) != 1 || r.Results[0].Status != plan.StatusSuccess {
			t.Errorf("%s: %+v, %v", as(entry), r, err)
			continue
		}
		e, _ := w.View().Tree().Entry(entry)
		var related []string
		for _, m := range e.Relations {
			if m.Form == format.FormRelated {
				related = append(related, m.Raw)
			}
		}
		if len(e.Facts) != 1 || e.Facts[0].Subject != "way" || !slices.Equal(related, []string{other}) || len(e.Files) != 1 || e.Files[0].Path != "src/sign.go" {
			t.Errorf("%s: %s", as(entry), e.Text)
		}
	}
	for _, p := range []string{"/etc/passwd.md", "ROOT/../x/y/z.md", "file://elsewhere/a/b/c.md", "../a/b/c.md", `..\..\a\b\c.md`, "ROOT/src/sign.go", "C:/a/b/c.md"} {
		r, err := Curate(t.Context(), w, plan.Batch{Ops: []plan.Op{{Type: plan.OpUpdate, Path: strings.Replace(p, "ROOT", w.Root(), 1), Reason: "r"}}})
		if err != nil || r.Results[0].Status != plan.StatusFailed {
			t.Errorf("%s: %+v, %v", p, r, err)
		}
	}
}

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
