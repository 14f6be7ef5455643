package workspace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestAnswersHoldNoCredential: what stands in an entry or a code file comes out of no command
// that shows texts, wherever these are cut; places are those of the file.
func TestAnswersHoldNoCredential(t *testing.T) {
	const password = "hunter2hunter2X9"
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat(
		"MIIEowIBAAKCAQEAabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL\n", 4) + "-----END RSA PRIVATE " + "KEY-----\n"
	entry := "---\ntitle: \"Staging login, password: " + password + "\"\nsummary: \"The test user of staging, password: " + password +
		"\"\n---\n## Test user\n\n- password: `" + password + "`\n\n```\n" + key +
		"```\n\n## Behind it\nThe test user signs in by form.\n"
	code := "package login\n\nconst dbPassword = \"" + password + "\"\n\nconst signing = `\n" + key +
		"`\n\n// Test signs the test user of staging in.\nfunc Test(password string) bool {\n\treturn password == dbPassword\n}\n"
	w := workspacetest.Open(t, map[string]string{
		"go.mod": "module example.org/app\n", "login.go": code, "use.go": "package login\n\nvar ok = Test(\"\")\n",
		".brv/context-tree/auth/login/staging.md": entry,
		".brv/context-tree/auth/login/other.md":   "---\ntitle: Others\n---\nOther users.\n",
	}, workspace.Options{Unhurried: true})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, v := t.Context(), w.View()
	const about = "test user of staging"
	query := func(text string) func() (any, error) {
		return func() (any, error) { return consult.Query(ctx, v, consult.QueryRequest{Text: text}) }
	}
	read := func(path string) func() (any, error) {
		return func() (any, error) {
			return consult.Read(ctx, v, consult.ReadRequest{Paths: strings.Fields(path), BudgetTokens: 2000})
		}
	}
	packed := func(task string, budget int) func() (any, error) {
		return func() (any, error) {
			return contextpack.Pack(ctx, v, contextpack.PackRequest{Task: task, BudgetTokens: budget})
		}
	}
	for name, ask := range map[string]func() (any, error){
		"search":            func() (any, error) { return consult.Search(ctx, v, consult.QueryRequest{Text: about}) },
		"search, explained": func() (any, error) { return consult.Search(ctx, v, consult.QueryRequest{Text: about, Explain: true}) },
		"query 1":           query(about),
		"query 2":           query("who signs in by form and what else"),
		"query 3":           query("password of the login, users"),
		"read 1":            read(".brv/context-tree/auth/login/staging.md login.go"),
		"read 2":            read("login.go:3-7"),
		"read 3":            read("login.go:6-8"),
		"pack":              packed("test user of staging signs in", 2000),
		"pack, small":       packed("test user of staging signs in", 300),
		"pack, smallest":    packed("dbPassword signing", 120),
		"expand": func() (any, error) {
			return codemap.Expand(ctx, v, codemap.ExpandRequest{Paths: []string{"use.go"}, BudgetTokens: 2000})
		},
	} {
		got, err := ask()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		raw, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{password, password[4:], "MIIEowIBAAKCAQEA"} {
			if strings.Contains(string(raw), secret) {
				t.Errorf("%s: %s is in\n%s", name, secret, raw)
			}
		}
		if strings.HasPrefix(name, "read") && !strings.Contains(string(raw), "[REDACTED:") {
			t.Errorf("%s: nothing is redacted in %s", name, raw)
		}
	}
	r, err := consult.Read(t.Context(), w.View(), consult.ReadRequest{Paths: []string{"login.go"}, BudgetTokens: 2000})
	if err != nil || r.Items[0].Lines != [2]int{1, strings.Count(code, "\n")} || r.Tokens != tokens.Count(r.Text) {
		t.Errorf("%v, %+v", err, r.Items)
	}
	q, err := consult.Query(t.Context(), w.View(), consult.QueryRequest{Text: "who signs in by form"})
	if err != nil || len(q.Sources) == 0 || q.Sources[0].End > len(entry) ||
		!strings.Contains(entry[q.Sources[0].Start:q.Sources[0].End], "signs in by form") {
		t.Errorf("%v, %+v", err, q.Sources)
	}
}
