package sanitize

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestHidden(t *testing.T) {
	for text, want := range map[string]string{
		"plain — ünïcode 設計 😀 ❤️": "", "\ufeff# with a BOM": "", "a\ufeffb": "U+FEFF",
		"a\u202eb \u202d\nc\u2066d": "U+202E U+202D U+2066", "zero\u200bwidth": "U+200B",
		"می\u200cخواهم": "", "👨\u200d👩\u200d👧 and ❤️\u200d🔥": "", "end\u200d": "U+200D", "\u200d": "U+200D",
		tagged("gbeng") + " flag": "", "x\U000e0041\U000e0042": "U+E0041 U+E0042",
		"葛\U000e0100": "", "a\U000e0100": "U+E0100", "a\ufe0f\ufe0e": "U+FE0F U+FE0E", "\ufe0f": "U+FE0F",
		"\u180e\ufff9\u206a":      "U+180E U+FFF9 U+206A",
		"so\u00adft \u034f\u061c": "U+00AD U+034F U+061C", "\u115fa\u1160\u3164\uffa0": "U+115F U+1160 U+3164 U+FFA0",
		"\u17b4\u17b5":                "U+17B4 U+17B5",
		"a\u200eb\u200f \u2028\u2029": "U+200E U+200F U+2028 U+2029", "a\u2061\u2064\u206f": "U+2061 U+2064 U+206F",
		"\ufff9a\ufffab\ufffb":                     "U+FFF9 U+FFFA U+FFFB",
		"\U0001bca0\U0001d173\U000e0001\U000e0fff": "U+1BCA0 U+1D173 U+E0001 U+E0FFF",
		// Joiners: in words of scripts that need them, and in emoji.
		"ab\u200dc": "U+200D", "pass\u200cword": "U+200C", "क्\u200dष ශ්\u200dරී নি\u200cন": "", "API\u200cها ۲۰\u200cساله": "",
		"ها\u200c ": "U+200C", "می\u200c\u200cخ": "U+200C U+200C",
		"👩🏽\u200d🚀 🏳️\u200d🌈 🧑\u200d🤝\u200d🧑 🏃\u200d♂️ 🏃\u200d➡️": "", "😀\u200c😀": "U+200C", "😀\u200da": "U+200D",
		"a\ufe0f\u200d😀": "U+FE0F U+200D",
		// Selectors: behind emoji and what else has variants.
		"❤️ ↔️ ©️ ‼️ ℹ️ 〰️ 1️⃣ #️⃣ ☎︎": "", "1️ a": "U+FE0F", "≨\ufe00 神\ufe00 、\ufe00": "", "b\ufe00😀\ufe01": "U+FE00 U+FE01",
		"ᠠ\u180b": "", "a\u180b": "U+180B", "ᠠ\u180b\u180c": "U+180C",
		"\u0600١ \u06dd": "", // signs of numbers and verses are seen
	} {
		var got []string
		for c := range Hidden(text) {
			got = append(got, fmt.Sprintf("U+%04X", c.Rune))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+q: %q, want %q", text, got, want)
		}
	}
}

