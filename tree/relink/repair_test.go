package relink

import (
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Each relation is respelt in its own form, and leads where it should then.
func TestRespell(t *testing.T) {
	home := "---\nrelated: [auth/jwt/tokns.md, '@auth/jwt/tokns', \"no\"]\n---\nSee @auth/jwt/tokns.md#Part, @./auth/JWT/tokns " +
		"and [[auth/jwt/tokns|x]] 😀 @../out/x.md.\n"
	s := tree.NewSnapshot([]*format.Entry{format.Parse("web/a/home.md", home), format.Parse("auth/jwt/tokens.md", "# T\n"),
		format.Parse("auth/jwt/with space.md", "# S\n")}, nil)
	e, _ := s.Entry("web/a/home.md")
	for _, target := range []string{"auth/jwt/tokens.md", "auth/jwt/with space.md"} {
		for _, r := range s.Relations(e.Path) {
			ed, ok := Respell(s, e.Path, r, target)
			if !ok {
				t.Errorf("%s: cannot lead to %s", r.At.Of(home), target)
				continue
			}
			now := s.With(e.Path, markdown.ApplyEdits(home, []markdown.Edit{ed}))
			n := 0
			for _, after := range now.Relations(e.Path) {
				if after.Target == target && after.Form == r.Form && after.Heading == r.Heading {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s -> %s: %d relations lead there", r.At.Of(home), ed.New, n)
			}
		}
	}
	if _, ok := Respell(s, "no/such/entry.md", tree.Relation{}, "auth/jwt/tokens.md"); ok {
		t.Error("an entry that is not there")
	}
}

// A missing entry gets a legal path in the folders that are there, by which the relation
// leads to it.
func TestMissing(t *testing.T) {
	s := tree.NewSnapshot([]*format.Entry{format.Parse("auth/session-store/a.md", ""), format.Parse("web/a/home.md", "")}, nil)
	for raw, want := range map[string]string{
		"auth/session_store/Expiry-Rules.md": "auth/session-store/expiry_rules.md",
		"New/Topic/x":                        "new/topic/x.md",
		"x/y/z/w.md":                         "x/y/z/w.md",
		"x/y.md":                             "",
		"x/y/z/w/v.md":                       "",
		"../x/y/z.md":                        "",
		"/etc/x/passwd.md":                   "",
		"a/b/_index.md":                      "",
		"a/con/nul.md":                       "",
		"a/b/.hidden.md":                     "",
		"auth/session-store/a.md":            "",
	} {
		r := tree.Relation{Mention: format.Mention{Form: format.FormAt, Raw: raw},
			Resolution: s.Resolve("web/a/home.md", format.FormAt, raw)}
		got, err := Missing(s, "web/a/home.md", r)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", raw, got, err, want)
		}
		if want != "" && s.With(got, "").Resolve("web/a/home.md", format.FormAt, raw).Target != got {
			t.Errorf("%s: the relation does not lead to %s", raw, got)
		}
	}
}

func TestInvisibleFindsAllOfALine(t *testing.T) {
	e := format.Parse("a/b/c.md", "x\u200by\u200bz\n👩\u200d👩 ok\n")
	if got := format.Invisible(e.Text); len(got) != 2 || got[0].Of(e.Text) != "\u200b" || got[1].Start != 5 {
		t.Errorf("%v", got)
	}
}
