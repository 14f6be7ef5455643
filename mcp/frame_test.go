package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/sanitize/sanitizetest"
)

// TestNoFileClosesItsFrame: whatever the files of a folder hold, no tool, resource or prompt gives an agent a text that reads
// as a tag of a frame, but for the two tags of the server. A tool, template or prompt without a case fails it.
func TestNoFileClosesItsFrame(t *testing.T) {
	dir := t.TempDir()
	for p, text := range sanitizetest.Project() {
		p = filepath.Join(dir, p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := dial(t, Options{Root: dir, Trust: trusted}, nil)
	look := func(what string, answer any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, tag := range sanitizetest.InValue(answer) {
			t.Errorf("%s: %q", what, tag)
		}
	}
	cases := map[string][]map[string]any{}
	add := func(tool string, arguments map[string]any) { cases[tool] = append(cases[tool], arguments) }
	const all = 64_000
	for n := range 8 {
		entry, doc, code := fmt.Sprintf("frames/global/e%d.md", n), fmt.Sprintf("docs/d%d.md", n), fmt.Sprintf("src/f%d.go", n)
		add("brv_read", map[string]any{"paths": []string{entry, doc, code}, "max_tokens": all})
		add("brv_query", map[string]any{"question": fmt.Sprintf("tokens of form %d", n), "max_tokens": all})
		add("brv_search", map[string]any{"query": fmt.Sprintf("tokens of form %d", n)})
		add("brv_context", map[string]any{"task": fmt.Sprintf("sign tokens of form %d in SignTokens%d", n, n), "max_tokens": all})
	}
	for _, show := range []string{"outline", "symbols", "dependents", "impact"} {
		add("brv_repo_map", map[string]any{"show": show, "symbol": "SignTokens3", "max_tokens": all})
	}
	add("brv_repo_map", map[string]any{"task": "sign tokens", "file": "src/f1.go", "max_tokens": all})
	add("brv_repo_map", map[string]any{"show": "symbols", "symbol": "Tokens", "max_tokens": all})
	for i, s := range sanitizetest.Spellings {
		if !strings.ContainsAny(s, "\x00\x1b\x7f\n\r") {
			add("brv_read", map[string]any{"paths": []string{s}}) // what is asked for comes back
			add("brv_curate", map[string]any{"operations": []any{map[string]any{"type": "ADD", "path": "frames/new",
				"title": fmt.Sprintf("New %d %s", i, s), "reason": "tokens " + s, "content": map[string]any{"facts": []any{
					map[string]any{"statement": "new " + s}}}}}})
		}
	}
	add("brv_review", map[string]any{"action": "list"})
	for n := range 12 {
		add("brv_review", map[string]any{"action": "list", "review": n + 1})
	}
	askAll(t, c, cases, map[string][]string{
		treeURI + "{+path}": {"brv://tree/frames/global/e0.md", "brv://tree/frames/scoped/e3.md"},
	}, look)
}