// TestTheTableIsUnicodes compares the table with the properties that it is made of, as package unicode
// has them. Unassigned characters are ignorable by their block (U+2065, FFF0–FFF8, E0000–E0FFF).
func TestTheTableIsUnicodes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		// https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf) &&
			!unicode.In(r, unicode.Prepended_Concatenation_Mark) && !(r >= 0x13430 && r <= 0x13440)
		want := ignorable || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
		if (kind(r) != "") != want {
			t.Errorf("U+%04X: %v", r, !want)
		}
	}
	if !slices.IsSortedFunc(invisible, func(a, b struct {
		from, to rune
		what     string
	}) int {
		return int(a.from - b.to)
	}) {
		t.Error("not in order")
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc": "a\tb\nc", "a\r\nb": "a\nb", "a\x00\x1b[31mb\x7f\u0085": "a[31mb", "\ufeffa": "a", "a\u202eb": "ab",
		"a\xffb":        "a\ufffdb",
		tagged("gbeng"): tagged("gbeng"), "a\U000e0041\U000e0042b": "ab", "a\u200d\u200b": "a", "👩\u200d💻": "👩\u200d💻",
		"a\u2028b": "a b",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

// What acts, with what it becomes; "" for what stays as it is.
var cases = []struct{ name, text, want string }{
	{"command link", "see [run](command:workbench.action.quit)", "see [run] (command:workbench.action.quit)"},
	{"other schemes", "[a](vscode://x) [b](javascript:x) [c](data:text/html,x) [d](file:///etc/passwd) [e](vscode-insiders://x)",
		"[a] (vscode://x) [b] (javascript:x) [c] (data:text/html,x) [d] (file:///etc/passwd) [e] (vscode-insiders://x)"},
	{"letter case", "[a](CoMmAnD:x)", "[a] (CoMmAnD:x)"},
	{"entity", "[a](command&colon;x) [b](&#99;ommand:x)", "[a] (command&colon;x) [b] (&#99;ommand:x)"},
	{"escape", `[a](command\:x)`, `[a] (command\:x)`},
	{"control inside", "[a](<java\tscript:x>)", "[a] (<java\tscript:x>)"},
	{"pointed", "[a](<command:x y>)", "[a] (&lt;command:x y>)"},
	{"next line", "[a](\ncommand:x)", "[a] (\ncommand:x)"},
	{"with a title", `[a](command:x "t")`, `[a] (command:x "t")`},
	{"bracket in the text", "[a [b] c](command:x)", "[a [b] c] (command:x)"},
	{"definition", "[a][r]\n\n[r]: command:x", "[a][r]\n\n\\[r]: command:x"},
	{"definition in a quotation", "> [r]: javascript:x", "> \\[r]: javascript:x"},
	{"autolink", "<command:x> <vscode://a/b> <javascript:x>", "&lt;command:x> &lt;vscode://a/b> &lt;javascript:x>"},
	{"remote picture", "![a](http://x/a.png) ![b](https://x) ![c](//x/y)", "[a](http://x/a.png) [b](https://x) [c](//x/y)"},
	{"picture marks", "!![a](http://x)", "[a](http://x)"},
	{"picture of data", "![a](data:image/png;base64,AA)", "[a] (data:image/png;base64,AA)"},
	{"picture in a link", "[![a](http://x)](http://y)", "[[a](http://x)](http://y)"},
	{"picture by reference", "![a][r] ![r] ![R][]\n\n[r]: http://x", "[a][r] [r] [R][]\n\n[r]: http://x"},
	{"html picture", `<img src="http://x">`, `&lt;img src="http://x">`},
	{"html picture of more lines", "<IMG\nsrc=x>", "&lt;IMG\nsrc=x>"},
	{"html link", `<a href="command:x">a</a>`, `&lt;a href="command:x">a</a>`},
	{"html background", `<td background='//x'> <p style="background:url(//x)">`,
		`&lt;td background='//x'> &lt;p style="background:url(//x)">`},
	{"html event", `<b onclick=x>`, `&lt;b onclick=x>`},
	{"html script", `<script>x</script>`, `&lt;script>x</script>`},
	{"end in a quote", `<a title=">" href="command:x">`, `&lt;a title=">" href="command:x">`},
	{"long tag", `<a title="` + strings.Repeat("x", maxTag) + `" href="command:x">`, `&lt;a title="` + strings.Repeat("x", maxTag) +
		`" href="command:x">`},
	{"unclosed tag", `<img src=x`, `&lt;img src=x`},
	{"svg", `<svg/onload=x>`, `&lt;svg/onload=x>`},

	// Code that some readers take for none.
	{"escaped backtick", "\\`![a](http://x)`", "\\`[a](http://x)`"},
	{"span over lines", "a ` b\n` ![a](http://x) `", "a ` b\n` [a](http://x) `"},
	{"backtick in a tag", "<a title=\"`\">![a](http://x)<b title=\"`\">", "<a title=\"`\">[a](http://x)<b title=\"`\">"},
	{"span over cells", "| ` | ![a](http://x) ` |", "| ` | [a](http://x) ` |"},
	{"fence in a list", "- a\n  ```\n![a](http://x)\n", "- a\n  ```\n[a](http://x)\n"},
	{"fence in HTML", "<div>\n```\n\n![a](http://x)\n```\n", "<div>\n```\n\n[a](http://x)\n```\n"},
	{"fence in a comment", "<!--\n\n```\n-->\n![a](http://x)\n```\n", "<!--\n\n```\n-->\n[a](http://x)\n```\n"},
	{"indented", "    ![a](http://x)", "    [a](http://x)"},
	{"behind a fence", "```\na\n```\n![a](http://x)", "```\na\n```\n[a](http://x)"},
	{"no fence", "``` a`b\n![a](http://x)", "``` a`b\n[a](http://x)"},

	// What only speaks of it, or does nothing.
	{"links", "[a](b.md) [b](/c/d.md#e) [c](https://x) [d](mailto:x@y) [e](#f) <https://x> [f](src/a.go:12) [g](Makefile:12)", ""},
	{"local picture", "![a](b.png) ![b](../c.svg)", ""},
	{"code span", "`[a](command:x)` and ``![b](http://x) ` `` and `<img src=x>`", ""},
	{"fence", "```md\n![a](http://x)\n[b](command:x)\n```\n~~~\n<img src=x>\n~~~", ""},
	{"open fence", "```\n<img src=x>", ""},
	{"escaped", `\![a](http://x) \<img src=x>`, ""},
	{"types", "Map<String, Object>, List<Link> and vec<object>; a < b > c; std::vector<std::string>; <key:value>", ""},
	{"picture behind a fence by one space", " ```\n```\n![x](https://evil)\n```\n", " ```\n```\n[x](https://evil)\n```\n"},
	{"picture behind a fence of the other kind", " ~~~\n```\n ~~~\n![x](https://evil)\n", " ~~~\n```\n ~~~\n[x](https://evil)\n"},
	{"picture behind a fence that a carriage return ends", "```\nx\r```\n![a](https://evil)\n```\n", "```\nx\r```\n[a](https://evil)\n```\n"},
	{"code behind a fence within a list", "- a\n\n  ```\n  b\n  ```\n\n```\n![x](https://a)\n```\n", ""},
	{"words", "the command: run it (see [notes]); vec![1, 2] and !important", ""},
	{"tags that do nothing", "<b>a</b> <br/> <details> <kbd>x</kbd> <a href=\"b.md\">c</a>", ""},
	{"two paragraphs", "![a\n\n](http://x)", ""},
}

func TestDisarm(t *testing.T) {
	for _, c := range cases {
		want := c.want
		if want == "" {
			want = c.text
		}
		if got := Disarm(c.text); got != want {
			t.Errorf("%s: %q → %q, want %q", c.name, c.text, got, want)
		}
		if got := Unsafe(c.text); (len(got) > 0) != (c.want != "") {
			t.Errorf("%s: %v in %q", c.name, got, c.text)
		}
		for _, p := range Unsafe(c.text) {
			if p.Start < 0 || p.End <= p.Start || p.End > len(c.text) || p.What == "" {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
	}
}

// Hostile texts take time linear in their length.
func TestNothingIsExpensive(t *testing.T) {
	const size = 1 << 19
	for _, one := range []string{"[", "](", "![a](http://x)", "<", "<a ", "`", "``` ", "` `` ", "[a]: command:x\n", "![a]", "[r]:",
		"<img src=x>", "&lt;", "!", "\\", "<a href='", "\u200d", "a\u200d\u200b", "\n<!", "](command:", "![](\\:", "[](&x:",
		"<a style=&a;"} {
		text := strings.Repeat(one, size/len(one))
		begin := time.Now()
		Disarm(text)
		Visible(text)
		if took := time.Since(begin); took > 10*time.Second { // what is quadratic takes half a minute
			t.Errorf("%q: %v", one, took)
		} else if testing.Verbose() && took > time.Second/4 {
			t.Logf("%q: %v", one, took)
		}
	}
}

func FuzzDisarm(f *testing.F) {
	for _, c := range cases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := Disarm(text)
		if left := Unsafe(safe); len(left) > 0 {
			t.Errorf("%q → %q: %+v", text, safe, left)
		}
		if len(Unsafe(text)) == 0 && safe != text {
			t.Errorf("%q → %q", text, safe)
		}
		seen := Visible(text)
		if Visible(seen) != seen || !utf8.ValidString(seen) {
			t.Errorf("%q → %q", text, seen)
		}
		for c := range Hidden(seen) {
			t.Errorf("%q → %q holds U+%04X", text, seen, c.Rune)
		}
	})
}
