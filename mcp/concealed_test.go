package mcp

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNoCredentialReachesAnAgent: what stands in entries and code files comes out of no tool
// and no resource.
func TestNoCredentialReachesAnAgent(t *testing.T) {
	const password = "hunter2hunter2X9"
	dir := t.TempDir()
	for p, text := range map[string]string{
		"go.mod":   "module example.org/app\n",
		"login.go": "package login\n\nconst dbPassword = \"" + password + "\"\n\n// Test signs the test user of staging in.\nfunc Test(given, password string) bool { return given == dbPassword }\n",
		".brv/context-tree/auth/login/staging.md": "---\ntitle: \"Staging login, password: " + password + "\"\nsummary: \"The test user of staging, password: " + password + "\"\n---\n- password: `" + password + "`\n\n## Test user\nThe test user of staging signs in by form.\n",
	} {
		p = filepath.Join(dir, p)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := dial(t, Options{Root: dir}, nil)
	look := func(what string, answer any, err error) {
		t.Helper()
		raw, failed := json.Marshal(answer)
		if err = errors.Join(err, failed); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if text := string(raw); strings.Contains(text, password) || strings.Contains(text, password[4:]) {
			t.Errorf("%s: %s", what, text)
		} else if strings.HasPrefix(what, "brv_read") && strings.Count(text, "[REDACTED:assigned-secret]") != 4 {
			t.Errorf("%s: not all is redacted in %s", what, text)
		}
	}
	for what, arguments := range map[string]map[string]any{
		"brv_search":       {"query": "test user of staging"},
		"brv_query":        {"question": "test user of staging"},
		"brv_query vaguer": {"question": "who uses a password to log in, and where"},
		"brv_read":         {"paths": []string{".brv/context-tree/auth/login/staging.md", "login.go"}},
		"brv_context":      {"task": "test user of staging signs in"},
		"brv_context json": {"task": "test user of staging signs in", "format": "json"},
		"brv_repo_map":     {"task": "test user password"},
	} {
		name, _, _ := strings.Cut(what, " ")
		r := ask(t, c, name, arguments)
		if r.IsError {
			t.Errorf("%s: %s", what, textOf(t, r))
		}
		look(what, r, nil)
	}
	list, err := c.ListResources(t.Context(), nil)
	look("list", list, err)
	for _, uri := range []string{"brv://tree/auth/login/staging.md", "brv://index", "brv://manifest", "brv://context/" + url.PathEscape("test user of staging")} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		look(uri, r, err)
	}
}
