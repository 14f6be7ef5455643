package refactor_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestFixesOfMarks(t *testing.T) {
	entries := map[string]string{
		"auth/jwt/tokens.md": "# Tokens\n", "auth/jwt/keys.md": "# Keys\n", "auth/session/context.md": "# Sessions\n",
		"auth/session/limits.md": "# Limits\n",
		"web/a b/home page.md":   "# Home page\n", "web/x/(group).md": "# Group\n", "db/pool/size_max.md": "# One\n",
		"db/pool/size-max.md": "# Two\n",
	}
	p := project(entries)
	for _, c := range []struct{ raw, want string }{
		{"auth/jwt/token", "*Change the comment to @brv:auth/jwt/tokens; Create missing entry auth/jwt/token.md"},
		{"auth/jwt/token.md", "*Change the comment to @brv:auth/jwt/tokens.md; Create missing entry auth/jwt/token.md"},
		{"auth/sesion", "*Change the comment to @brv:auth/session; -Create missing entry auth/sesion"},
		{"web/a_b/home-pages", "*Change the comment to @brv:web/a_b/home_page; Create missing entry web/a b/home_pages.md"},
		{"web/x/group", "Create missing entry web/x/group.md"}, // no mark holds the brackets
		{"zzz/qqqq/vvvv", "Create missing entry zzz/qqqq/vvvv.md"},
		{"db/pool/SIZE-MAX", "Change the comment to @brv:db/pool/size-max; Change the comment to @brv:db/pool/size_max"},
		{"../auth/jwt/tokens", "*Change the comment to @brv:auth/jwt/tokens; Change the comment to @brv:auth/jwt/keys"},
		{"./../../etc/passwd", ""},
	} {
		text := "// See @brv:" + c.raw + ".\nfunc f() {}\n"
		r := tree.Relation{Mention: format.Mention{Form: format.FormAt, Raw: c.raw,
			At: markdown.Span{Start: 7, End: 12 + len(c.raw)}}, Resolution: p.Tree.Resolve("", format.FormAt, c.raw)}
		fixes := refactor.MarkRepairs(p, "src/f.go", text, r)
		if got := spelled(fixes); got != c.want {
			t.Errorf("%s: %s; want %s", c.raw, got, c.want)
		}
		for _, f := range fixes {
			if f.Disabled != "" {
				continue
			}
			change, err := f.Plan()
			if err != nil || len(change.Files) != 1 {
				t.Errorf("%s: %+v, %v", c.raw, change, err)
				continue
			}
			file, after, said := change.Files[0], p.Tree, c.raw
			if file.Create {
				after = after.With(strings.TrimPrefix(file.Path, tree.FromProject), file.Text)
			} else {
				now := markdown.ApplyEdits(text, file.Edits)
				said = strings.TrimSuffix(strings.TrimPrefix(now, "// See @brv:"), ".\nfunc f() {}\n")
			}
			if meant, _, reason := after.Meant(said); len(meant) != 1 {
				t.Errorf("%s: after %s it means %v: %s", c.raw, f.Title, meant, reason)
			}
		}
	}
}
