package workspace_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

const changedSign = "package src\n\n// SignTokenTwice is not saved.\nfunc SignTokenTwice(user string) string { return user + user }\n"

// TestUnsavedCodeIsInEveryAnswer types into a code file and asks each request that
// speaks of code.
func TestUnsavedCodeIsInEveryAnswer(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Overlay("src/sign.go", changedSign)
	if !known(t, w, "SignTokenTwice") || known(t, w, "SignToken") {
		t.Error("symbols are those on disk")
	}
	p, err := contextpack.Pack(t.Context(), w.View(), contextpack.PackRequest{Task: "sign a token twice", Include: []string{"code"},
		BudgetTokens: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := w.View().Text("src/sign.go"); !strings.Contains(p.Text, strings.TrimSpace(text)) ||
		strings.Contains(p.Text, "SignToken signs") {
		t.Errorf("the pack is of the disk:\n%s", p.Text)
	}
	m, err := codemap.Map(t.Context(), w.View(), codemap.MapRequest{Path: "src/use.go"})
	if err != nil || !strings.Contains(m.Outline, "SignTokenTwice") {
		t.Errorf("the map is of the disk: %v\n%s", err, m.Outline)
	}
	at := describe.Request{Path: workspacetest.TokensPath, Offset: strings.Index(workspacetest.TokensText, "SignToken") + 1}
	if a, err := describe.Place(t.Context(), w.View(), at); a != nil || err != nil {
		t.Errorf("an entry's name leads to what is not there any more: %+v, %v", a, err)
	}

	w.Overlay("src/new.go", "package src\n\nvar newest = SignTokenTwice(\"x\")\n")
	d, err := codemap.Deps(t.Context(), w.View(), codemap.DepsRequest{Path: "src/new.go"})
	if err != nil || len(d.SamePackage) != 1 || d.SamePackage[0] != "src/sign.go" {
		t.Errorf("dependencies of a file that is not on disk: %+v, %v", d, err)
	}

	w.Drop("src/sign.go")
	w.Drop("src/new.go")
	if known(t, w, "SignTokenTwice") || !known(t, w, "SignToken") {
		t.Error("closed buffers still count")
	}
}

// known reports whether the code defines a name.
func known(t *testing.T, w *workspace.Workspace, name string) bool {
	t.Helper()
	r, err := codemap.Symbols(t.Context(), w.View(), codemap.SymbolsRequest{Query: name})
	if err != nil {
		t.Fatal(err)
	}
	return r.Total > 0 && r.Symbols[0].Name == name
}
