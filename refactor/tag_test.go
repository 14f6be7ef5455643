package refactor_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/refactor"
)

// TestRenameTagInEveryStyle renames the tag Auth in lists in which it is written in several ways.
func TestRenameTagInEveryStyle(t *testing.T) {
	for _, c := range []struct{ tags, to, want string }{
		{"tags: [Auth, x]", "Sec", "tags: [Sec, x]"},
		{"tags: [Auth, 'Auth', x]", "a: b", "tags: ['a: b', x]"},
		{"tags:\n  - 'Auth'\n  - Auth # c", "a: b", "tags:\n  - 'a: b'"},
		{"tags:\n  - Auth # c\n  - x", "a: b", "tags:\n  - 'a: b' # c\n  - x"},
		{"tags:\n  - Auth # c\n  - x", "a, b", "tags:\n  - 'a, b' # c\n  - x"},
		{"tags:\n  - \"Auth\" # c\n  - x", `say "a"`, "tags:\n  - \"say \\\"a\\\"\" # c\n  - x"},
		{"tags: ['Auth', x]", "it's", "tags: ['it''s', x]"},
		{"tags: ['#Auth', x]", "a: b", "tags: ['#a: b', x]"},
		{"tags: ['#Auth', x]", "Sec", "tags: ['#Sec', x]"},
		{"tags: [x, Auth, '#Auth']", "Sec", "tags: [x, Sec]"},
		{"tags: [x, '#auth', AUTH]", "Sec", "tags: [x, '#Sec']"},
		{"tags: [auth, Auth, AUTH]", "{x}", "tags: ['{x}']"},
		{"tags: [auth, Sec]", "sec", "tags: [sec]"},
		{"tags: [sec, auth]", "Sec", "tags: [sec]"},
		{"tags: [auth, x]", "#Sec", "tags: [Sec, x]"},
		{"tags: [Auth, x]", "true", "tags: ['true', x]"},
		{"tags: [Auth, x]", "2024", "tags: ['2024', x]"},
		{"tags: [Auth, x]", "größe 🚀", "tags: [größe 🚀, x]"},
		{"tags: [Auth, x]", "- y", "tags: ['- y', x]"},
		{"tags: Auth", "a: b", "tags: 'a: b'"},
		{"tags: [Auth]", "auth", "tags: [auth]"},
		{"tags:\n- Auth\n- x", "a: b", "tags:\n- 'a: b'\n- x"},
		{"tags:\n- Auth\n- \"Auth\"\n- '#Auth'", "Sec", "tags:\n- Sec"},
		{"tags:\n- x\n- Auth\n# why\n- auth", "Sec", "tags:\n- x\n- Sec\n# why"},
		{"tags: [\n  Auth,\n  auth,\n  x\n]", "Sec", "tags: [\n  Sec,\n  x\n]"},
		{"tags: [\n  Auth, # c\n  x\n]", "Sec", "tags: [\n  Sec, # c\n  x\n]"},
		{"tags: ['Auth', \"auth\", AUTH] # c", "Sec", "tags: [Sec] # c"},
		{"tags:   [ Auth , auth ]", "Sec", "tags:   [ Sec ]"},
		{"tags: [Auth/jwt, Auth]", "Sec", "tags: [Auth/jwt, Sec]"},
		{"tags: [authentication, Auth]", "Sec", "tags: [authentication, Sec]"},
		{"tags: [Auth, sec, auth, SEC]", "Sec", "tags: [Sec]"},
		{"tags: [x]\nkeywords: [Auth, auth]", "Sec", "tags: [x]\nkeywords: [Auth, auth]"},
		{"tags: [Auth, Auth]", "null", "tags: ['null']"},
		{"tags:\n  - Auth\n  -   auth   # c\n  - y", "it's", "tags:\n  - it's\n  - y"},
		{"tags: [Auth]", "日本 語", "tags: [日本 語]"},
	} {
		entries := map[string]string{
			"a/b/asks.md": "---\ntags: [Auth]\n---\nx\n", "a/b/x.md": "---\ntitle: X\n" + c.tags + "\n---\nx\n",
		}
		p := project(entries)
		s, ok, err := refactor.SubjectAt(p, p.FilePath("a/b/asks.md"), strings.Index(entries["a/b/asks.md"], "Auth"))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		change, err := s.Rename(c.to)
		if err != nil {
			t.Errorf("%s to %s: %v", c.tags, c.to, err)
			continue
		}
		after, _ := applied(t, entries, change)
		if want := "---\ntitle: X\n" + c.want + "\n---\nx\n"; after["a/b/x.md"] != want {
			t.Errorf("%s to %s: got %q", c.tags, c.to, after["a/b/x.md"])
		}
	}
}
