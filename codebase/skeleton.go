package codebase

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// elision marks parts that a skeleton or outline leaves out.
const elision = "⋮"

// Skeleton shortens a text to the signatures of its symbols with the first line
// of each doc comment; bodies become "⋮". Symbols inside a shown one keep their
// indentation. Positions must be those of text; symbols that do not fit it are
// left out.
func Skeleton(text string, symbols []syntax.Symbol) string {
	ordered := make([]syntax.Symbol, 0, len(symbols))
	for _, s := range symbols {
		if 0 <= s.Range.Start && s.Range.Start <= s.NameAt.Start && s.NameAt.End <= s.Range.End && s.Range.End <= len(text) {
			ordered = append(ordered, s)
		}
	}
	slices.SortStableFunc(ordered, func(a, b syntax.Symbol) int { return a.NameAt.Start - b.NameAt.Start })
	var out strings.Builder
	last := 0 // end of the text handled so far
	for i, s := range ordered {
		if s.Range.Start > last && strings.TrimSpace(text[last:s.Range.Start]) != "" && gapMatters(text[last:s.Range.Start]) {
			out.WriteString(elision + "\n")
		}
		indent := indentOf(text, s.Range.Start)
		if doc := firstLine(s.Doc); doc != "" {
			out.WriteString(indent + commentMark(text, s) + doc + "\n")
		}
		out.WriteString(indent + s.Signature)
		if s.Body.Len() > 0 && !holdsNext(ordered, i) {
			out.WriteString(" " + elision)
		}
		out.WriteString("\n")
		last = max(last, s.Range.End)
		if holdsNext(ordered, i) {
			last = max(s.Range.Start, s.Body.Start)
			if s.Body.Contains(s.DocAt) {
				last = min(s.DocAt.End, len(text)) // a docstring
			}
		}
	}
	if strings.TrimSpace(text[min(last, len(text)):]) != "" && gapMatters(text[min(last, len(text)):]) {
		out.WriteString(elision + "\n")
	}
	return out.String()
}

// holdsNext reports whether the symbol after index i is inside the body of i.
func holdsNext(symbols []syntax.Symbol, i int) bool {
	return i+1 < len(symbols) && symbols[i].Body.Contains(symbols[i+1].Range) && symbols[i].Body.Len() > 0
}

// gapMatters reports whether an omitted text is more than comments and closing brackets.
func gapMatters(gap string) bool {
	for line := range strings.SplitSeq(gap, "\n") {
		line = strings.TrimSpace(line)
		if strings.Trim(line, "{}()[];,") == "" {
			continue
		}
		if bringsIn(line) || !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "*") &&
			!strings.HasPrefix(line, "/*") {
			return true
		}
	}
	return false
}

// bringsIn reports whether a line of C's preprocessor counts as code. In other languages a # begins a comment.
func bringsIn(line string) bool {
	rest, ok := strings.CutPrefix(line, "#")
	return ok && slices.ContainsFunc([]string{"include", "import", "define", "undef", "pragma"}, func(word string) bool {
		return strings.HasPrefix(rest, word+" ") || strings.HasPrefix(rest, word+"<") || strings.HasPrefix(rest, word+"\"")
	})
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

// indentOf returns the white space before a position on its line.
func indentOf(text string, pos int) string {
	line := text[strings.LastIndexByte(text[:pos], '\n')+1 : pos]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// commentMark returns the mark that begins a line comment in the language of a doc comment.
func commentMark(text string, s syntax.Symbol) string {
	if s.DocAt.Start >= 0 && s.DocAt.End <= len(text) && s.DocAt.Start < s.DocAt.End {
		if c := text[s.DocAt.Start]; c != '/' {
			return "# "
		}
	}
	return "// "
}
