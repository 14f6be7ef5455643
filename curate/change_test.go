package curate

import (
	"strings"
	"testing"
)

// TestReasonIn: a paragraph that takes more than a line is a reason and is quoted with all of the
// body; lists, signatures, references, quoted texts and code are none.
func TestReasonIn(t *testing.T) {
	const why = "The gateway reads the header alone, so the signature has to stand in front of all that\n" +
		"may be cut off on the way."
	signed := strings.Repeat("署名は先頭になければならない", 6)
	for name, c := range map[string]struct {
		message string
		want    string
	}{
		"a subject":         {"Sign the header because the gateway reads it alone, and all behind may be cut off", ""},
		"a paragraph":       {"Sign the header\n\n" + why, why},
		"CRLF and blanks":   {"Sign the header\r\n\r\n" + why + "\r\n\r\n", why},
		"with a list":       {"Sign the header\n\n- first\n\n" + why + "\n\n- last", "- first\n\n" + why + "\n\n- last"},
		"with trailers":     {"Sign the header\n\n" + why + "\n\nFixes: #12\nCo-authored-by: A <a@example.org>\n", why},
		"a second subject":  {"Sign the header\n\nThe gateway reads it alone.", ""},
		"a list":            {"Sign\n\n- " + strings.ReplaceAll(why, "\n", " ") + "\n  and so it is\n1. " + why, ""},
		"a quote":           {"Sign\n\n> " + strings.ReplaceAll(why, "\n", "\n> "), ""},
		"an indented block": {"Sign\n\n    " + strings.ReplaceAll(why, "\n", "\n    "), ""},
		"a fence":           {"Sign\n\n```\n" + why + "\n```\n", ""},
		"references": {"Revert \"Sign\"\n\nThis reverts commit 2531ac7ccd1d581df5febe4a3814226ba8939a20, which is of\n" +
			"https://example.org/a/very/long/address/that/fills/the/line and owner/repository#12, #13.", ""},
		"other scripts": {"見出し\n\n" + signed, signed},
	} {
		if got := reasonIn(strings.ReplaceAll(c.message, "\r\n", "\n")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAroundIsOfTheSameText: definitions around changed lines are those of the file that has
// these lines there, whatever ends them.
func TestAroundIsOfTheSameText(t *testing.T) {
	text := "package a\n\nfunc Rotate() {\n\tone()\n\ttwo()\n}\n"
	for name, c := range map[string]struct {
		file, hunk string
		want       int
	}{
		"same": {text, "\tone()\n\ttwo()", 1}, "CRLF": {strings.ReplaceAll(text, "\n", "\r\n"), "\tone()\n\ttwo()", 1},
		"changed since": {text, "\tone()\n\tthree()", 0}, "longer": {text, "\tone()\n\ttwo()\n}\n\n\n", 0},
	} {
		b := newBench(t, map[string]string{"a.go": c.file})
		if got := around(FileChange{Path: "a.go", Added: []Hunk{{Line: 4, Text: c.hunk}}}, b.code); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
