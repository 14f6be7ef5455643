package format

import (
	"strings"
	"testing"
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
	for _, good := range []string{"jwt", "jwt-tokens", "設計", "café", "My Notes", "v1.2", "it's", "console", "com10", "a_b", "INDEX",
		strings.Repeat("x", 120)} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", ".git", "a/b", "a\\b", "a:b", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "a.", "a ", " a", "con", "CON",
		"nul.txt", "aux .x", "com1", "LPT9", "com¹", "conin$",
		"context", "Context", "_index", "_manifest", "_archived", "x.md", "x.stub", "x.full", "x.abstract", "x.overview",
		"a\x00b", "a\nb", "a\u200bb", "a\u202eb", "a\u00a0b", "\u2028", "cafe\u0301", "a\xff", "a#b", "100%", "~a", "@a",
		strings.Repeat("x", 121),
	} {
		if err := CheckName(bad); err == nil {
			t.Errorf("%q is taken for good", bad)
		}
	}
}

func TestCheckPaths(t *testing.T) {
	for p, want := range map[string][2]bool{ // good for an entry, for a folder
		"a": {false, true}, "a/b": {false, true}, "a/b/c": {false, true}, "a/b/c/d": {false, false},
		"a.md": {false, false}, "a/b.md": {false, false}, "a/b/c.md": {true, false}, "a/b/c/d.md": {true, false},
		"a/b/c/d/e.md": {false, false},
		"":             {}, "/a/b/c.md": {}, "a//c.md": {}, "a/b/": {}, "../b/c.md": {}, "a/b/context.md": {}, "_archived/b/c.md": {},
		"a/con/c.md": {}, "a/b/.md": {}, "設計/b/c.md": {true, false},
	} {
		if err := CheckEntryPath(p); (err == nil) != want[0] {
			t.Errorf("entry %q: %v", p, err)
		}
		if err := CheckFolderPath(p); (err == nil) != want[1] {
			t.Errorf("folder %q: %v", p, err)
		}
	}
}
