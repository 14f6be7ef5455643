package main

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/shown"
)

const source = "package a\n\nfunc One() {\n\tx()\n}\n\nfunc Two() {\n\ty()\n\tz()\n}\n"

// sample is a gold file whose functions have lines 3–5 and 7–10; lines 1, 4 and 8–9 change.
func sample(path string) gold {
	return gold{path: path, lines: strings.Split(source, "\n"), names: []string{"One", "Two"},
		changed: [][2]int{{1, 1}, {4, 4}, {8, 9}}, around: []string{"", "One", "Two"},
		functions: []span{{3, 5}, {7, 10}}, spans: map[span][][2]int{{3, 5}: {{4, 4}}, {7, 10}: {{8, 9}}}}
}

func TestPackShowsWhatItsBlocksHold(t *testing.T) {
	part := func(first, last int) string { return strings.Join(strings.Split(source, "\n")[first-1:last], "\n") }
	whole := "### `a.go:1-10`\n```go\n" + source + "```\n"
	for _, c := range []struct {
		name, text  string
		shown       bool
		lines       float64 // in sixths: three changes, one of two lines
		full, whole int
		lost        lost // in thirds
		wrong       string
	}{
		{"nothing", "", false, 0, 0, 0, lost{Absent: 3}, ""},
		{"a line with the path", "## Also relevant\n\n- `a.go`: One\n", false, 0, 0, 0, lost{Named: 3}, ""},
		{"another file", "### `b.go:3-5`\n```go\n" + part(3, 5) + "\n```\n", false, 0, 0, 0, lost{Absent: 3}, ""},
		{"signatures", "### `a.go`\n```go\nfunc One() ⋮\nfunc Two() ⋮\n```\n", true, 0, 0, 0, lost{Signature: 2, Loose: 1}, ""},
		{"no name of the file", "### `a.go`\n```go\nOneMore, TwoLess\n```\n", false, 0, 0, 0, lost{Others: 2, Loose: 1}, ""},
		{"nothing but an elision", "### `a.go`\n```go\n⋮\n```\n", false, 0, 0, 0, lost{Others: 2, Loose: 1}, ""},
		{"one body", "## Code\n\n### `a.go:3-5`\n```go\n" + part(3, 5) + "\n⋮\n```\n", true, 2, 1, 1, lost{Others: 1, Loose: 1}, ""},
		{"two bodies", "### `a.go:3-5,7-10`\n```go\n" + part(3, 5) + "\n⋮\n" + part(7, 10) + "\n```\n", true, 4, 2, 2,
			lost{Loose: 1}, ""},
		{"the lines that change", "### `a.go:7-9`\n```go\n" + part(7, 9) + "\n```\n", true, 2, 1, 0, lost{Others: 1, Loose: 1}, ""},
		{"half of a change", "### `a.go:7-8`\n```go\n" + part(7, 8) + "\n```\n", true, 1, 0, 0, lost{Others: 1, Loose: 1}, ""},
		{"the whole file", whole, true, 6, 2, 2, lost{}, ""},
		{"a longer fence", "### `a.go:3-5`\n````go\n" + part(3, 5) + "\n````\n", true, 2, 1, 1, lost{Others: 1, Loose: 1}, ""},
		{"a heading inside a fence", "### `b.go`\n````md\n### `a.go:3-5`\n```go\n" + part(3, 5) + "\n```\n````\n", false, 0, 0, 0,
			lost{Absent: 3}, ""},
		{"lines that are not shown", "### `a.go:3-5`\n```go\nfunc One() ⋮\n```\n", true, 2, 1, 1, lost{Others: 1, Loose: 1},
			"a.go: lines 3-5 are named and not shown"},
		{"lines that are not there", "### `a.go:3-50`\n```go\n" + part(3, 5) + "\n```\n", true, 4, 2, 2, lost{Loose: 1},
			"a.go has no lines 3-50"},
	} {
		p := lookAt(c.text, 1, "e", 1000, []gold{sample("a.go")}, docComments{})
		lost := lost{3 * p.Lost.Absent, 3 * p.Lost.Named, 3 * p.Lost.Signature, 3 * p.Lost.Others, 3 * p.Lost.Loose}
		if p.Shown[0] != c.shown || p.Full != c.full || p.Whole != c.whole || p.Functions != 2 || p.Wrong != c.wrong ||
			!near(6*p.Lines, c.lines) || !near(lost.Absent+lost.Named+lost.Signature+lost.Others+lost.Loose+3*p.Any, 3) || lost != c.lost {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

func TestTokensAreCountedByWhatTheyWentTo(t *testing.T) {
	body := "x := 1\n"
	text := ""
	for _, p := range []string{"a/b_test.go:1-1", "_examples/a.go:1-9", "deps/lua/lua.c:1-4,7-20", "a/tests.go:1-5"} {
		text += "### `" + p + "`\n```\n" + body + "```\n\n"
	}
	blocks, _ := shown.Read(text)
	got := spentOn(blocks, docComments{})
	if got.Files != 4 || got.Sections != 5 || got.Small != 2 || got.Tests == 0 || got.Tests != got.Examples || got.Tests != got.Vendored {
		t.Errorf("%+v", got)
	}
}
