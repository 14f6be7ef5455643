package contextpack

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// TestWithoutTimeUnsavedCodeIsLeftOut has a request whose time is over before the
// buffers are read: they are long, so that they are not read in the moment before it looks.
func TestWithoutTimeUnsavedCodeIsLeftOut(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Overlay("src/sign.go", workspacetest.Files["src/sign.go"]) // opening it reads it
	w.Overlay("src/sign.go", "package src\n\nfunc SignTokenTwice(user string) string { return user + user }\n"+
		strings.Repeat("var _ = 1\n", 20_000))
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	v, degraded, err := promptView(t.Context(), over, w.View(), false)
	if err != nil || len(degraded) != 1 || degraded[0] != limits.UnsavedCode+": the deadline passed" {
		t.Errorf("degraded %q, %v", degraded, err)
	}
	if len(v.Code().Lookup("SignToken")) != 1 {
		t.Error("the code on disk is not there either")
	}
}

// TestWordsAnswerWhileSyntaxIsRead has parsers that never answer: a pack is there all the
// same, and says what it does not know yet.
func TestWordsAnswerWhileSyntaxIsRead(t *testing.T) {
	many := map[string]string{"go.mod": "module example.org/app\n"}
	for i := range 310 {
		many[fmt.Sprintf("src/f%d.go", i)] = fmt.Sprintf("package src\n\nfunc F%d() {}\n", i)
	}
	many["src/quota.go"] = "package src\n\n// Quota limits tenants.\nfunc Quota() int { return 1 }\n"
	w := workspacetest.Open(t, many, workspace.Options{Worker: []string{"sleep", "60"}})
	p, err := Pack(t.Context(), w.View(), PackRequest{Task: "quota of tenants", BudgetTokens: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if p.Pending != 311 || len(p.Items) == 0 || p.Items[0].Path != "src/quota.go" || !strings.Contains(p.Text, "Quota limits tenants") {
		t.Errorf("%d pending, %+v\n%s", p.Pending, p.Items, p.Text)
	}
}
