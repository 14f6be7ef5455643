package pack

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
)

// source is a file whose symbols' positions are those of its text.
type source struct {
	path     string
	text     string
	veiled   func() secrets.Veiled // text without its credentials, once it is shown
	language syntax.Language
	size     int // bytes and estimated tokens of the file as it was mapped
	tokens   int
	ranked   []codebase.RankedSymbol // best first
	parts    []codebase.Excerpt      // nil where positions may not fit the text
	excerpts []excerpt

	signature form // where there are parts: the best symbol's signature alone, with its price
}

// newSource ranks a file's symbols and, for the better files, what can be shown of it by
// itself. Where the file stands among others plays no part in it yet.
func newSource(b *maker, path, text string, partial bool) *source {
	m := b.in.Code
	chunk, _ := m.Chunk(path)
	veiled := sync.OnceValue(func() secrets.Veiled { return secrets.Veil(text) })
	s := &source{path: path, text: text, veiled: veiled, language: chunk.Language, size: chunk.Size, tokens: chunk.Tokens,
		ranked: m.RankSymbols(b.query, path)}
	if partial && b.read(path).hash() == chunk.Hash {
		s.parts = m.Excerpts(fitting(s.ranked, text), b.query, path, text, 0, 0)
	}
	if s.parts != nil {
		fits := *s
		fits.ranked = fitting(s.ranked, text)
		fits.drawSignature(b)
		s.signature = fits.signature
	}
	return s
}

// drawSignature makes the form that says what a file is about: one signature, in a line of a list. What is likely to
// change is shown as it is. With two signatures and comments fewer files are named, and no more lines shown.
func (s *source) drawSignature(b *maker) {
	if len(s.ranked) == 0 {
		return
	}
	best := s.ranked[0].Symbol
	s.signature = form{form: FormSkeleton, shows: &block{kind: KindCode, form: FormSkeleton, source: s.path,
		symbols: []string{oneLine(best.Name, maxTitle)}, extent: [2]int{best.Line, best.Line}, text: code(oneLine(best.Signature, maxTitle))}}
	s.signature.price = b.price(&s.signature)
}

// take gives the excerpts their chances, for the rank and score that the file stands at,
// and returns the sum of these. Places speak for the excerpts around them, which is told
// among the file's reasons.
func (s *source) take(c *candidate, place int, spots []spot) (sum float64) {
	rank, score := c.effectiveRank(place)
	perByte := float64(s.tokens) / float64(max(1, len(s.text)))
	s.excerpts = make([]excerpt, 0, len(s.parts))
	for i := range s.parts {
		e := s.parts[i]
		e.Signals[codebase.FileRank], e.Signals[codebase.FileScore] = math.Log1p(float64(rank)), score
		x := excerpt{e.Symbol, e.Span, e.Chance(), excerptPrice + int(perByte*float64(e.Span.Len())), false}
		for _, p := range spots {
			if !p.wholeFile && x.span.Start <= p.span.End && p.span.Start <= x.span.End && p.chance > x.chance {
				x.chance, x.pinned = p.chance, x.pinned || p.pinned
				c.reasons = append(c.reasons, reason{p.reason, p.chance})
			}
		}
		s.excerpts = append(s.excerpts, x)
		sum += x.chance
	}
	return sum
}

// maxExcerpts is how many excerpts of one file are offered.
const maxExcerpts = 32

