package workspace

import (
	"maps"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestQueryNamesThePlace(t *testing.T) {
	w := open(t, files, Options{})
	r, err := w.Query(t.Context(), w.View(), QueryRequest{Text: "how are access tokens signed"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sources) == 0 || r.Sources[0].FilePath != tokensPath || r.Sources[0].Line < 8 {
		t.Errorf("sources %+v", r.Sources)
	}
	r, err = w.Query(t.Context(), w.View(), QueryRequest{Text: "kubernetes autoscaling"})
	if err != nil || !r.OutOfDomain {
		t.Errorf("%+v, %v", r, err)
	}
}

// An answer shows nothing that runs or is fetched, at any tier without a model.
func TestQueryShowsNothingThatActs(t *testing.T) {
	armed := maps.Clone(files)
	armed[tokensPath] += "\n## How access tokens are signed\nAccess tokens are signed with RS256: [more](command:workbench.action.quit) ![p](https://evil.example/p.png) <img src=https://evil.example/q.png>\n"
	w := open(t, armed, Options{})
	for _, text := range []string{"how are access tokens signed", "access tokens RS256 signed more", "signed"} {
		r, err := w.Query(t.Context(), w.View(), QueryRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if found := sanitize.Unsafe(r.Markdown); len(found) > 0 || strings.Contains(r.Markdown, "](command:") || strings.Contains(r.Markdown, "![p]") {
			t.Errorf("%s: %v in\n%s", text, found, r.Markdown)
		}
	}
	v := w.View()
	entry, _ := v.EntryPath(tokensPath)
	codes := map[string]bool{}
	for _, p := range v.Tree().Problems(entry) {
		codes[p.Code] = true
	}
	if !codes[format.CodeUnsafe] {
		t.Error("the entry's own links are no problem")
	}
}
