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

// wholeSpan returns the whole lines of a symbol and the comment above it.
func wholeSpan(text string, s *syntax.Symbol) syntax.Span {
	at := s.Range
	if s.DocAt.Len() > 0 && s.DocAt.Start >= 0 && s.DocAt.End <= at.Start {
		at.Start = s.DocAt.Start
	}
	at.Start = strings.LastIndexByte(text[:at.Start], '\n') + 1
	if i := strings.IndexByte(text[at.End:], '\n'); i >= 0 {
		at.End += i + 1
	} else {
		at.End = len(text)
	}
	return at
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
