package markdown

import (
	"strings"
	"testing"
)

// partsOf writes what each line is: prose, an opening fence, text of it, its closing, indented code or a comment, HTML (h) or
// a thematic break (-).
func partsOf(text string) string {
	var b strings.Builder
	for l := range Lines(text) {
		switch {
		case l.HTML:
			b.WriteByte('h')
		case l.Rule:
			b.WriteByte('-')
		default:
			b.WriteByte("potcix"[l.Fence])
		}
	}
	return b.String()
}

func TestCodeAndComments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\n\n    code\n\n    more\nb", "ppipip"},
		{"a\n    still a\nb", "ppp"},
		{"# a\n    code", "pi"},
		{"\tcode\n  \tcode", "ii"},
		{"- a\n  - b\n\n    ```sh\n    x\n    ```\n- c", "pppotcp"},
		{"1. a\n\n   ```\n   x\ny", "ppotp"},
		{"> ```\n> x\ny", "otp"},
		{"> a\nb\n    c", "ppp"},
		{"- ```\n  x\n  ```\n  y", "otcp"},
		{"-     code\n\n      more", "ipi"},
		{"- a\n\n      code\n\n    text", "ppipp"},
		{"2. a\n14. b\n\n    c", "pppp"},
		{"a\n2. ```\nb", "ppp"},
		{"* * *\n    code", "-i"},
		{"a\n---\n\n---\nb", "ppp-p"},
		{"- a\n---\n> b\n---\n| a |\n---\n# a\n---", "p-p-p-p-"},
		{"<pre>\na\n\n</PRE> b\nc\n---", "hhhhpp"},
		{"a\n<div>\n---\n\n---\n<b>\n[x](y)\n\nc\n<b>", "phhp-hhppp"},
		{"<b>a</b>\n---\n\n> <details>\n---", "ppph-"},
		{"$$\n\n[a](b)\n$$\nc", "hhhhp"},
		{"- <style>\n\n  a\nb", "hhhp"},
		{"<!-- a -->\nb", "xp"},
		{"<!--\n## Facts\n\n- a\n--> b\nc", "xxxxxp"},
		{"a\n<!-- b", "px"},
		{"- a\n  <!--\n  b\n-->\nc", "pxxpp"},
		{"```\n<!--\n```\nb", "otcp"},
		{"<!--\n```\n-->\nb", "xxxp"},
		{"a <!-- b -->\n## c", "pp"},
		{"    <!--\na", "ip"},
		{"!!! note \"Title\"\n\n    text\n\n        code\n\n    ```\n    c\n    ```\nb", "ppppipotcp"},
		{"??? note\n    text\n\n    more\n\nb\n\n    code", "pppppppi"},
		{"=== \"Tab\"\n\n    text\n\na\n=== \"no\"\n\n    code", "pppppppi"},
		{"!!!\n\n    code", "ppi"},
		{strings.Repeat("> ", 40) + "```\na", "pp"},
	} {
		if got := partsOf(c.text); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

func TestUnclosed(t *testing.T) {
	for text, want := range map[string]string{
		"a": "", "```\na": "```", "- a\n  ~~~~\n  b": "  ~~~~", "> ```": "", "<!--\na": "-->", "1. <!--": "   -->",
		"- <Pre>": "  </pre>", "<div>": "", "<!-- a -->": "",
	} {
		if got := Unclosed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	for text, want := range map[string]string{
		"a <!-- b --> c": "a            c", "`<!-- a -->` b": "`<!-- a -->` b", "a <!-- b": "a <!-- b", "a<!-->b": "a     b",
		"é<!---->@a/b<!-- -->": "é       @a/b        ", "a <!-- b\nc -->d": "a       \n     d", "a <!-- b\n\nc -->": "a <!-- b\n\nc -->",
		"<!-- a\n\nb -->\nc": "      \n\n     \nc", "- a {/* b */} c": "- a           c", "{/*\n\n# b\n\n*/}\nc": "   \n\n   \n\n   \nc",
		"a %% b %% c": "a         c", "100%% of 5%%": "100%% of 5%%", "%%\n\n## a\n%%\nb": "  \n\n    \n  \nb", "%% a\nb %%\nc": "    \n    \nc",
		"a %% b\nc %%": "a %% b\nc %%", "[//]: # (a)\nb": "           \nb", "[_]: <> \"a\nb\" c": "          \n   c", "[a]: b (c)": "[a]: b (c)",
		"> [//]: # 'a'": ">            ", "\\<!-- a -->": "\\<!-- a -->", "```\n<!-- a -->\n%%\n```": "```\n<!-- a -->\n%%\n```",
		"{/* a */} b": "          b", "| a | <!-- b --> |": "| a |            |", "a <!-- b -->\r\nc": "a           \r\nc",
		"    <!-- code -->": "    <!-- code -->", "# a <!-- b -->": "# a           ", "- %%a%% b": "-       b", "{/* a */} {/* b */}": "                   ",
	} {
		if got := Said(text, 0); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzLines: every line is there once, and what closes a text closes it.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"- a\n  ```\n  b", "> <!--\n>\n", "%%\na", "{/*\n- [//]: # (a\n%% *//", "1. a\n\n\t\tb",
		"* > - ~~~", "- <pre>\n\n", "<div>\n$$", "a\r\n    b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, rest := 0, ""
		for l := range Lines(text) {
			line, next := CutLine(text, at)
			if l.At.Start != at || l.At.Of(text) != line {
				t.Fatalf("%q: line %v at %d", text, l.At, at)
			}
			at, rest = next, l.Open
		}
		if at != len(text) {
			t.Fatalf("%q: %d bytes are missing", text, len(text)-at)
		}
		if end := Unclosed(text); end != rest {
			t.Fatalf("%q: %q and %q", text, end, rest)
		} else if end != "" && !strings.HasSuffix(text, "\r") {
			if left := Unclosed(strings.TrimSuffix(text, "\n") + "\n" + end); left != "" {
				t.Fatalf("%q: %q leaves %q", text, end, left)
			}
		}
		if got := Said(text, 0); len(got) != len(text) || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
