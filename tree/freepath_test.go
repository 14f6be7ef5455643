package tree

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestTwinsAndKinds(t *testing.T) {
	s := treeOf("auth/jwt/Tokens.md", "auth/jwt/cafe\u0301.md", "auth/_index.md", "auth/jwt/deep/x.md", "Straße/a/b.md",
		"σίσυφος/a/b.md")
	for p, want := range map[string]string{
		"auth/jwt/tokens.md":    "auth/jwt/Tokens.md",
		"auth/jwt/Tokens.md":    "",
		"auth/jwt/tokens_2.md":  "",
		"auth/jwt/caf\u00e9.md": "auth/jwt/cafe\u0301.md",
		"Auth/JWT":              "auth/jwt",
		"auth/JWT/deep/X.md":    "auth/jwt/deep/x.md",
		"STRASSE/a/b.md":        "",
		"ΣΊΣΥΦΟΣ":               "σίσυφος",
		"auth-jwt":              "",
	} {
		if got, _ := s.Twin(p); got != want {
			t.Errorf("Twin(%q) = %q, want %q", p, got, want)
		}
	}
	for p, want := range map[string]format.Kind{"": 0, "auth": format.KindDomain, "auth/jwt": format.KindTopic,
		"auth/jwt/deep": format.KindSubtopic, "auth/jwt/Tokens.md": format.KindContext, "auth/_index.md": format.KindSummary, "no": 0} {
		if got, ok := s.KindOf(p); got != want || ok != (want != 0) {
			t.Errorf("KindOf(%q) = %v, %v", p, got, ok)
		}
	}
}

func treeOf(paths ...string) *Snapshot {
	var entries []*format.Entry
	for _, p := range paths {
		entries = append(entries, format.Parse(p, ""))
	}
	return NewSnapshot(entries, nil)
}

func TestFreePath(t *testing.T) {
	long := strings.Repeat("x", 130)
	s := treeOf("a/b/One.md", "a/b/one_2.md", "a/b/sub/x.md", "a/b/"+long[:120]+".md")
	s = s.Replace(nil, []Skipped{{Path: "a/b/Binary.md", Reason: "binary"}})
	for title, want := range map[string]string{
		"New":    "a/b/new.md",
		"one":    "a/b/one_3.md",
		"sub":    "a/b/sub_2.md", // a relation a/b/sub means the folder
		"binary": "a/b/binary_2.md",
		long:     "a/b/" + long[:118] + "_2.md",
	} {
		if got := s.FreePath("a/b", title); got != want {
			t.Errorf("FreePath(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestPathProblems(t *testing.T) {
	s := treeOf("a/b/c.md", "a/b/C.md", "a/b/c/d/e.md", "a/b/c/d/context.md", "_archived/a/b/c/d/e.stub.md", "a/b/con.md",
		"a:b/c/x.md", "a/b/dot..md")
	for p, want := range map[string]string{
		"a/b/c.md": format.CodeTwin, "a/b/C.md": format.CodeTwin, "a/b/c/d/e.md": format.CodeTooDeep,
		"a/b/c/d/context.md":          format.CodeTooDeep,
		"_archived/a/b/c/d/e.stub.md": "", "a/b/con.md": format.CodeName, "a:b/c/x.md": format.CodeName, "a/b/dot..md": format.CodeName,
	} {
		got := ""
		for _, problem := range s.Problems(p) {
			if problem.Code == format.CodeOrphan {
				continue
			}
			got += problem.Code
			if problem.At != (markdown.Span{}) {
				t.Errorf("%s: the problem stands at %v", p, problem.At)
			}
		}
		if got != want {
			t.Errorf("%s: problems %q, want %q", p, got, want)
		}
	}
}

// TestRelationsFindDecomposedNames: macOS writes file names decomposed.
func TestRelationsFindDecomposedNames(t *testing.T) {
	s := NewSnapshot([]*format.Entry{format.Parse("a/b/cafe\u0301.md", ""), format.Parse("a/b/x.md", "@a/b/caf\u00e9.md [[CAFÉ]]")}, nil)
	for _, r := range s.Relations("a/b/x.md") {
		if r.Target != "a/b/cafe\u0301.md" {
			t.Errorf("%s leads to %q", r.Raw, r.Target)
		}
	}
	if n := len(s.Backlinks("a/b/cafe\u0301.md")); n != 2 {
		t.Errorf("%d backlinks, want 2", n)
	}
}

func FuzzPathRules(f *testing.F) {
	for _, s := range []string{"signJWT helper", "設計", "con", "a/b", "Cafe\u0301", "\u0301x", "हिन्दी", "İ", "ﬁ", "\u1E9E", "\xff",
		strings.Repeat("ǆ", 70), "_index", "com1 x", "A\u030A"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug := format.Slug(s)
		if err := format.CheckName(slug); err != nil {
			t.Fatalf("Slug(%q): %v", s, err)
		}
		if again := format.Slug(slug); again != slug {
			t.Fatalf("Slug(%q) = %q, of which the slug is %q", s, slug, again)
		}
		if !utf8.ValidString(slug) || !norm.NFC.IsNormalString(slug) {
			t.Fatalf("Slug(%q) = %q", s, slug)
		}
		if format.Fold(s) != format.Fold(format.Fold(s)) {
			t.Fatalf("fold(%q) = %q, of which it makes %q", s, format.Fold(s), format.Fold(format.Fold(s)))
		}
		if utf8.ValidString(s) && format.Fold(norm.NFD.String(s)) != format.Fold(s) {
			t.Fatalf("%q and its decomposed form differ", s)
		}
		if format.CheckName(s) != nil || format.CheckFolderPath(s) != nil {
			return
		}
		p := "d/t/" + s + ".md"
		if err := format.CheckEntryPath(p); err != nil {
			t.Fatal(err)
		}
		snap := NewSnapshot([]*format.Entry{format.Parse(p, "")}, nil)
		if problems := snap.Problems(p); len(problems) > 0 {
			t.Fatalf("%q is a good name with problems: %v", s, problems)
		}
		if r := snap.Resolve("x/y/z.md", format.FormRelated, strings.TrimSuffix(p, ".md")); r.Target != p {
			t.Fatalf("the name %q is good, but no relation can carry it", s)
		}
	})
}
