package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// TestMessagesHoldNoLinks: some editors make links of `[text](command:…)` in messages, and an
// error of a command is shown as one. What files are called and say must not become a link.
func TestMessagesHoldNoLinks(t *testing.T) {
	const trap = "[run](command:workbench.action.quit)"
	root := project(t)
	writeFile(t, filepath.Join(root, trap+".md"), "text\n")
	writeFile(t, filepath.Join(root, "auth.go"), "package auth\n\n// Sign signs, see `"+trap+
		"`.\nfunc SignToken() string { return \"\" }\n")
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: asking(nil)})
	e.Answer("window/showMessageRequest", answerWrite("Cancel"))
	here := lsptest.URI(filepath.Join(root, trap+".md"))

	if err := e.Execute(ctx, "brv.showReferences", map[string]any{"uri": here, "show": true}, nil); err != nil {
		t.Fatal(err)
	}
	confirm := map[string]any{"operations": []any{map[string]any{"type": "CONFIRM", "path": trap + ".md", "reason": "r"}}, "show": true}
	if err := e.Execute(ctx, "brv.curate", confirm, nil); err != nil {
		t.Fatal(err)
	}
	curate(t, e, ctx, root)
	failure := e.Execute(ctx, "brv.showReview", map[string]any{"uri": here}, nil)
	if failure == nil {
		t.Fatal("there is something to review")
	}

	said := []string{failure.Error()}
	for _, method := range []string{"window/showMessage", "window/showMessageRequest"} {
		messages := e.Received(method)
		if len(messages) == 0 {
			t.Errorf("%s: nothing said", method)
		}
		for _, m := range messages {
			var p struct{ Message string }
			if err := json.Unmarshal(m.Params, &p); err != nil {
				t.Fatal(err)
			}
			said = append(said, p.Message)
		}
	}
	for _, text := range said {
		if !strings.Contains(text, "command:") || strings.Contains(text, "](") {
			t.Errorf("said: %s", text)
		}
	}
}
