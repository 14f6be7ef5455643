package mcp

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/sanitize/sanitizetest"
	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
)

// locked is a text that several goroutines write.
type locked struct {
	mu sync.Mutex
	strings.Builder
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(p)
}

// TestNoCredentialReachesAnAgent: what stands in entries and code files comes out of no tool, no resource
// and no prompt, and not into the log; nor do names of files but as one line in quotes. A tool, template or prompt without a
// case fails it.
func TestNoCredentialReachesAnAgent(t *testing.T) {
	dir := t.TempDir()
	files, planted := secretstest.Project()
	odd, err := sanitizetest.Write(dir, sanitizetest.Files())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sanitizetest.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for p := range files {
		if !strings.HasPrefix(p, ".") || strings.HasPrefix(p, ".brv/") { // others are read by no tool
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	var log locked
	c := dial(
		t, Options{Root: dir, Trust: trusted, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		nil)
	look := func(what string, answer any, err error) {
		t.Helper()
		raw, failed := json.Marshal(answer)
		if err = errors.Join(err, failed); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, shown := range planted.In(string(raw)) {
			t.Errorf("%s: %s", what, shown)
		}
		for _, shown := range sanitizetest.InJSON(raw) {
			t.Errorf("%s: %s", what, shown)
		}
	}
	update := map[string]any{"type": "UPDATE", "path": "auth/jwt/tokens.md", "reason": "a test", "replace": []string{"task"},
		"content": map[string]any{"rawConcept": map[string]any{"task": "new"}}}
	merge := map[string]any{"type": "MERGE", "path": "auth/jwt/alike.md", "mergeTarget": "auth/jwt/tokens.md", "reason": "a test"}
	there := map[string]any{"type": "ADD", "path": "auth/jwt", "title": "Tokens of the login", "reason": "a test",
		"content": map[string]any{"snippets": []string{"x"}}}
	cases := map[string][]map[string]any{
		"brv_search": {{"query": "tokens of the login"}, {"query": "sign password"}},
		"brv_query":  {{"question": "tokens of the login"}, {"question": "which password signs tokens, and where"}},
		"brv_read": {{"paths": paths[:len(paths)/2]}, {"paths": paths[len(paths)/2:]}, {"paths": []string{"auth.go:12-14"}},
			{"paths": []string{"web/connect.ts:2"}}},
		"brv_context": {
			{"task": "sign tokens, connect, fetch"}, {"task": "sign tokens"}, {"task": "SignToken password", "max_tokens": 400},
		},
		"brv_repo_map": {{"task": "sign token password", "max_tokens": 8000}, {"max_tokens": 8000}, {"file": "auth.go"}},
		"brv_curate": {
			{"operations": []any{update}, "dry_run": true}, {"operations": []any{merge}, "dry_run": true},
			{"operations": []any{update, merge}}, {"operations": []any{there}},
			{"files": []string{"notes.md", "auth.go", "web/connect.ts"}, "dry_run": true},
		},
		"brv_review": {{"action": "list"}, {"action": "approve", "review": 1}, {"action": "reject", "review": 1}},
	}
	for _, name := range sanitizetest.Names() {
		cases["brv_read"] = append(cases["brv_read"], map[string]any{"paths": []string{name, name + ".go", "docs/" + name + ".md"}})
		cases["brv_query"] = append(cases["brv_query"], map[string]any{"question": "names of tokens delete", "scope": name})
		cases["brv_repo_map"] = append(cases["brv_repo_map"], map[string]any{"show": "dependents", "file": name + ".go"})
		cases["brv_curate"] = append(cases["brv_curate"], map[string]any{"files": []string{name + ".go"}, "dry_run": true})
	}
	for some := range slices.Chunk(odd, consult.MaxRead) {
		cases["brv_read"] = append(cases["brv_read"], map[string]any{"paths": some})
	}
	resources := map[string][]string{
		treeURI + "{+path}": {"brv://tree/auth/jwt/tokens.md", "brv://tree/auth/context.md"},
	}
	askAll(t, c, cases, resources, look)
	look("the log", log.String(), nil)
}

// askAll asks every tool, resource and prompt that the server lists. One without a case that it answers fails the test.
func askAll(
	t *testing.T, c *sdk.ClientSession, cases map[string][]map[string]any, resources map[string][]string,
	look func(what string, answer any, err error),
) {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	look("the tools", list, err)
	for _, tool := range list.Tools {
		worked := false
		for _, arguments := range cases[tool.Name] {
			r := ask(t, c, tool.Name, arguments)
			worked = worked || !r.IsError
			look(tool.Name, r, nil)
		}
		if !worked {
			t.Errorf("%s: no case that it answers", tool.Name)
		}
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	look("the templates", templates, err)
	for _, template := range templates.ResourceTemplates {
		if len(resources[template.URITemplate]) == 0 {
			t.Errorf("%s: no case", template.URITemplate)
		}
		for _, uri := range resources[template.URITemplate] {
			r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			look(uri, r, err)
		}
	}
	listed, err := c.ListResources(t.Context(), nil)
	look("the resources", listed, err)
	for _, resource := range listed.Resources {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: resource.URI})
		look(resource.URI, r, err)
	}
	prompts, err := c.ListPrompts(t.Context(), nil)
	look("the prompts", prompts, err)
	for _, prompt := range prompts.Prompts {
		arguments := map[string]string{}
		for _, a := range prompt.Arguments {
			arguments[a.Name] = "tokens of the login"
		}
		r, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt.Name, Arguments: arguments})
		look(prompt.Name, r, err)
	}
}
