package workspace

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// TestAnswersHoldNoCredential: what stands in an entry or a code file comes out of no command
// that shows texts, wherever these are cut; places are those of the file.
func TestAnswersHoldNoCredential(t *testing.T) {
	const password = "hunter2hunter2X9"
	key := "-----BEGIN RSA PRIVATE " + "KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEAabcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL\n", 4) + "-----END RSA PRIVATE " + "KEY-----\n"
	entry := "---\ntitle: \"Staging login, password: " + password + "\"\nsummary: \"The test user of staging, password: " + password + "\"\n---\n## Test user\n\n- password: `" + password + "`\n\n```\n" + key + "```\n\n## Behind it\nThe test user signs in by form.\n"
	code := "package login\n\nconst dbPassword = \"" + password + "\"\n\nconst signing = `\n" + key + "`\n\n// Test signs the test user of staging in.\nfunc Test(password string) bool {\n\treturn password == dbPassword\n}\n"
	w := open(t, map[string]string{
		"go.mod": "module example.org/app\n", "login.go": code, "use.go": "package login\n\nvar ok = Test(\"\")\n",
		".brv/context-tree/auth/login/staging.md": entry,
		".brv/context-tree/auth/login/other.md":   "---\ntitle: Others\n---\nOther users.\n",
	}, Options{Unhurried: true})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	requests := map[string][]string{
		"brv.search":  {`{"text":"test user of staging"}`, `{"text":"test user of staging","explain":true}`},
		"brv.query":   {`{"text":"test user of staging"}`, `{"text":"who signs in by form and what else"}`, `{"text":"password of the login, users"}`},
		"brv.read":    {`{"paths":[".brv/context-tree/auth/login/staging.md","login.go"],"budgetTokens":2000}`, `{"paths":["login.go:3-7"],"budgetTokens":2000}`, `{"paths":["login.go:6-8"],"budgetTokens":2000}`},
		"brv.pack":    {`{"task":"test user of staging signs in","budgetTokens":2000}`, `{"task":"test user of staging signs in","budgetTokens":300}`, `{"task":"dbPassword signing","budgetTokens":120}`, `{"task":"test user password","budgetTokens":2000,"format":"json"}`, `{"task":"test user password","budgetTokens":2000,"format":"xml"}`},
		"brv.expand":  {`{"paths":["use.go"],"budgetTokens":2000}`},
		"brv.explain": {`{"query":"test user of staging","path":"auth/login/staging.md"}`},
	}
	for _, c := range Commands() {
		for _, request := range requests[c.Name] {
			got, err := c.Run(t.Context(), w, w.View(), json.RawMessage(request))
			if err != nil {
				t.Fatalf("%s %s: %v", c.Name, request, err)
			}
			raw, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{password, password[4:], "MIIEowIBAAKCAQEA"} {
				if strings.Contains(string(raw), secret) {
					t.Errorf("%s %s: %s is in\n%s", c.Name, request, secret, raw)
				}
			}
			if text := string(raw); c.Name == "brv.read" && !strings.Contains(text, "[REDACTED:") {
				t.Errorf("%s: nothing is redacted in %s", request, text)
			}
		}
		delete(requests, c.Name)
	}
	if len(requests) > 0 {
		t.Errorf("no such commands: %v", requests)
	}
	r, err := w.Read(t.Context(), w.View(), ReadRequest{Paths: []string{"login.go"}, BudgetTokens: 2000})
	if err != nil || r.Items[0].Lines != [2]int{1, strings.Count(code, "\n")} || r.Tokens != tokens.Count(r.Text) {
		t.Errorf("%v, %+v", err, r.Items)
	}
	q, err := w.Query(t.Context(), w.View(), QueryRequest{Text: "who signs in by form"})
	if err != nil || len(q.Sources) == 0 || q.Sources[0].End > len(entry) || !strings.Contains(entry[q.Sources[0].Start:q.Sources[0].End], "signs in by form") {
		t.Errorf("%v, %+v", err, q.Sources)
	}
}
