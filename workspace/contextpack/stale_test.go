package contextpack

import (
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// The pack that an agent asks of a new process is often its only one.
func TestFirstPackTellsWhatIsStale(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{Unhurried: true})
	first := packed(t, w, PackRequest{Task: "access tokens"})
	for _, want := range []string{"stale: src/sign.go changed since 2026-03-01", "stale: src/gone.go is gone"} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("the pack lacks %q", want)
		}
	}
	if len(first.Degraded) > 0 {
		t.Errorf("degraded: %q", first.Degraded)
	}
	if next := packed(t, w, PackRequest{Task: "access tokens"}); next.Text != first.Text {
		t.Errorf("another pack of the same:\n%s\nfirst it was:\n%s", next.Text, first.Text)
	}
	if t.Failed() {
		t.Log(first.Text)
	}
}

func TestPackTellsThatStalenessIsNotKnown(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{})
	goOn := workspacetest.HoldGit(t)
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := packed(t, w, PackRequest{Task: "access tokens", DeadlineMs: 200})
	goOn()
	if strings.Contains(p.Text, "stale: src/") || !slices.Contains(p.Degraded, "entries were not checked for staleness yet") {
		t.Errorf("degraded: %q\n%s", p.Degraded, p.Text)
	}
	if _, err := drift.Of(t.Context(), w.View(), workspacetest.TokensEntry); err != nil {
		t.Fatal(err)
	}
	if p = packed(t, w, PackRequest{Task: "access tokens", DeadlineMs: 10_000}); !strings.Contains(p.Text, "stale: src/") ||
		len(p.Degraded) > 0 {
		t.Errorf("once it is known, degraded: %q\n%s", p.Degraded, p.Text)
	}
}
