package lsp_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// broken is the project with an entry whose relation has a misspelt name.
func broken(t *testing.T, change func(text, workspace, window map[string]any)) (e *lsptest.Editor, file string, ask func(
	only ...string) []lsptest.Action) {
	t.Helper()
	root := project(t)
	writeFile(t, filepath.Join(root, tokens), "---\ntitle: Tokens\n---\nSee @auth/jwt/othr.md.\n")
	capabilities := lsptest.Modern()
	change(capabilities["textDocument"].(map[string]any), capabilities["workspace"].(map[string]any),
		capabilities["window"].(map[string]any))
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}, Capabilities: capabilities})
	file = open(t, e, root, tokens)
	at := find(t, e, file, "othr")
	return e, file, func(only ...string) []lsptest.Action {
		t.Helper()
		actions, err := e.Actions(ctx, file, at, at, only...)
		if err != nil {
			t.Fatal(err)
		}
		return actions
	}
}

func titles(actions []lsptest.Action) string {
	var out []string
	for _, a := range actions {
		out = append(out, a.Title)
	}
	return strings.Join(out, "; ")
}

const repaired = "---\ntitle: Tokens\n---\nSee @auth/jwt/other.md.\n"

func TestActionIsPlannedWhenItIsChosenAndOnlyOnWhatWasSeen(t *testing.T) {
	e, file, ask := broken(t, func(_, _, _ map[string]any) {})
	a := ask()[0]
	if len(a.Edit) > 0 || len(a.Data) == 0 {
		t.Fatalf("%+v", a)
	}
	if err := e.Edit(file, 0, 0, "\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Resolve(t.Context(), a); code(err) != -32801 {
		t.Errorf("resolved after an edit: %v", err)
	}
	if err := e.Edit(file, 0, 1, ""); err != nil {
		t.Fatal(err)
	}
	a, err := e.Resolve(t.Context(), ask()[0])
	if err != nil || !strings.Contains(string(a.Edit), `"version":`) {
		t.Fatalf("%s, %v", a.Edit, err)
	}
	if after, err := e.Apply(a.Edit); err != nil || after[file] != repaired {
		t.Errorf("%q, %v", after, err)
	}
}

func TestActionsForClientsThatResolveNothingAndKnowPlainChanges(t *testing.T) {
	e, file, ask := broken(t, func(text, workspace, _ map[string]any) {
		delete(text["codeAction"].(map[string]any), "resolveSupport")
		delete(text["codeAction"].(map[string]any), "disabledSupport")
		delete(workspace, "workspaceEdit")
	})
	actions := ask("quickfix")
	if len(actions) != 2 || len(actions[0].Data) > 0 || !strings.Contains(string(actions[0].Edit), `"changes":`) {
		t.Fatalf("%s", titles(actions))
	}
	// The new file is an insertion into one that is not there: Emacs and Vim make it.
	if !strings.Contains(string(actions[1].Edit), "othr.md") || strings.Contains(string(actions[1].Edit), "documentChanges") {
		t.Errorf("%s", actions[1].Edit)
	}
	if after, err := e.Apply(actions[0].Edit); err != nil || after[file] != repaired {
		t.Errorf("%q, %v", after, err)
	}
	// Where it is not known what cannot be chosen now, it is not listed.
	if got := titles(ask("refactor")); strings.Contains(got, "Demote") || !strings.Contains(got, "Promote") {
		t.Errorf("%s", got)
	}
}

func TestKindsOfActionsAreATree(t *testing.T) {
	_, _, ask := broken(t, func(_, _, _ map[string]any) {})
	for only, want := range map[string]int{"quickfix": 2, "refactor.rewrite": 3, "refactor.rewrite.brv": 3,
		"refactor.rewrite.brv.x": 0, "source.fixAll": 1, "source.organizeImports": 0, "refactor.extract": 0} {
		if got := ask(only); len(got) != want {
			t.Errorf("%s: %s, want %d", only, titles(got), want)
		}
	}
}

// An answer is shown as a document, in a message where the editor cannot, and goes to who asked
// in any case.
func TestAnswerIsShown(t *testing.T) {
	for _, document := range []bool{true, false} {
		e, file, _ := broken(t, func(_, workspace, _ map[string]any) {
			if document {
				workspace["textDocumentContent"] = map[string]any{}
			}
		})
		e.Answer("window/showDocument", func(json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil })
		var result struct{ URI, Markdown string }
		request := map[string]any{"uri": lsptest.URI(file), "text": "What are tokens?", "show": true, "tierMax": 2}
		if err := e.Execute(t.Context(), "brv.query", request, &result); err != nil || !strings.HasPrefix(result.URI, "brv://answer/") {
			t.Fatalf("%+v, %v", result, err)
		}
		shown, told := e.Received("window/showDocument"), e.Received("window/showMessage")
		if !document {
			if len(shown) > 0 || len(told) != 1 || !strings.Contains(string(told[0].Params), "# What are tokens?") {
				t.Errorf("%v, %v", shown, told)
			}
			continue
		}
		text, err := content(t, e, result.URI)
		if err != nil || len(shown) != 1 || len(told) > 0 || !strings.HasPrefix(text, "# What are tokens?\n") ||
			!strings.Contains(text, strings.TrimSpace(result.Markdown)) {
			t.Errorf("%q, %v, %v, %v", text, err, shown, told)
		}
		for range 16 {
			if err := e.Execute(t.Context(), "brv.query", request, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := content(t, e, result.URI); code(err) != -32803 {
			t.Errorf("the seventeenth last answer: %v", err)
		}
	}
}

func TestReferencesAreShown(t *testing.T) {
	root := project(t)
	e, ctx := session(t, lsp.Options{Now: fixedNow}, lsptest.Session{Folders: []string{root}})
	e.Answer("window/showDocument", func(json.RawMessage) (any, error) { return map[string]bool{"success": true}, nil })
	show := func(path string) (found struct{ Locations []lsptest.Location }) {
		t.Helper()
		request := map[string]any{"uri": lsptest.URI(filepath.Join(root, path)), "show": true}
		if err := e.Execute(ctx, "brv.showReferences", request, &found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := show(tokens); len(found.Locations) != 1 || len(e.Received("window/showDocument")) != 1 {
		t.Errorf("%+v", found)
	}
	writeFile(t, filepath.Join(root, ".brv/context-tree/auth/jwt/third.md"), "See @auth/jwt/tokens.md.\n")
	if err := e.Execute(ctx, "brv.reindex", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() (bool, string) { return len(show(tokens).Locations) > 1, "the third entry is not read" })
	told := e.Received("window/showMessage")
	if len(told) == 0 || !strings.Contains(string(told[len(told)-1].Params), "auth/jwt/third.md:1") {
		t.Errorf("%v", told)
	}
	if found := show("plain.md"); len(found.Locations) > 0 {
		t.Errorf("%+v", found)
	}
}
