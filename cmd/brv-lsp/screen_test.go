package main

import (
	"strings"
	"testing"
)

func TestScreenShowsNoControlCharacters(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text", "a\tb\nzürich\n", "a\tb\nzürich\n"},
		{"escape", "\x1b[2Jgone\x07", "[2Jgone"},
		{"eight-bit introducer", "\u009b2J", "2J"},
		{"no text", "\x9b2J", "\ufffd2J"},
		{"overwriting a line", "sure?\rno", "sure?no"},
		{"delete", "a\x7fb", "ab"},
	} {
		var out strings.Builder
		n, err := screen{&out}.Write([]byte(c.text))
		if err != nil || n != len(c.text) || out.String() != c.want {
			t.Errorf("%s: %q, %d, %v; want %q", c.name, out.String(), n, err, c.want)
		}
	}
}
