package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNoToolQuotesAConflictAsKnowledge asks every face that quotes entries about one in conflict.
func TestNoToolQuotesAConflictAsKnowledge(t *testing.T) {
	const (
		at   = "authentication/jwt/tokens.md"
		rest = "---\ntitle: Access tokens\nsummary: How access tokens are signed.\n---\n## Facts\n"
		torn = rest + "<<<<<<< HEAD\n- Access tokens are signed with upperalgo\n" +
			"=======\n- Access tokens are signed with loweralgo\n>>>>>>> feature\n"
	)
	dir, _ := folder(t, "calls.txtar")
	file := filepath.Join(dir, ".brv/context-tree", at)
	if err := os.WriteFile(file, []byte(torn), 0o644); err != nil {
		t.Fatal(err)
	}
	c := dial(t, Options{Root: dir}, nil)
	const question = "how are access tokens signed"
	shows := func(what, text string) {
		if strings.Contains(text, "algo") || strings.Contains(text, "<<<<<<<") || strings.Contains(text, "RS256") {
			t.Errorf("%s quotes it:\n%s", what, text)
		}
	}
	for name, arguments := range map[string]map[string]any{
		"brv_query": {"question": question}, "brv_search": {"query": question},
		"brv_context": {"task": "change " + question, "max_tokens": 900, "include": "knowledge"},
	} {
		shows(name, textOf(t, ask(t, c, name, arguments)))
	}
	marked := func(what, text string) {
		if !strings.Contains(text, "merge conflict") || strings.Index(text, "merge conflict") > strings.Index(text+"<<<<<<<", "<<<<<<<") {
			t.Errorf("%s does not say it first:\n%s", what, text)
		}
	}
	marked("brv_search", textOf(t, ask(t, c, "brv_search", map[string]any{"query": question})))
	marked("brv_read", textOf(t, ask(t, c, "brv_read", map[string]any{"paths": []string{at}})))
	update := map[string]any{"type": "UPDATE", "path": at, "reason": "r", "summary": "s"}
	marked("brv_curate", textOf(t, ask(t, c, "brv_curate", map[string]any{"operations": []any{update}})))
	for _, uri := range []string{treeURI + at, indexURI} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		marked(uri, r.Contents[0].Text)
	}
	list, err := c.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list.Resources {
		if r.URI == treeURI+at {
			marked("resources/list", r.Description)
		}
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != torn {
		t.Errorf("it was changed: %v\n%s", err, now)
	}
}
