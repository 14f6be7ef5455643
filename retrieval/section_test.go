package retrieval

import (
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// A part of a text is shown so that it can be read alone: with its table's header,
// inside its fence, and with the indent of its first line.
func TestPartsAreShownWhole(t *testing.T) {
	const text = "# T\n\n| name | limit |\n|---|---|\n| a | 1 |\n| b | 2 |\n\n```go\nfunc a() {\n\tb()\n}\n```\n\n    indented\n  " +
		"  code\n"
	e := format.Parse("a/b/c.md", text)
	for _, c := range []struct{ from, to, want string }{
		{"| b | 2 |", "| b | 2 |", "| name | limit |\n|---|---|\n| b | 2 |"},
		{"| name", "| b | 2 |", "| name | limit |\n|---|---|\n| a | 1 |\n| b | 2 |"},
		{"\tb()", "}", "```go\n\tb()\n}\n```"},
		{"```go", "\tb()", "```go\nfunc a() {\n\tb()\n```"},
		{"    indented", "code", "    indented\n    code"},
	} {
		start := strings.Index(text, c.from)
		end := start + strings.Index(text[start:], c.to) + len(c.to)
		if got := rendered(e, markdown.Span{Start: start, End: end}); got != c.want {
			t.Errorf("%q to %q:\n%s", c.from, c.to, got)
		}
	}
}

// An underline of reStructuredText before a section opens no fence in it.
func TestUnderlinesOpenNoFence(t *testing.T) {
	const text = "Title\n`````\n\nFirst.\n\nNext\n----\n\nWords of it.\n"
	body := markdown.Span{Start: strings.Index(text, "\nWords"), End: len(text)}
	e := &format.Entry{Path: "docs/a.rst" + format.SectionSign + "Next", Text: text, Title: "Next", Body: body}
	if got := rendered(e, markdown.Span{Start: body.Start + 1, End: body.End}); got != "Words of it." {
		t.Errorf("%q", got)
	}
}
