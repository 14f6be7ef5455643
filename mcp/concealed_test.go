package mcp

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/secrets/secretstest"
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
// and no prompt, and not into the log. A tool, template or prompt without a case fails it.
func TestNoCredentialReachesAnAgent(t *testing.T) {
	dir := t.TempDir()
	files, planted := secretstest.Project()
	var paths []string
	for p, text := range files {
		if !strings.HasPrefix(p, ".") || strings.HasPrefix(p, ".brv/") { // others are read by no tool
			paths = append(paths, p)
		}
		p = filepath.Join(dir, p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
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
			{"task": "sign tokens, connect, fetch"}, {"task": "sign tokens", "format": "json"},
			{"task": "sign tokens", "format": "xml"}, {"task": "SignToken password", "max_tokens": 400},
		},
		"brv_repo_map": {{"task": "sign token password", "max_tokens": 8000}, {"max_tokens": 8000}, {"file": "auth.go"}},
		"brv_curate": {
			{"operations": []any{update}, "dry_run": true}, {"operations": []any{merge}, "dry_run": true},
			{"operations": []any{update, merge}}, {"operations": []any{there}},
			{"files": []string{"notes.md", "auth.go", "web/connect.ts"}, "dry_run": true},
		},
		"brv_review": {{"action": "list"}, {"action": "approve", "review": 1}, {"action": "reject", "review": 1}},
	}
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
	resources := map[string][]string{
		treeURI + "{+path}": {"brv://tree/auth/jwt/tokens.md", "brv://tree/auth/context.md"},
		contextURI + "{query}": {"brv://context/" + url.PathEscape("tokens of the login"),
			"brv://context/" + url.PathEscape("SignToken connect fetch")},
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
	look("the log", log.String(), nil)
}
