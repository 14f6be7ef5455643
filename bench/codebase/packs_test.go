package main

import (
	"strings"
	"testing"
)

const source = "package a\n\nfunc One() {\n\tx()\n}\n\nfunc Two() {\n\ty()\n\tz()\n}\n"

// sample is a gold file whose functions have lines 3–5 and 7–10; lines 4 and 8–9 change.
func sample(path string) gold {
	return gold{path: path, lines: strings.Split(source, "\n"), names: []string{"One", "Two"},
		bodies: []span{{3, 5}, {7, 10}}, spans: map[span][][2]int{{3, 5}: {{4, 4}}, {7, 10}: {{8, 9}}}}
}

func TestPackShowsWhatItsBlocksHold(t *testing.T) {
	part := func(first, last int) string { return strings.Join(strings.Split(source, "\n")[first-1:last], "\n") }
	for _, c := range []struct {
		name, text string
		shown      bool
		full       int
		wrong      string
	}{
		{"nothing", "", false, 0, ""},
		{"a line with the path", "## Also relevant\n\n- `a.go`: One\n", false, 0, ""},
		{"another file", "### `b.go:3-5`\n```go\n" + part(3, 5) + "\n```\n", false, 0, ""},
		{"signatures", "### `a.go`\n```go\nfunc One() ⋮\nfunc Two() ⋮\n```\n", true, 0, ""},
		{"no name of the file", "### `a.go`\n```go\nOneMore, TwoLess\n```\n", false, 0, ""},
		{"nothing but an elision", "### `a.go`\n```go\n⋮\n```\n", false, 0, ""},
		{"one body", "## Code\n\n### `a.go:3-5`\n```go\n" + part(3, 5) + "\n⋮\n```\n", true, 1, ""},
		{"two bodies", "### `a.go:3-5,7-10`\n```go\n" + part(3, 5) + "\n⋮\n" + part(7, 10) + "\n```\n", true, 2, ""},
		{"the lines that change", "### `a.go:7-9`\n```go\n" + part(7, 9) + "\n```\n", true, 1, ""},
		{"half of the lines that change", "### `a.go:7-8`\n```go\n" + part(7, 8) + "\n```\n", true, 0, ""},
		{"the whole file", wholeBlock("a.go", "go", source), true, 2, ""},
		{"a longer fence", "### `a.go:3-5`\n````go\n" + part(3, 5) + "\n````\n", true, 1, ""},
		{"a heading inside a fence", "### `b.go`\n````md\n### `a.go:3-5`\n```go\n" + part(3, 5) + "\n```\n````\n", false, 0, ""},
		{"lines that are not shown", "### `a.go:3-5`\n```go\nfunc One() ⋮\n```\n", true, 0, "a.go: lines 3-5 are named and not shown"},
		{"lines that are not there", "### `a.go:3-50`\n```go\n" + part(3, 5) + "\n```\n", true, 0, "a.go has no lines 3-50"},
	} {
		p := lookAt(c.text, "e", 1000, []gold{sample("a.go")})
		if p.Shown[0] != c.shown || p.Full != c.full || p.Bodies != 2 || p.Wrong != c.wrong {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestWholeBlocksQuoteFences(t *testing.T) {
	text := "a\n```\nb\n"
	b := readPack(wholeBlock("x.md", "md", text))["x.md"]
	if b.text+"\n" != text || len(b.lines) != 1 || b.lines[0] != [2]int{1, 3} {
		t.Errorf("%+v", b)
	}
}
