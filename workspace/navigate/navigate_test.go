package navigate

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestDefinitionAndReferences(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	v := w.View()
	rotation := ".brv/context-tree/auth/jwt/rotation.md"
	show := func(ts []Target) string {
		var out []string
		for _, x := range ts {
			out = append(out, fmt.Sprintf("%s %q", filepath.Base(x.Path), x.At.Of(x.Text)))
		}
		return strings.Join(out, "; ")
	}
	at := func(p, word string) int {
		text, _ := v.Text(p)
		return strings.Index(text, word) + 1
	}
	ctx := t.Context()
	for _, c := range []struct{ name, got, want string }{
		{"heading", show(Definition(ctx, v, rotation, at(rotation, "@auth"))), `tokens.md "## Facts"`},
		{"title", show(Definition(ctx, v, workspacetest.TokensPath, at(workspacetest.TokensPath, "auth/jwt/rot"))),
			`rotation.md "Refresh rotation"`},
		{"broken", show(Definition(ctx, v, workspacetest.TokensPath, at(workspacetest.TokensPath, "auth/jwt/gone"))), ""},
		{"symbol", show(Definition(ctx, v, workspacetest.TokensPath, at(workspacetest.TokensPath, "SignToken"))), `sign.go "SignToken"`},
		{"code stays with its own server", show(Definition(ctx, v, "src/use.go", at("src/use.go", "SignToken"))), ""},
		{"references on a relation", show(References(ctx, v, workspacetest.TokensPath, at(workspacetest.TokensPath, "auth/jwt/rot"),
			true)), `rotation.md "Refresh rotation"; tokens.md "auth/jwt/rotation.md"`},
		{"references on the title", show(References(ctx, v, workspacetest.TokensPath, at(workspacetest.TokensPath, "Access"), false)),
			`rotation.md "@auth/jwt/tokens.md#Facts"`},
		{"references in code", show(References(ctx, v, "src/use.go", at("src/use.go", "SignToken"), false)), `tokens.md "SignToken"`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}
