package codebase

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// The limits of pieces, in lines. A symbol that is longer than wholeLines is cut at blank lines, or where the code
// returns to the indentation of the body. Smaller pieces contain fewer irrelevant lines, but more often only half
// of a change (own measurement: 36, 8 and 20 are about equal).
const (
	wholeLines = 24
	shortPiece = 6
	longPiece  = 16
)

// heldBy lists, for each symbol, the symbols directly in its body.
func heldBy(ranked []RankedSymbol) map[*syntax.Symbol][]*syntax.Symbol {
	all := make([]*syntax.Symbol, len(ranked))
	for i := range ranked {
		all[i] = ranked[i].Symbol
	}
	slices.SortStableFunc(all, func(a, b *syntax.Symbol) int {
		return cmp.Or(a.Range.Start-b.Range.Start, b.Range.End-a.Range.End)
	})
	out := map[*syntax.Symbol][]*syntax.Symbol{}
	var open []*syntax.Symbol
	for _, s := range all {
		for len(open) > 0 && open[len(open)-1].Range.End <= s.Range.Start {
			open = open[:len(open)-1]
		}
		if n := len(open); n > 0 && open[n-1].Body.Len() > 0 && open[n-1].Body.Contains(s.Range) {
			out[open[n-1]] = append(out[open[n-1]], s)
		}
		open = append(open, s)
	}
	return out
}

// besides returns the lines of a symbol that belong to none of the symbols in it, unless they contain only
// brackets. It returns none if the symbol contains no others.
func besides(text string, span syntax.Span, held []*syntax.Symbol) (out []syntax.Span) {
	if len(held) == 0 {
		return nil
	}
	at := span.Start
	add := func(end int) {
		if end > at && gapMatters(text[at:end]) {
			out = append(out, syntax.Span{Start: at, End: end})
		}
	}
	for _, h := range held {
		if h.Range.Start < 0 || h.Range.End > len(text) || h.Range.Start > h.Range.End {
			continue
		}
		inner := wholeSpan(text, h)
		add(inner.Start)
		at = max(at, inner.End)
	}
	add(span.End)
	return out
}

// outside returns the runs of lines that belong to no symbol, unless they contain only comments and brackets.
func outside(text string, ranked []RankedSymbol) (out []syntax.Span) {
	spans := make([]syntax.Span, 0, len(ranked)+1)
	for _, r := range ranked {
		if at := r.Symbol.Range; r.Symbol.Kind != syntax.Module && at.Start >= 0 && at.Start < at.End && at.End <= len(text) {
			spans = append(spans, wholeSpan(text, r.Symbol))
		}
	}
	slices.SortFunc(spans, func(a, b syntax.Span) int { return cmp.Compare(a.Start, b.Start) })
	at := 0
	for _, s := range append(spans, syntax.Span{Start: len(text), End: len(text)}) {
		if s.Start > at && gapMatters(text[at:s.Start]) {
			out = append(out, syntax.Span{Start: at, End: s.Start})
		}
		at = max(at, s.End)
	}
	return out
}

// wholeSpan returns the whole lines of a symbol, with the comment above it and the blank line below it, where
// additions after the symbol go.
func wholeSpan(text string, s *syntax.Symbol) syntax.Span {
	at := s.Range
	if s.DocAt.Len() > 0 && s.DocAt.Start >= 0 && s.DocAt.End <= at.Start {
		at.Start = s.DocAt.Start
	}
	at.Start = strings.LastIndexByte(text[:at.Start], '\n') + 1
	if at.End == 0 || text[at.End-1] != '\n' { // a block in a file without symbols ends with its newline already
		at.End = lineEnd(text, at.End)
	}
	if below := lineEnd(text, at.End); strings.TrimSpace(text[at.End:below]) == "" {
		at.End = below
	}
	return at
}