// partial adds a signature, and excerpts. These come in the order of chance per token, so
// that each form holds those of the form before it. Excerpts stand for the file, as
// the signature does, if they hold at least half of what is likely to change in it: a short
// constant does not.
func (s *source) partial(b *maker, right float64, forms []form) []form {
	if len(s.ranked) == 0 {
		return forms
	}
	forms = slices.Grow(forms, 2+min(maxExcerpts, len(s.excerpts)))
	signature := s.signature
	signature.gain = right * gainSignature
	forms = append(forms, signature)
	slices.SortStableFunc(s.excerpts, func(a, b excerpt) int {
		if a.pinned != b.pinned {
			return cmp.Compare(b.chance, a.chance)
		}
		return cmp.Or(cmp.Compare(b.chance*float64(a.tokens), a.chance*float64(b.tokens)), cmp.Compare(a.span.Start, b.span.Start))
	})
	price, held, all := headingTokens, 0.0, 1e-9
	for _, x := range s.excerpts {
		all += x.chance
	}
	draw := func(n int) *block { return s.draw(s.excerpts[:n]) }
	for n := range min(maxExcerpts, len(s.excerpts)) {
		price += s.excerpts[n].tokens
		held += s.excerpts[n].chance
		if price > b.task.Budget {
			break
		}
		forms = append(forms, form{form: FormBody, price: price, gain: signature.gain*min(1, 2*held/all) + held, draw: draw, n: n + 1})
	}
	return forms
}

// draw shows excerpts in the order of the file's lines. A piece of a symbol has the symbol's signature above it.
func (s *source) draw(excerpts []excerpt) *block {
	spans := s.spansOf(excerpts)
	of := heads(excerpts)
	signatures := s.between(of, spans)
	var out strings.Builder
	var shown [][2]int
	for i := 0; i <= len(spans); i++ {
		if len(signatures[i]) > 0 {
			out.WriteString(codebase.Skeleton(s.text, signatures[i]))
		} else if s.skips(spans, i) {
			out.WriteString(elision + "\n")
		}
		if i < len(spans) {
			out.WriteString(s.veiled().Part(spans[i].Start, spans[i].End))
			if !strings.HasSuffix(out.String(), "\n") {
				out.WriteByte('\n')
			}
			shown = append(shown, wordForWord(s.text, s.veiled(), spans[i].Start, spans[i].End)...)
		}
	}
	names := make([]string, len(of))
	for i, symbol := range of {
		names[i] = oneLine(symbol.Name, maxTitle)
	}
	return &block{kind: KindCode, form: FormBody, source: s.path, symbols: names, lines: shown, language: string(s.language),
		text: clean(out.String())}
}

// heads are the symbols that excerpts are of: the signature of one that is shown without it stands above its pieces.
func heads(excerpts []excerpt) (out []*syntax.Symbol) {
	for _, x := range excerpts {
		if x.symbol != nil && !slices.Contains(out, x.symbol) {
			out = append(out, x.symbol)
		}
	}
	return out
}

// skips reports whether more than blank lines lies before the body at i, or
// behind the last one.
func (s *source) skips(bodies []syntax.Span, i int) bool {
	start, end := 0, len(s.text)
	if i > 0 {
		start = bodies[i-1].End
	}
	if i < len(bodies) {
		end = bodies[i].Start
	}
	return strings.TrimSpace(s.text[start:end]) != ""
}

// spansOf returns the lines of some excerpts, sorted; those with at most blank lines
// between them are one.
func (s *source) spansOf(excerpts []excerpt) []syntax.Span {
	var spans []syntax.Span
	for _, x := range excerpts {
		spans = append(spans, x.span)
	}
	slices.SortFunc(spans, func(a, b syntax.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	var merged []syntax.Span
	for _, at := range spans {
		if n := len(merged); n > 0 && (at.Start <= merged[n-1].End || strings.TrimSpace(s.text[merged[n-1].End:at.Start]) == "") {
			merged[n-1].End = max(merged[n-1].End, at.End)
			continue
		}
		merged = append(merged, at)
	}
	return merged
}

// between sorts symbols into the gaps before, between
// and behind the excerpts. A signature that lies in one is shown already.
func (s *source) between(symbols []*syntax.Symbol, spans []syntax.Span) [][]syntax.Symbol {
	gaps := make([][]syntax.Symbol, len(spans)+1)
	for _, symbol := range symbols {
		name := symbol.NameAt
		at, _ := slices.BinarySearchFunc(spans, name.Start, func(b syntax.Span, start int) int {
			if b.End <= start {
				return -1
			}
			return 1
		})
		if at < len(spans) && spans[at].Start <= name.Start && name.End <= spans[at].End {
			continue
		}
		gaps[at] = append(gaps[at], *symbol)
	}
	return gaps
}
