package codebase

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// blockLines is the greatest length of a block in a text without symbols: about the length of a function, the
// usual block in code with symbols.
const blockLines = 40

// blocks cuts a text without symbols into runs of lines: at a blank line before
// a line that is not indented, and after blockLines lines at the latest. They
// cover the text.
func blocks(text string) []syntax.Span {
	var out []syntax.Span
	start, lines, blank := 0, 0, false
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		line := text[pos:end]
		empty := strings.TrimSpace(line) == ""
		if pos > start && (lines >= blockLines || blank && !empty && line[0] != ' ' && line[0] != '\t') {
			out = append(out, syntax.Span{Start: start, End: pos})
			start, lines = pos, 0
		}
		blank = empty
		lines++
		pos = end
	}
	if start < len(text) {
		out = append(out, syntax.Span{Start: start, End: len(text)})
	}
	return out
}

// blockSymbols presents the blocks of a text as symbols, so that a file without
// syntax can be shown in part like any other.
func blockSymbols(text string) []syntax.Symbol {
	spans := blocks(text)
	out := make([]syntax.Symbol, len(spans))
	line := 1
	for i, s := range spans {
		head := text[s.Start:s.End]
		first, _, _ := strings.Cut(strings.TrimSpace(head), "\n")
		if cut := maxOutlineLine; len(first) > cut {
			for cut > 0 && first[cut]&0xc0 == 0x80 {
				cut--
			}
			first = first[:cut]
		}
		first = strings.TrimSpace(first)
		out[i] = syntax.Symbol{Name: first, Kind: Block, Range: s, NameAt: syntax.Span{Start: s.Start, End: s.Start},
			Signature: first, Line: line}
		line += strings.Count(head, "\n")
	}
	return out
}

// Block is the kind of symbols that are parts of a text without syntax. They cannot be found by name.
const Block syntax.Kind = "block"
