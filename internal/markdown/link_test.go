package markdown

import (
	"strings"
	"testing"
)

// TestReference finds what the use of a definition at "|" means.
func TestReference(t *testing.T) {
	const definitions = "\n\n[tok]: tok.md\n[Long  Label]: <long label.md> 'title'\n[tok]: second.md\n[h]: #heading\n```\n[code]: code.md\n```\n"
	for text, want := range map[string]string{
		"see [rules][to|k] now":        "[rules][tok] tok.md",
		"see [ru|les][tok] now":        "[rules][tok] tok.md",
		"see [to|k] now":               "[tok] tok.md",
		"see [to|k][] now":             "[tok][] tok.md",
		"see [x][long la|bel]":         "[x][long label] long label.md> 'title'",
		"see [LONG\tLABEL|]":           "[LONG\tLABEL] long label.md> 'title'",
		"see ![a picture][to|k]":       "[a picture][tok] tok.md",
		"see [the [new] rules][to|k]":  "[the [new] rules][tok] tok.md",
		"- [ ] task [to|k]":            "[tok] tok.md",
		"| a | [to|k] |":               "[tok] tok.md",
		"[x][h|]":                      "[x][h] #heading",
		"see `[to|k]`":                 "",
		"see [to|k](other.md)":         "",
		"see [gone|]":                  "",
		"see [co|de]":                  "",
		"see \\[to|k]":                 "",
		"[tok] and [rules][gone|] now": "",
		"- [ |] task":                  "",
		"[x|]: y.md":                   "[x] y.md",
		"[x|]: y.md (b) c":             "",
		"[x|]: y.md 'b":                "[x] y.md 'b",
	} {
		at := strings.Index(text, "|")
		if strings.HasPrefix(text, "|") {
			at = strings.LastIndex(text[:strings.LastIndex(text, "|")], "|")
		}
		whole := text[:at] + text[at+1:] + definitions
		got := ""
		if use, target, ok := Reference(whole, at); ok {
			got = use.Of(whole) + " " + strings.SplitN(whole[target:], "\n", 2)[0]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestUnescaped(t *testing.T) {
	for said, want := range map[string]string{
		"a.md": "a.md", "my%20page.md": "my page.md", "a\\_b.md": "a_b.md", "a&amp;b.md": "a&b.md", "100%.md": "100%.md",
		`src\a.go`: `src\a.go`, "caf%C3%A9.md": "café.md", "a\\(b\\).md": "a(b).md", "a&b.md": "a&b.md", "a&copy=b.md": "a&copy=b.md", "%zz": "%zz",
	} {
		if got := Unescaped(said); got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
