package command_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/command"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// open opens a folder with one entry.
func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	entry := filepath.Join(root, ".brv", tree.Dir, "auth", "jwt", "tokens.md")
	if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(entry, []byte("---\ntitle: Tokens\n---\nAccess tokens are signed.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(t.Context(), root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func TestNamesAreUnique(t *testing.T) {
	known := map[string]bool{"": true}
	for c := range command.All() {
		if known[c.Name] || c.Method != "" && known[c.Method] || c.Title == "" {
			t.Errorf("%s, %s, %q", c.Name, c.Method, c.Title)
		}
		known[c.Name], known[c.Method] = true, true
	}
}

// A row says that a part of the tree is enough where its answer can say what is missing of it, and of
// code, which is read apart.
func TestPartsSayWhatIsMissing(t *testing.T) {
	for c := range command.All() {
		_, says := c.Response.FieldByName("Degraded")
		if code := slices.Contains([]string{"brv.deps", "brv.symbols"}, c.Name); c.Part != (says || code) {
			t.Errorf("%s: part %v", c.Name, c.Part)
		}
	}
}

func TestRowsAnswerAsTheySay(t *testing.T) {
	w := open(t)
	requests := map[string]any{"brv.query": &consult.QueryRequest{Text: "how are tokens signed"}, "brv.log": &curation.LogRequest{Limit: 1},
		"brv.status": &upkeep.StatusRequest{}}
	for c := range command.All() {
		req := requests[c.Name]
		if req == nil {
			continue
		}
		got, err := c.Run(t.Context(), w, w.View(), req)
		if err != nil || reflect.TypeOf(got) != reflect.PointerTo(c.Response) {
			t.Errorf("%s: %T, %v", c.Name, got, err)
		}
	}
}
