package markdown_test

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// TestTargetsOnTheLineBelow reads targets and titles that stand on the line below their link.
func TestTargetsOnTheLineBelow(t *testing.T) {
	for text, want := range map[string]string{
		"[r]:\n  a.md":                            "a.md",
		"[r]: \r\n  <a b.md>\r\n  \"title\"":      "a b.md",
		"[r]:\n[s]: b.md":                         "b.md",
		"[r]:\n\na.md":                            "",
		"[r]:\nsome text":                         "",
		"[r]:\n- a.md":                            "",
		"> [r]:\n> a.md":                          "a.md",
		"- [r]:\n  a.md":                          "a.md",
		"[x](\na.md) [y](b.md)":                   "a.md b.md",
		"[x](  \n  <a b.md>\n) [y](c.md)":         "c.md",
		"[x](\n<a b.md> 't')\n[y](c.md)":          "a b.md c.md",
		"[x](a.md\n\"title\") [y](b.md)":          "a.md b.md",
		"[x](\n\na.md)":                           "",
		"[x](\n# a.md)":                           "",
		"[x](a\nb.md)":                            "",
		"[x](<a\nb.md>)":                          "",
		"> [x](\n> a.md)":                         "a.md",
		"![p](\na.png)":                           "a.png",
		"`[x](\na.md)`":                           "",
		"<a href=a.md>x</a> <IMG SRC=a.png>":      "a.md a.png",
		"<a class=x HREF = 'a.md'>x</a>":          "a.md",
		"<img src=a.png width=10 height=2> b > c": "a.png",
		"<img alt=x src=a.png/>":                  "a.png/",
		"<Link href={to}>x</Link>":                "",
		"set src=a.png in the form":               "",
		"`<a href=a.md>`":                         "",
	} {
		got := ""
		for _, l := range markdown.Links(text, 0) {
			if l.Kind != markdown.LinkUse {
				got += " " + l.Target(text).Of(text)
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

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
