package markdown_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// TestCodeAndCommentsOverLines reads what stands in code and comments of several lines as no link.
func TestCodeAndCommentsOverLines(t *testing.T) {
	for text, want := range map[string]string{
		"`a\n[x](no.md)` [y](yes.md)":                            "yes.md",
		"a ``b ` c\n[x](no.md)`` [y](yes.md)":                    "yes.md",
		"- b <!-- note:\n  [x](no.md) --> [y](yes.md)":           "yes.md",
		"a ` b\n\n[x](yes.md) `":                                 "yes.md",
		"a ` b\n- [x](yes.md) `":                                 "yes.md",
		"a `b` <!-- c --> ` d\ne\nf\ng\n[x](no.md)` [y](yes.md)": "yes.md",
		"a ` b\nc\nd\ne\nf\n[x](yes.md)":                         "yes.md",
		"> a `b\n> [x](no.md)` [y](yes.md)":                      "yes.md",
		"a `<!--` b\n[x](yes.md) -->":                            "yes.md",
		"``` a\n[x](no.md)\n```\n[y](yes.md)":                    "yes.md",
		"a <!-- `b\n--> [y](yes.md) `":                           "yes.md",
	} {
		text = markdown.Said(text, 0)
		var in markdown.Inline
		var got []string
		for l := range markdown.Lines(text) {
			found, s := in.Links(text, l)
			if len(s) != len(l.At.Of(text)) {
				t.Errorf("%q: %q is longer or shorter than its line", text, s)
			}
			for _, f := range found {
				got = append(got, f.Target(text).Of(text))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
