package markdown

import (
	"fmt"
	"strings"
	"testing"
)

func TestItem(t *testing.T) {
	for line, want := range map[string]int{
		"- a": 2, "*   a": 4, "+\ta": 2, "1. a": 3, "999) a": 5, "-": 1, "2.": 2, "- ": 2,
		"": 0, "a": 0, "-a": 0, "**a**": 0, "---": 0, "12": 0, "1.5 a": 0, "2026. And then": 0, "1: a": 0,
	} {
		if got := Item(line); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}

func TestCodeSpans(t *testing.T) {
	for line, want := range map[string]string{
		"a `b` c ``d ` e``":     "`b`=b ``d ` e``=d ` e",
		"`` a ` b":              "",
		"` a `` b ` c ``":       "` a `` b `= a `` b ",
		"```a``` b```":          "```a```=a",
		"none":                  "",
		"\\`a` b `c\\` \\\\`d`": "` b `= b  `d`=d",
		"`a\\` \\``b`":          "`a\\`=a\\ `b`=b",
	} {
		var got []string
		for _, c := range CodeSpans(line) {
			got = append(got, fmt.Sprintf("%s=%s", c.At.Of(line), c.Text.Of(line)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	const line = "a `b` c `d`"
	codes, held := CodeSpans(line), ""
	for i := range len(line) {
		if codes.Holds(i) {
			held += line[i : i+1]
		}
	}
	if held != "`b``d`" {
		t.Errorf("code is %q", held)
	}
}

// A line that closes a block holds nothing else; what other systems take for the end of a line or for white space is
// something else.
func TestCloses(t *testing.T) {
	for line, want := range map[string]bool{
		"```": true, "   ````\t ": true, "```\r": true, "    ```": false, "``": false, "~~~": false, "``` a": false,
		"``` `": false, "```\f": false, "```\u00a0": false,
	} {
		if got := Closes(line, "```"); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
