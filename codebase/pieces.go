package codebase

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// The limits of pieces, in lines: a symbol that is longer than wholeLines is cut where
// the code leaves a blank line or comes back to the indentation of the body. Finer
// pieces hold fewer lines that nobody asked for, and more often half of a change (own
// measurement: 36, 8 and 20 are alike).
const (
	wholeLines = 24
	shortPiece = 6
	longPiece  = 16
)

// heldBy lists, of each symbol that holds others in its body, those directly in it.
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

// besides returns the lines of a symbol that belong to none of those it holds, as far
// as there is more than brackets on them; none of one that holds none.
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

// outside returns the runs of lines that belong to no symbol, as far as there is more than
// comments and brackets on them.
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

// wholeSpan returns the whole lines of a symbol, the comment above it and the blank line
// below it, where what is added behind it goes.
func wholeSpan(text string, s *syntax.Symbol) syntax.Span {
	at := s.Range
	if s.DocAt.Len() > 0 && s.DocAt.Start >= 0 && s.DocAt.End <= at.Start {
		at.Start = s.DocAt.Start
	}
	at.Start = strings.LastIndexByte(text[:at.Start], '\n') + 1
	if at.End == 0 || text[at.End-1] != '\n' { // a block of a file without symbols ends with a line
		at.End = lineEnd(text, at.End)
	}
	if below := lineEnd(text, at.End); strings.TrimSpace(text[at.End:below]) == "" {
		at.End = below
	}
	return at
}

// lineEnd returns where the line of a position ends.
func lineEnd(text string, pos int) int {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}

// leastLines is how many lines an excerpt has at least: fewer cost more to find than to
// read.
const leastLines = 5

// joinShort sorts excerpts by position, and joins those that are too short with each
// other or with the shorter one beside them. Of what is joined the likelier one speaks.
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
	done := out[:0] // behind the one at hand; what is ahead of it stays where it is
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

// join makes e hold another one's lines too. A symbol speaks where the likelier one has none.
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

// appendPieces cuts a long run of lines; a short one stays whole. The pieces cover it.
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

// closes reports whether a line begins with a closing bracket: it belongs to what is
// above.
func closes(line string) bool { return line != "" && strings.ContainsRune(")]}", rune(line[0])) }

// innerIndent is the least indentation of the lines that are deeper than the first.
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
