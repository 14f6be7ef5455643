package format

import (
	"strings"
	"testing"
)

// TestWhatEndsAMention: text that stands directly behind an entry's name is no part of it, and a placeholder is no name.
func TestWhatEndsAMention(t *testing.T) {
	for text, want := range map[string]string{
		"@d/t/b.md—it says":  "@d/t/b.md",
		"@d/t/b.md… so":      "@d/t/b.md",
		"“@d/t/b.md”":        "",
		"(@d/t/b.md)":        "@d/t/b.md",
		"@d/t/b.md\\":        "@d/t/b.md",
		"@d/t/b.md:12":       "@d/t/b.md",
		"@d/t/b.md?plain=1":  "@d/t/b.md",
		"@d/t/b.md#x-y":      "@d/t/b.md#x-y",
		"@d/t/b.md.":         "@d/t/b.md",
		"@d/t/b.md.bak":      "@d/t/b.md.bak",
		"@d/t/b.md/c.md":     "@d/t/b.md/c.md",
		"@src/a.go:10":       "@src/a.go",
		"@src/a.go:10-12,":   "@src/a.go",
		"@team:d/t/b.md, ok": "@team:d/t/b.md",
		"@d/t/<name>.md":     "",
		"@d/{t,u}/e":         "",
		"@d/t/*":             "",
		"@d/...":             "",
		"@d/t/":              "@d/t/",
	} {
		var got []string
		for _, m := range Parse("a/b/c.md", text).Relations {
			got = append(got, m.At.Of(text))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
