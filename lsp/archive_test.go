package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// TestArchivingAsksFirst: the action moves a file away, so that a user who can be asked is.
func TestArchivingAsksFirst(t *testing.T) {
	for name, c := range map[string]struct {
		can    bool
		answer any
		moved  bool
	}{
		"yes":            {true, map[string]string{"title": "Yes"}, true},
		"no":             {true, map[string]string{"title": "Cancel"}, false},
		"closed":         {true, nil, false},
		"cannot be told": {false, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t)
			capabilities := lsptest.Modern()
			if c.can {
				capabilities["window"].(map[string]any)["showMessage"] = map[string]any{}
			}
			e, ctx := session(t, lsp.Unhurried(lsp.Options{Now: fixedNow}), lsptest.Session{Folders: []string{root},
				Capabilities: capabilities})
			e.Answer("window/showMessageRequest", func(json.RawMessage) (any, error) { return c.answer, nil })
			file := open(t, e, root, tokens)
			at := find(t, e, file, "Tokens")
			actions, err := e.Actions(ctx, file, at, at, "refactor")
			if err != nil {
				t.Fatal(err)
			}
			run := func(title string) (result string) {
				for _, a := range actions {
					if strings.HasPrefix(a.Title, title) {
						var raw json.RawMessage
						if err := e.Run(ctx, a, &raw); err != nil {
							t.Fatal(err)
						}
						return string(raw)
					}
				}
				t.Fatalf("no %s in %s", title, titles(actions))
				return ""
			}
			result := run("Archive this entry")
			_, err = os.Stat(filepath.Join(root, tokens))
			asked := e.Received("window/showMessageRequest")
			if moved := os.IsNotExist(err); moved != c.moved || len(asked) > 0 != c.can {
				t.Fatalf("moved %v, asked %d times: %s", moved, len(asked), result)
			}
			if c.can && !strings.Contains(string(asked[0].Params), "Archive “Tokens”? auth/jwt/tokens.md moves") {
				t.Errorf("asked %s", asked[0].Params)
			}
			if !c.moved {
				if result != `{"applied":false,"reason":"cancelled by the user"}` {
					t.Errorf("result %s", result)
				}
				return
			}
			before, _ := e.Text(file)
			stub := open(t, e, root, ".brv/context-tree/_archived/auth/jwt/tokens.stub.md")
			if actions, err = e.Actions(ctx, stub, 0, 0, "refactor"); err != nil {
				t.Fatal(err)
			}
			run("Restore this entry")
			if back, err := os.ReadFile(file); string(back) != before {
				t.Errorf("restored %s, %v", back, err)
			}
		})
	}
}
