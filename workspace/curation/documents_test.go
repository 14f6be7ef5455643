package curation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestReviewShowsTheDifference(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	ctx := context.Background()
	if err := w.WaitCode(ctx); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(ctx)
	text, err := DriftReview(ctx, w.View(), workspacetest.TokensEntry)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Review: Access tokens\n", "last updated 2026-03-01", "## `src/sign.go` changed\n", "```diff\n",
		"\n-\theader := sha1(user, \"header\")\n",
		"\n+func SignToken(key ed25519.PrivateKey, claims []byte) []byte {\n", "## `src/gone.go` gone\n",
		"## The entry\n\n```md\n" + workspacetest.DriftText + "```\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the review lacks %q", want)
		}
	}
	if strings.Contains(text, "src/same.go` ") {
		t.Error("what is as it was is in the review")
	}
	found, err := drift.Of(ctx, w.View(), workspacetest.TokensEntry)
	summary, at := drift.Summary(w.View(), workspacetest.TokensEntry, found)
	if err != nil || summary != "2 of 3 named files changed since 2026-03-01" || at.Of(workspacetest.DriftText) != "Access tokens" {
		t.Errorf("%q at %q, %v", summary, at.Of(workspacetest.DriftText), err)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// A function that has another name shows that one line as different, at the place where it stands, and nothing at the end of
// its text.
func TestReviewOfARenameShowsTheNameAlone(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	dir := t.TempDir()
	code := func(name string) string {
		body := ""
		for i := range 10 {
			body += fmt.Sprintf("\tprintln(%d)\n", i)
		}
		return "package a\n\n// Doc.\nfunc " + name + "() {\n" + body + "}\n\nfunc Other() {}\n"
	}
	commit := func(date string) {
		workspacetest.GitAt(t, dir, date, "add", "-A")
		workspacetest.GitAt(t, dir, date, "commit", "-q", "-m", "c")
	}
	workspacetest.GitAt(t, dir, "2026-01-01T00:00:00Z", "init", "-q", "-b", "main")
	workspacetest.Write(t, dir, "go.mod", "module example.org/app\n")
	workspacetest.Write(t, dir, "a/a.go", code("MakeGateway"))
	workspacetest.Write(t, dir, ".brv/context-tree/a/b/c.md", "---\ncreatedAt: '2026-01-01T00:00:00.000Z'\n---\n"+
		"# C\n## Raw Concept\n**Files:**\n- a/a.go\n\n"+
		"## Narrative\n### Rules\n- `MakeGateway` needs root\n")
	commit("2026-02-01T00:00:00Z")
	workspacetest.Write(t, dir, "a/a.go", code("StartGateway"))
	commit("2026-04-01T00:00:00Z")
	w, err := workspace.Open(t.Context(), dir, workspace.Options{Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	text, err := DriftReview(t.Context(), w.View(), "a/b/c.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "@@ -4,4 +4,4 @@\n-func MakeGateway() {\n+func StartGateway() {\n"
	if !strings.Contains(text, want) || !strings.Contains(text, "` renamed\n") || strings.Count(text, "@@ -") != 1 ||
		strings.Contains(text, "No newline") {
		t.Error(text)
	}
}

func TestFencesAreLongerThanThoseInside(t *testing.T) {
	if got := fenced("md", "a\n````go\nx\n````\n"); got != "`````md\na\n````go\nx\n````\n`````\n" {
		t.Error(got)
	}
}
