package main

import (
	"errors"
	"fmt"
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
		{"bidirectional", "may delete \u202enimda\u202c", "may delete nimda"},
		{"zero width and tags", "a\u200bb\U000e0041", "ab"},
		{"commands of a CI runner", "x\n::error::y ##[group]z\n", "x\n\\u003a:error::y \\u0023#[group]z\n"},
	} {
		var out strings.Builder
		n, err := (&screen{out: &out}).Write([]byte(c.text))
		if err != nil || n != len(c.text) || out.String() != c.want {
			t.Errorf("%s: %q, %d, %v; want %q", c.name, out.String(), n, err, c.want)
		}
	}
}

func TestValuesStayInTheirLine(t *testing.T) {
	type kind string
	bad := "a\n::error::\u202e"
	const shown = `a\n::error::\u202e`
	for _, v := range []any{bad, kind(bad), errors.New(bad), fmt.Errorf("x: %w", errors.New(bad))} {
		if got := textf("%s|%d", v, 7); got != shown+"|7" && got != "x: "+shown+"|7" {
			t.Errorf("%T: %q", v, got)
		}
	}
	if got, want := textf("%s", errors.Join(errors.New("one"), errors.New(bad))), "one\n"+shown; got != want {
		t.Errorf("joined: %q", got)
	}
	if got := textf("%s", passage("a\nb")); got != "a\nb" {
		t.Errorf("a passage: %q", got)
	}
}