// lineEnd returns the end of the line at a position.
func lineEnd(text string, pos int) int {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

// leastLines is the least number of lines in an excerpt: finding a shorter one costs more than reading it.
const leastLines = 5

// joinShort sorts excerpts by position. It joins those that are too short with each other, or with the shorter
// neighbour. The joined excerpt describes its most likely part.
func joinShort(all []Excerpt, text string) []Excerpt {
	slices.SortStableFunc(all, func(a, b Excerpt) int { return cmp.Or(a.Span.Start-b.Span.Start, b.Span.End-a.Span.End) })
	lines := func(e *Excerpt) int { return strings.Count(text[e.Span.Start:e.Span.End], "\n") }
	near := func(a, b *Excerpt) bool {
		if b.Span.Start <= a.Span.End {
			return true
		}
		gap := text[a.Span.End:b.Span.Start]
		return strings.Count(gap, "\n") < leastLines && !gapMatters(gap)
	}
	out := make([]Excerpt, 0, len(all))
	for i := range all {
		e := &all[i]
		if n := len(out); n > 0 {
			last := &out[n-1]
			if e.Span.Start < last.Span.End || lines(last) < leastLines && lines(e) < leastLines && near(last, e) {
				last.join(e)
				continue
			}
		}
		out = append(out, *e)
	}
	done := out[:0] // excerpts before the current one; those after it stay at their place
	for i := 0; i < len(out); i++ {
		e := out[i]
		for lines(&e) < leastLines {
			n := len(done)
			back := n > 0 && near(&done[n-1], &e)
			ahead := i+1 < len(out) && near(&e, &out[i+1])
			switch {
			case ahead && (!back || lines(&out[i+1]) < lines(&done[n-1])):
				i++
				e.join(&out[i])
				continue
			case back:
				done[n-1].join(&e)
				e, done = done[n-1], done[:n-1]
				continue
			}
			break
		}
		done = append(done, e)
	}
	return done
}

// join adds the lines of another excerpt to e. It keeps a symbol if the more likely one of the two has none.
func (e *Excerpt) join(o *Excerpt) {
	span := syntax.Span{Start: min(e.Span.Start, o.Span.Start), End: max(e.Span.End, o.Span.End)}
	other := *o
	if other.Chance() > e.Chance() {
		*e, other = other, *e
	}
	if e.Symbol == nil {
		e.Symbol, e.Head = other.Symbol, other.Head
	}
	e.Span = span
}

// appendPieces cuts a long run of lines into pieces that cover it; a short run stays whole.
func appendPieces(out []syntax.Span, text string, span syntax.Span) []syntax.Span {
	body := text[span.Start:span.End]
	left := strings.Count(body, "\n")
	if left <= wholeLines {
		return append(out, span)
	}
	inner := innerIndent(body)
	start, lines, blank := 0, 0, false
	for pos := 0; pos < len(body); {
		end := len(body)
		if i := strings.IndexByte(body[pos:], '\n'); i >= 0 {
			end = pos + i + 1
		}
		line := strings.TrimRight(body[pos:end], " \t\r\n")
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		opens := blank || indent <= inner && !closes(line[indent:])
		if line != "" && (lines >= longPiece || lines >= shortPiece && opens) && left >= shortPiece {
			out = append(out, syntax.Span{Start: span.Start + start, End: span.Start + pos})
			start, lines = pos, 0
		}
		blank = line == ""
		lines++
		left--
		pos = end
	}
	return append(out, syntax.Span{Start: span.Start + start, End: span.End})
}

// closes reports whether a line begins with a closing bracket, so that it belongs to the text above.
func closes(line string) bool { return line != "" && strings.ContainsRune(")]}", rune(line[0])) }

// innerIndent returns the least indentation among the lines that are indented more than the first.
func innerIndent(body string) int {
	first, least := -1, math.MaxInt
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, " \t\r\n")
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		switch {
		case line == "":
		case first < 0:
			first = indent
		case indent > first:
			least = min(least, indent)
		}
	}
	return least
}

// testMarks begin tests inside of a source file, at the left margin: test modules in Rust, the block of a Python
// file that runs as a program, and suites in JavaScript.
var testMarks = []string{"#[cfg(test)]", "if __name__", "describe("}

// testSpans returns the blocks of a text that test the rest of it. A block ends with the closing bracket at the
// left margin, or before the next line at the left margin.
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

// marginEnd returns the end of the block that begins at a position. Attributes may stand above the block's first
// line.
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
