package complete

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
)

func TestComplete(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	for _, c := range []struct{ name, text, want string }{
		{"domains", "x @«»", ""},
		{"at", "see @a«»", "auth/ entry:auth/jwt/tokens.md entry:auth/jwt/rotation.md"},
		{"folder", "see @auth/jwt/«»", "entry:auth/jwt/rotation.md entry:auth/jwt/tokens.md"},
		{"by title", "see @refresh«»", "entry:auth/jwt/rotation.md"},
		{"in a word", "mail@a«»", ""},
		{"related", "---\nrelated: [auth/jwt/r«»]\n---\n", "entry:auth/jwt/rotation.md"},
		{"related item", "---\nrelated:\n  - auth/jwt/to«»\n---\n", "entry:auth/jwt/tokens.md"},
		{"value", "---\nmaturity: «»\n---\n", "value:draft value:validated value:core"},
		{"keys", "---\ntitle: x\nsum«»\n---\n", "key:summary"},
	} {
		t.Run(c.name, func(t *testing.T) {
			offset := strings.Index(c.text, "«»")
			p := ".brv/context-tree/new/topic/x.md"
			w.Overlay(p, strings.Replace(c.text, "«»", "", 1))
			items := At(t.Context(), w.View(), p, offset)
			var got []string
			for _, i := range items {
				if i.Kind == "key" && i.Label != "summary" {
					continue // the client filters keys by what is typed
				}
				if i.Kind == "domain" || i.Kind == "topic" {
					got = append(got, i.Label)
				} else {
					got = append(got, i.Kind+":"+i.Label)
				}
			}
			if s := strings.Join(got, " "); c.want != "" && s != c.want || c.want == "" && c.name != "domains" && s != "" {
				t.Errorf("got %s, want %s", s, c.want)
			}
			if c.name == "domains" && !strings.Contains(strings.Join(got, " "), "auth/") {
				t.Errorf("an @ alone offers %v", got)
			}
		})
	}
}
