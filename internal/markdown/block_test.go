package markdown

import (
	"strings"
	"testing"
)

// partsOf writes what each line is: prose, an opening fence, text of it, its closing, indented code or a comment.
func partsOf(text string) string {
	var b strings.Builder
	for l := range Lines(text) {
		b.WriteByte("potcix"[l.Fence])
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
		{"* * *\n    code", "pi"},
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
		"a": "", "```\na": "```", "- a\n  ~~~~\n  b": "  ~~~~", "> ```": "", "<!--\na": "-->", "1. <!--": "   -->", "<!-- a -->": "",
	} {
		if got := Unclosed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestUncommented(t *testing.T) {
	for text, want := range map[string]string{
		"a <!-- b --> c": "a            c", "`<!-- a -->` b": "`<!-- a -->` b", "a <!-- b": "a <!-- b", "<!--> a": "      a",
		"é<!---->@a/b<!-- -->": "é       @a/b        ",
	} {
		if got := Uncommented(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzLines: every line is there once, and what closes a text closes it.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"- a\n  ```\n  b", "> <!--\n>\n", "1. a\n\n\t\tb", "* > - ~~~", "a\r\n    b"} {
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
		if got := Uncommented(text); len(got) != len(text) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
