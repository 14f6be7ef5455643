package consult

import (
	"maps"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestQueryNamesThePlace(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	r, err := Query(t.Context(), w.View(), QueryRequest{Text: "how are access tokens signed"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sources) == 0 || r.Sources[0].FilePath != workspacetest.TokensPath || r.Sources[0].Line < 8 {
		t.Errorf("sources %+v", r.Sources)
	}
	r, err = Query(t.Context(), w.View(), QueryRequest{Text: "kubernetes autoscaling"})
	if err != nil || !r.OutOfDomain {
		t.Errorf("%+v, %v", r, err)
	}
}

// An answer shows nothing that runs or is fetched, at any tier without a model.
func TestQueryShowsNothingThatActs(t *testing.T) {
	armed := maps.Clone(workspacetest.Files)
	armed[workspacetest.TokensPath] += "\n## How access tokens are signed\nAccess tokens are signed with RS256: " +
		"[more](command:workbench.action.quit) ![p](https://evil.example/p.png) <img src=https://evil.example/q.png>\n"
	w := workspacetest.Open(t, armed, workspace.Options{})
	for _, text := range []string{"how are access tokens signed", "access tokens RS256 signed more", "signed"} {
		r, err := Query(t.Context(), w.View(), QueryRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if found := sanitize.Unsafe(r.Markdown); len(found) > 0 || strings.Contains(r.Markdown, "](command:") ||
			strings.Contains(r.Markdown, "![p]") {
			t.Errorf("%s: %v in\n%s", text, found, r.Markdown)
		}
	}
	v := w.View()
	entry, _ := v.EntryPath(workspacetest.TokensPath)
	codes := map[string]bool{}
	for _, p := range v.Tree().Problems(entry) {
		codes[p.Code] = true
	}
	if !codes[format.CodeUnsafe] {
		t.Error("the entry's own links are no problem")
	}
}
