package curation

import (
	"context"
	"strings"
	"testing"

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
		"\n+func SignToken(key ed25519.PrivateKey, claims []byte) []byte {\n", "## `src/gone.go` vanished\n",
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

func TestFencesAreLongerThanThoseInside(t *testing.T) {
	if got := fenced("md", "a\n````go\nx\n````\n"); got != "`````md\na\n````go\nx\n````\n`````\n" {
		t.Error(got)
	}
}
