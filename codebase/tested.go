package codebase

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// testMarks begin tests inside of a source file, at the left margin: Rust's modules for them, the block that a Python file
// runs as a program, and suites beside JavaScript.
var testMarks = []string{"#[cfg(test)]", "if __name__", "describe("}

// testSpans returns the blocks of a text that test the rest of it. A block ends with the bracket that closes it at the left
// margin, or before the next line that stands there.
func testSpans(text string) (out []syntax.Span) {
	for _, mark := range testMarks {
		for from := 0; ; {
			i := strings.Index(text[from:], mark)
			if i < 0 {
				break
			}
			at := from + i
			if from = at + len(mark); at == 0 || text[at-1] == '\n' {
				from = marginEnd(text, at)
				out = append(out, syntax.Span{Start: at, End: from})
			}
		}
	}
	return out
}

// marginEnd is where the block ends that begins with the line at a position; attributes may stand above what they are of.
func marginEnd(text string, at int) int {
	for opened := false; at < len(text); {
		next := lineEnd(text, at)
		line := text[at:next]
		margin := strings.TrimSpace(line) != "" && line[0] != ' ' && line[0] != '\t'
		if margin && opened {
			if closes(line) {
				return next
			}
			break
		}
		opened = opened || margin && line[0] != '#'
		at = next
	}
	return at
}
