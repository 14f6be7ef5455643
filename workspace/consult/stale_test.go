package consult

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// An answer that rests on what the code left behind says so before all else, the first of a process too.
func TestAnswersSayWhatIsStale(t *testing.T) {
	w := workspacetest.Drifted(t, workspace.Options{Unhurried: true})
	r, err := Query(t.Context(), w.View(), QueryRequest{Text: "access tokens"})
	if err != nil || !strings.HasPrefix(r.Markdown, "> **Possibly out of date**: the code has changed since this was written. Check the code first.") ||
		!strings.Contains(r.Markdown, "> "+workspacetest.TokensEntry+": stale: src/gone.go is gone\n") {
		t.Errorf("%+v, %v", r, err)
	}
	found, err := Search(t.Context(), w.View(), QueryRequest{Text: "access tokens"})
	if err != nil || len(found.Hits) == 0 || len(found.Hits[0].Marks) != 2 {
		t.Errorf("%+v, %v", found, err)
	}
}
