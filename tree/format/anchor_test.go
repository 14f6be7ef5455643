package format

import (
	"fmt"
	"strings"
	"testing"
)

// TestAnchors asks for the line, from 1, that each anchor of a text means; 0 for none.
func TestAnchors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# A\n\n## A\n\n## a!", "a=1 a-1=3 a-2=5 a-3=0 A=1"},
		{"Set up\n======\n\nThen\n----\n\ntext\n\n---\n- x\n===", "set-up=1 then=4 text=0 x=0"},
		{"## [Code of *Conduct*](https://x.example/a) &amp; [more][m]", "code-of-conduct--more=1"},
		{"## `testMatch` \\[array&lt;string&gt;]", "testmatch-arraystring=1"},
		{"## `--config=<path>`\n## `f(a[, b])`", "--configpath=1 fa-b=2"},
		{"## _Emphasis_ and snake_case __bold__ ~~gone~~", "emphasis-and-snake_case-bold-gone=1"},
		{"## ![logo](l.png) Name <small>1.0</small> <https://x.y/>", "-name-10-httpsxy=1 name-10-httpsxy=1"},
		{"## Deploy {#now}\n## Build { #b .c }\n## 1.2 <small>x</small> { id=\"1.2\" }\n## Old {: #o }\n## New {/* #n */}", "now=1 b=2 1.2=3 o=4 n=5"},
		{"> ## In a quote\n\n- ## In an item\n\n   ## Indented\n\n1. x\n\n   Under\n   -----", "in-a-quote=1 in-an-item=3 indented=5 under=9"},
		{"<h2 align=\"center\">In HTML</h2>\n\n<a id=\"here\"></a>\n\n## Below\n\ntext <a name='there'>x</a> `<a id=\"code\">`", "in-html=1 here=5 there=7 code=0"},
		{"text\n{: #attr }\n\n```html\n<a id=\"fence\">\n```\n<!-- <a id=\"comment\"> -->", "attr=2 fence=0 comment=0"},
		{"## a #b\n## été\n## 日本 語\n## 🚀 Go", "a-b=1 %C3%A9t%C3%A9=2 日本-語=3 -go=4 go=4"},
	} {
		anchors := Parse("a/b/c.md", c.text).Anchors()
		var got []string
		for _, word := range strings.Fields(c.want) {
			anchor, _, _ := strings.Cut(word, "=")
			line := 0
			if at, ok := anchors.Place(anchor); ok {
				line = 1 + strings.Count(c.text[:at], "\n")
			}
			got = append(got, fmt.Sprintf("%s=%d", anchor, line))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.text, s, c.want)
		}
	}
}

// TestLinksOverLines reads links whose text goes on in the next line of a paragraph.
func TestLinksOverLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"see [a\nb](x.md) and [c](y.md)", "x.md y.md"},
		{"> see [a\n> b](x.md#h)", "x.md"},
		{"see [a\nb\nc](<x y.md>)", "x y.md"},
		{"see [a\n\nb](x.md)", ""},
		{"see [a] b\nb](x.md)", ""},
		{"[a\n```\nb](x.md)\n```\nc](y.md)", ""},
		{"[a\n`b](x.md)`", ""},
	} {
		var got []string
		for _, r := range Parse("a/b/c.md", c.text).Relations {
			got = append(got, r.Raw)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q: got %q, want %q", c.text, s, c.want)
		}
	}
}
