package command_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/command"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
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

func TestUnknownKeysAreRefused(t *testing.T) {
	w := open(t)
	for c := range command.All() {
		_, err := c.Run(t.Context(), w, w.View(), json.RawMessage(`{"nonsense": 1}`))
		if !errors.Is(err, command.ErrUnknownKey) || !errors.Is(err, workspace.ErrRequest) || !strings.Contains(err.Error(), "nonsense") {
			t.Errorf("%s: %v", c.Name, err)
		}
		keys := command.Keys(c.Request)
		if len(keys) > 0 && !strings.Contains(err.Error(), "there are "+keys[0]) {
			t.Errorf("%s: %v does not name %q", c.Name, err, keys)
		}
	}
}

func TestRowsAnswerAsTheySay(t *testing.T) {
	w := open(t)
	for c := range command.All() {
		raw := map[string]string{"brv.query": `{"text":"how are tokens signed"}`, "brv.log": `{"limit":1}`, "brv.status": "null"}[c.Name]
		if raw == "" {
			continue
		}
		got, err := c.Run(t.Context(), w, w.View(), json.RawMessage(raw))
		if err != nil || reflect.TypeOf(got) != reflect.PointerTo(c.Response) {
			t.Errorf("%s: %T, %v", c.Name, got, err)
		}
	}
}

func TestWrongValuesAreTheRequests(t *testing.T) {
	if _, err := command.Decode[curation.LogRequest](json.RawMessage(`{"limit":"all"}`)); !errors.Is(err, workspace.ErrRequest) ||
		!strings.Contains(err.Error(), "limit") {
		t.Error(err)
	}
	for _, none := range []string{"", "null", "{}"} {
		if req, err := command.Decode[curation.LogRequest](json.RawMessage(none)); err != nil || req != (curation.LogRequest{}) {
			t.Errorf("%q: %+v, %v", none, req, err)
		}
	}
}
