package tree

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"signJWT helper":                    "sign_jwt_helper",
		"JWT: Token Generation (v2)":        "jwt_token_generation_v2",
		"  --  ":                            "entry",
		"":                                  "entry",
		"設計":                                "設計",
		"Cafe\u0301 Öl":                     "café_öl",
		"हिन्दी भाषा":                       "हिन्दी_भाषा",
		"CON":                               "entry_con",
		"lpt1":                              "entry_lpt1",
		"context":                           "entry_context",
		"Index":                             "entry_index",
		"_archived":                         "archived",
		"a/b\\c:d":                          "a_b_c_d",
		"retry — budget\u200bs":             "retry_budget_s",
		"İstanbul":                          "istanbul",
		strings.Repeat("word ", 40):         strings.Repeat("word_", 24)[:119],
		strings.Repeat("設計", 40):            strings.Repeat("設計", 20),
		strings.Repeat("x", 119) + " y z":   strings.Repeat("x", 119),
		strings.Repeat("x", 120) + "\u0301": strings.Repeat("x", 120),
	} {
		if got := Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"jwt", "jwt-tokens", "設計", "café", "My Notes", "v1.2", "it's", "console", "com10", "a_b", "INDEX", strings.Repeat("x", 120)} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", ".git", "a/b", "a\\b", "a:b", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "a.", "a ", " a", "con", "CON", "nul.txt", "aux .x", "com1", "LPT9", "com¹", "conin$",
		"context", "Context", "_index", "_manifest", "_archived", "x.md", "x.stub", "x.full", "x.abstract", "x.overview",
		"a\x00b", "a\nb", "a\u200bb", "a\u202eb", "a\u00a0b", "\u2028", "cafe\u0301", "a\xff", "a#b", "100%", "~a", "@a", strings.Repeat("x", 121),
	} {
		if err := CheckName(bad); err == nil {
			t.Errorf("%q is taken for good", bad)
		}
	}
}

func TestCheckPaths(t *testing.T) {
	for p, want := range map[string][2]bool{ // good for an entry, for a folder
		"a": {false, true}, "a/b": {false, true}, "a/b/c": {false, true}, "a/b/c/d": {false, false},
		"a.md": {false, false}, "a/b.md": {false, false}, "a/b/c.md": {true, false}, "a/b/c/d.md": {true, false}, "a/b/c/d/e.md": {false, false},
		"": {}, "/a/b/c.md": {}, "a//c.md": {}, "a/b/": {}, "../b/c.md": {}, "a/b/context.md": {}, "_archived/b/c.md": {}, "a/con/c.md": {}, "a/b/.md": {}, "設計/b/c.md": {true, false},
	} {
		if err := CheckEntryPath(p); (err == nil) != want[0] {
			t.Errorf("entry %q: %v", p, err)
		}
		if err := CheckFolderPath(p); (err == nil) != want[1] {
			t.Errorf("folder %q: %v", p, err)
		}
	}
}

func TestTwinsAndKinds(t *testing.T) {
	s := treeOf("auth/jwt/Tokens.md", "auth/jwt/cafe\u0301.md", "auth/_index.md", "auth/jwt/deep/x.md", "Straße/a/b.md", "σίσυφος/a/b.md")
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
	for p, want := range map[string]Kind{"": 0, "auth": KindDomain, "auth/jwt": KindTopic, "auth/jwt/deep": KindSubtopic, "auth/jwt/Tokens.md": KindContext, "auth/_index.md": KindSummary, "no": 0} {
		if got, ok := s.KindOf(p); got != want || ok != (want != 0) {
			t.Errorf("KindOf(%q) = %v, %v", p, got, ok)
		}
	}
}

func treeOf(paths ...string) *Snapshot {
	var entries []*Entry
	for _, p := range paths {
		entries = append(entries, Parse(p, ""))
	}
	return NewSnapshot(entries, nil)
}

func TestFreePath(t *testing.T) {
	long := strings.Repeat("x", 130)
	s := treeOf("a/b/One.md", "a/b/one_2.md", "a/b/sub/x.md", "a/b/"+long[:120]+".md")
	s = s.update(nil, []Skipped{{"a/b/Binary.md", "binary"}})
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
	s := treeOf("a/b/c.md", "a/b/C.md", "a/b/c/d/e.md", "a/b/c/d/context.md", "_archived/a/b/c/d/e.stub.md", "a/b/con.md", "a:b/c/x.md", "a/b/dot..md")
	for p, want := range map[string]string{
		"a/b/c.md": CodeTwin, "a/b/C.md": CodeTwin, "a/b/c/d/e.md": CodeTooDeep, "a/b/c/d/context.md": CodeTooDeep,
		"_archived/a/b/c/d/e.stub.md": "", "a/b/con.md": CodeName, "a:b/c/x.md": CodeName, "a/b/dot..md": CodeName,
	} {
		got := ""
		for _, problem := range s.Problems(p) {
			if problem.Code == CodeOrphan {
				continue
			}
			got += problem.Code
			if problem.At != (Span{}) {
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
	s := NewSnapshot([]*Entry{Parse("a/b/cafe\u0301.md", ""), Parse("a/b/x.md", "@a/b/caf\u00e9.md [[CAFÉ]]")}, nil)
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
	for _, s := range []string{"signJWT helper", "設計", "con", "a/b", "Cafe\u0301", "\u0301x", "हिन्दी", "İ", "ﬁ", "\u1E9E", "\xff", strings.Repeat("ǆ", 70), "_index", "com1 x", "A\u030A"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug := Slug(s)
		if err := CheckName(slug); err != nil {
			t.Fatalf("Slug(%q): %v", s, err)
		}
		if again := Slug(slug); again != slug {
			t.Fatalf("Slug(%q) = %q, of which the slug is %q", s, slug, again)
		}
		if !utf8.ValidString(slug) || !norm.NFC.IsNormalString(slug) {
			t.Fatalf("Slug(%q) = %q", s, slug)
		}
		if fold(s) != fold(fold(s)) {
			t.Fatalf("fold(%q) = %q, of which it makes %q", s, fold(s), fold(fold(s)))
		}
		if utf8.ValidString(s) && fold(norm.NFD.String(s)) != fold(s) {
			t.Fatalf("%q and its decomposed form differ", s)
		}
		if CheckName(s) != nil || CheckFolderPath(s) != nil {
			return
		}
		p := "d/t/" + s + ".md"
		if err := CheckEntryPath(p); err != nil {
			t.Fatal(err)
		}
		snap := NewSnapshot([]*Entry{Parse(p, "")}, nil)
		if problems := snap.Problems(p); len(problems) > 0 {
			t.Fatalf("%q is a good name with problems: %v", s, problems)
		}
		if r := snap.Resolve("x/y/z.md", FormRelated, strings.TrimSuffix(p, ".md")); r.Target != p {
			t.Fatalf("the name %q is good, but no relation can carry it", s)
		}
	})
}
