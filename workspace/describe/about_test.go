package describe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

// about asks at the first occurrence of a word.
func about(t *testing.T, w *workspace.Workspace, p, word string) *Info {
	t.Helper()
	v := w.View()
	text, ok := v.Text(p)
	if !ok {
		t.Fatalf("no text of %s", p)
	}
	a, err := Place(t.Context(), v, Request{Path: p, Offset: strings.Index(text, word) + 1})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAbout(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, word, want string }{
		{"relation", workspacetest.TokensPath, "auth/jwt/rotation", `relation "auth/jwt/rotation.md": Refresh rotation`},
		{"broken relation", workspacetest.TokensPath, "auth/jwt/gone",
			`relation "auth/jwt/gone.md" relation to auth/jwt/gone.md: no such entry in the context tree`},
		{"key", workspacetest.TokensPath, "importance", `field "importance" 62 when updated, 56 today`},
		{"listed file", workspacetest.TokensPath, "src/sign.go", `file "src/sign.go" src/sign.go:0`},
		{"named symbol", workspacetest.TokensPath, "SignToken", `code "SignToken" src/sign.go:4 func SignToken(user string) string`},
		{"prose", workspacetest.TokensPath, "RS256", "nothing"},
		{"symbol where it is defined", "src/sign.go", "SignToken(", `code "SignToken": Access tokens`},
		{"symbol where it is used", "src/use.go", "SignToken", `code "SignToken": Access tokens`},
		{"other name", "src/use.go", "err", "nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := summary(about(t, w, c.path, c.word)); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// summary is one line of what a hover would show.
func summary(a *Info) string {
	if a == nil {
		return "nothing"
	}
	s := fmt.Sprintf("%s %q", a.Kind, a.Name)
	for _, e := range a.Entries {
		s += ": " + e.Title
	}
	if a.Field != nil {
		s += " " + a.Field.Value
	}
	if a.Code != nil {
		s += fmt.Sprintf(" %s:%d %s", a.Code.Path, a.Code.Line, a.Code.Signature)
	}
	return strings.TrimSpace(s + " " + a.Problem)
}
