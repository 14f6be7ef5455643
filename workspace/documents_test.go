package workspace

import (
	"context"
	"strings"
	"testing"
)

func TestReviewShowsTheDifference(t *testing.T) {
	w := drifted(t, Options{})
	ctx := context.Background()
	if err := w.WaitCode(ctx); err != nil {
		t.Fatal(err)
	}
	w.ReadHistory(ctx)
	text, err := w.DriftReview(ctx, w.View(), driftEntry)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Review: Access tokens\n", "last updated 2026-03-01", "## `src/sign.go` changed\n", "```diff\n", "\n-\theader := sha1(user, \"header\")\n",
		"\n+func SignToken(key ed25519.PrivateKey, claims []byte) []byte {\n", "## `src/gone.go` vanished\n", "## The entry\n\n```md\n" + driftText + "```\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the review lacks %q", want)
		}
	}
	if strings.Contains(text, "src/same.go` ") {
		t.Error("what is as it was is in the review")
	}
	found, err := w.Drift(ctx, w.View(), driftEntry)
	summary, at := w.View().DriftSummary(driftEntry, found)
	if err != nil || summary != "2 of 3 named files changed since 2026-03-01" || at.Of(driftText) != "Access tokens" {
		t.Errorf("%q at %q, %v", summary, at.Of(driftText), err)
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
