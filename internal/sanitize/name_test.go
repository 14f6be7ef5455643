package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "src/a.go": "src/a.go", "设计/нота 1.md": "设计/нота 1.md", "a\u3000b.md": "a\u3000b.md",
		"می\u200cخواهم.md": "می\u200cخواهم.md",
		"Foo::Bar.pm":      "Foo::Bar.pm", "c## [x].md": "c## [x].md", `a"b\c`: `a"b\c`, "a--b": "a--b",
		"x\n::error::y":  `"x\n\u003a:error\u003a:y"`,
		"x\r##[error]y":  `"x\r\u0023#[error]y"`,
		"a\tb":           `"a\tb"`,
		"a\x1b[2J\u009b": `"a\x1b[2J\u009b"`,
		"\u202egpj.md":   `"\u202egpj.md"`,
		"\ufeffa\u200b":  `"\ufeffa\u200b"`,
		"a\U000e0041":    `"a\U000e0041"`,
		"a\u2028b":       `"a\u2028b"`,
		"a\xffb":         `"a\xffb"`,
		"don`t":          `"don\u0060t"`,
		"a<!-- b -->":    `"a\u003c!-- b \u002d->"`,
		"a/::warning::x": `"a/\u003a:warning\u003a:x"`,
		"::warning::x":   `"\u003a:warning\u003a:x"`,
		" ::warning::x":  `" \u003a:warning\u003a:x"`,
		"##vso[x]":       `"\u0023#vso[x]"`,
		"###[x]":         `"#\u0023#[x]"`,
		"\"\\\n":         `"\"\\\n"`,
	} {
		if got := Name(name); got != want {
			t.Errorf("%+q: %s, want %s", name, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a `b` <!-- c -->": "a `b` <!-- c -->", "a\nb\tc": `a\nb\tc`, "x ##[add-mask]y": `x \u0023#[add-mask]y`, "a\u202eb": `a\u202eb`,
		"héé ## b": "héé ## b", `a\b "c"`: `a\b "c"`,
	} {
		if got := OneLine(text); got != want {
			t.Errorf("%+q: %s, want %s", text, got, want)
		}
	}
}

func TestLog(t *testing.T) {
	for text, want := range map[string]string{
		"## Facts\n::\n\n    code::x\n": "## Facts\n::\n\n    code::x\n",
		"a\n ::error::x":                "a\n \\u003a:error::x", "::set-output name=a::b": "\\u003a:set-output name=a::b",
		"a ::error::":      "a ::error::",
		"\u200b::error::x": "\\u003a:error::x", "x ##[group]": "x \\u0023#[group]", "a\u202eb\r\n\x1b[2J": "ab\n[2J",
	} {
		if got := Log(text); got != want {
			t.Errorf("%+q: %q, want %q", text, got, want)
		}
	}
}

// FuzzNamesAreOneLine checks what every face relies on.
func FuzzNamesAreOneLine(f *testing.F) {
	for _, s := range []string{"a", "x\n::error::y\r", "##[a]###[b]", "\u202e`<!---->\xff", "::a", "\ufeff\U000e0041\"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Name(s); !Plain(got) || Name(got) != got {
			t.Errorf("%+q: %s is not plain", s, got)
		}
		line := OneLine(s)
		if strings.ContainsAny(line, "\n\r\t") || Visible(line) != line || OneLine(line) != line || !utf8.ValidString(line) {
			t.Errorf("%+q: %q is not one line", s, line)
		}
		if log := Log(s); Log(log) != log {
			t.Errorf("%+q: %q, then %q", s, log, Log(log))
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var was, is string
		safe := JSON(string(raw))
		if err := json.Unmarshal(raw, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(safe), &is); err != nil || is != was || Log(safe) != safe {
			t.Errorf("%s: %s: %v", raw, safe, err)
		}
	})
}
