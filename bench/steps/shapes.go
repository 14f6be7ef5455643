package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// shape makes texts of any length that are alike: open again and again, then close as often.
type shape struct{ head, open, close string }

func (s shape) String() string { return fmt.Sprintf("%q %q %q", s.head, s.open, s.close) }

// text returns about n bytes.
func (s shape) text(n int) string {
	k := max(n-len(s.head), 0) / max(len(s.open)+len(s.close), 1)
	return s.head + strings.Repeat(s.open, k) + strings.Repeat(s.close, k)
}

// known are shapes that cost most in some reader at some time, or that such readers are known for.
var known = []shape{
	{"", "a.", ""}, {"", "a/", ""}, {"", "a::", ""}, {"", "aB", ""}, {"", "a_", ""}, {"", "a'", ""}, {"", "a", ""}, {"", "漢", ""},
	{"", "a b ", ""},
	{"", "[", "]"}, {"", "[", "](x)"}, {"", "![a](", ")"}, {"", "[[a", "]]"}, {"", "<a ", ">"}, {"", "<!--", ""}, {"", "<", ""},
	{"", "(", ")"},
	{"", "`", ""}, {"", "` `` ", ""}, {"", "```\n", ""}, {"", "~~~\n", ""}, {"", "*a", ""}, {"", "**", "**"}, {"", "_a_ ", ""},
	{"", "> ", ""}, {"", "- ", ""}, {"", "# a\n", ""}, {"", "## a\n\nb\n", ""}, {"", "  - a\n", ""}, {"", "a\n===\n", ""},
	{"", "- **a**: b [c]\n", ""},
	{"", "| a ", ""}, {"", "|-", "|\n"}, {"", "\n", ""}, {"", "\r\n", ""}, {"", " ", ""}, {"", "\t", ""}, {"", "\\", ""},
	{"", "\"", ""}, {"", "'", ""},
	{"", "{", "}"}, {"", "[{\"a\":", "}]"}, {"{\"a\":\"", "a", ""}, {"", "//", ""}, {"", "/*", "*/"}, {"", "a: ", ""},
	{"", "a: b\n", ""},
	{"---\n", "a: {", "}"}, {"---\n", "- ", ""}, {"---\n", "a: &a *a\n", ""}, {"---\n", "k: v\n", ""}, {"---\nrelated: [", "a,", ""},
	{"", "@a/b/c.md ", ""}, {"", "@", ""}, {"", "http://a.b/", ""}, {"", "a@b.c ", ""}, {"", "eyJ", ""}, {"", "eyJhbGciOiJI.", ""},
	{"", "password=", ""},
	{"", "-----BEGIN PRIVATE KEY-----\n", ""}, {"", "<<<<<<< a\n", "=======\n>>>>>>> b\n"}, {"", "key: \"", ""}, {"", "://:@", ""},
	{"", "1.", ""}, {"", "1,", ""}, {"", "\u202e", ""}, {"", "\u0301", ""}, {"", "👩\u200d", ""}, {"", "\xff", ""}, {"", "&#x", ";"},
	{"", "&lt;", ""},
	{"", ".. a::\n", ""}, {"", "====\n", ""}, {"", "include::a[]\n", ""}, {"", "import a from 'b'\n", ""}, {"", "{a", "}"},
	{"", "<A>\n", "</A>\n"},
	{"", "**/", ""}, {"", "*a", ""}, {"", "[a", "]"}, {"", "a {\n", "}\n"}, {"", "\"\"\"", ""}, {"", "Aa", ""}, {"", "e.g. ", ""},
	{"", "A. ", ""},
	{"", "    a\n", ""}, {"", "+a\n-b\n", ""}, {"", "@@ -1 +1 @@\n", ""}, {"", "diff --git a/a b/a\n", ""}, {"", "[a]: b\n", ""},
	{"", "require (\n", ""},
	{"", "[[a]]\n", ""}, {"", "[[a#^b]]\n", ""}, {"", "[[#^b]]\n", ""}, {"", "a = [", "]"}, {"", "a = {b=", "}"},
	{"", "[a][b]", ""}, {"[b]: c\n", "[a][b] ", ""}, {"", "[a](<b c> 't') ", ""}, {"", "[a](b%20c)", ""}, {"", "[a]: <b c>\n", ""},
	{"", "](", ""}, {"", "](<", ""}, {"", "[a\\]", ""}, {"", ".. include:: a\n", ""}, {"", ":doc:`a <b>` ", ""}, {"", ":doc:`", ""},
	{"", ":ref:`a` ", ""}, {"", "xref:a.adoc#b[c] ", ""}, {"", "xref:", ""}, {"", "<<a.b,c>> ", ""}, {"", "<<", ""}, {"", "----\n", ""},
	{"", "[[a]]\n== b\n", ""}, {"", ".. _a:\n\nb\n-\n\n", ""}, {"", "l'a ", ""}, {"", "a’", ""}, {"", "🚀", ""}, {"", "\ufe0f", ""},
	{"", "{/*", ""}, {"", "%% ", ""}, {"", "%%\n", ""}, {"", "a %%b\n", ""}, {"", "[a]: # (\n", ""}, {"", "a <!--\n", "-->\n\n"}, {"", ".. a\n  b\n", ""},
	{"", "////\n", ""}, {"", "Files:\n- a/b.c\n\n", ""}, {"## Facts\n", "- a:\n  - b: c\n", ""}, {"## Facts\n|-|-|\n", "|a|b|\n", ""}, {"", "[[a/b]] ", ""},
	{"# ", "_a ", ""}, {"# ", "[a](b ", ""}, {"# ", "![a", "]"}, {"# ", "<!--", ""}, {"", "`<!--` ", "-->"}, {"# ", "&a", ""}, {"", "> - # a\n", ""},
	{"", "<a id=x>", ""}, {"", "<a id='", ""}, {"", "{#a} ", ""}, {"", "{id=", ""}, {"", "# a {#a}\n", ""}, {"", "[a\n", ""}, {"[", "](x\n", ""},
	{"", "[[a]](b.md) ", ""}, {"", "![](", ""}, {"", "[![a](b", ")](c)"}, {"", " href='a'", ""}, {"", "<a href='", ""}, {"", "!!! a\n    ", ""},
	{"", "[a](b:c/d.md) ", ""}, {"", "[@a/b ", "](c)"}, {":a: b\n", "link:{a}[] ", ""}, {"", ":a: {a}{a}\n", ""}, {"", "{a}", "["},
	{".. toctree::\n", "   a <b>\n", ""}, {"", ".. _a:\n", ""}, {"", "[id=a]\n", ""}, {"", "// a\n== b\n", ""}, {"", "*a* - b ", ""},
	{"", "- a\n  b\n\n", ""}, {"", "![", ""}, {"", "a](", ""}, {"", "a b c d e f g h i j. ", ""},
}

// fuzzed makes a shape of pieces of the known ones, random bytes, and what the last costly shapes were made of.
func fuzzed(rnd *rand.Rand, best []shape) shape {
	piece := func() string {
		var b strings.Builder
		for range 1 + rnd.IntN(3) {
			s := known[rnd.IntN(len(known))]
			if len(best) > 0 && rnd.IntN(2) == 0 {
				s = best[rnd.IntN(len(best))]
			}
			parts := []string{s.open, s.open, s.close, string(rune(32 + rnd.IntN(95))), string([]byte{byte(rnd.IntN(256))}), "\n"}
			b.WriteString(parts[rnd.IntN(len(parts))])
		}
		return b.String()
	}
	s := shape{open: piece()}
	if rnd.IntN(3) == 0 {
		s.close = piece()
	}
	if rnd.IntN(3) == 0 {
		s.head = known[rnd.IntN(len(known))].head + piece()
	}
	return s
}
