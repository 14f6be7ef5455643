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

	signatures form // where there are parts: signatures alone, with their price

	heading int // what a heading costs, and a token of text, in the pack's format
	factor  float64
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
		fits.drawSignatures(b)
		s.signatures = fits.signatures
	}
	return s
}

// drawSignatures makes the form of signatures alone.
func (s *source) drawSignatures(b *maker) {
	s.signatures = form{form: FormSkeleton, shows: s.draw(FormSkeleton, s.ranked[:min(maxSignatures, len(s.ranked))], nil)}
	s.signatures.price = b.price(&s.signatures)
}

// take gives the excerpts their chances, for the rank and score that the file stands at,
// and returns the sum of these. Places speak for the excerpts around them, which is told
// among the file's reasons.
func (s *source) take(c *candidate, place int, spots []spot) (sum float64) {
	rank, score := c.effectiveRank(place)
	perByte := s.factor * float64(s.tokens) / float64(max(1, len(s.text)))
	s.excerpts = make([]excerpt, 0, len(s.parts))
	for i := range s.parts {
		e := s.parts[i]
		e.Signals[codebase.FileRank], e.Signals[codebase.FileScore] = math.Log1p(float64(rank)), score
		x := excerpt{e.Symbol, e.Span, e.Chance(), excerptPrice + int(perByte*float64(e.Span.Len()))}
		for _, p := range spots {
			if !p.wholeFile && x.span.Start <= p.span.End && p.span.Start <= x.span.End && p.chance > x.chance {
				x.chance = p.chance
				c.reasons = append(c.reasons, reason{p.reason, p.chance})
			}
		}
		s.excerpts = append(s.excerpts, x)
		sum += x.chance
	}
	return sum
}

// maxSignatures is how many signatures a file is offered with, to say what it is about:
// what is likely to change is shown as it is. With four or six instead fewer files are
// named, and no more lines shown.
const maxSignatures = 2

// maxExcerpts is how many excerpts of one file are offered.
const maxExcerpts = 32

// partial adds signatures, and excerpts. These come in the order of chance per token, so
// that each form holds those of the form before it. Excerpts stand for the file, as
// signatures do, if they hold at least half of what is likely to change in it: a short
// constant does not.
func (s *source) partial(b *maker, right float64, forms []form) []form {
	if len(s.ranked) == 0 {
		return forms
	}
	forms = slices.Grow(forms, 2+min(maxExcerpts, len(s.excerpts)))
	signatures := s.signatures
	signatures.gain = right * gainSignatures
	forms = append(forms, signatures)
	slices.SortStableFunc(s.excerpts, func(a, b excerpt) int {
		return cmp.Or(cmp.Compare(b.chance*float64(a.tokens), a.chance*float64(b.tokens)), cmp.Compare(a.span.Start, b.span.Start))
	})
	price, held, all := s.heading, 0.0, 1e-9
	for _, x := range s.excerpts {
		all += x.chance
	}
	draw := func(n int) *block { return s.draw(FormBody, nil, s.excerpts[:n]) }
	for n := range min(maxExcerpts, len(s.excerpts)) {
		price += s.excerpts[n].tokens
		held += s.excerpts[n].chance
		if price > b.task.Budget {
			break
		}
		forms = append(forms, form{form: FormBody, price: price, gain: signatures.gain*min(1, 2*held/all) + held, draw: draw, n: n + 1})
	}
	return forms
}

// more offers the excerpts that a kept block of the file does not show.
func (s *source) more(b *maker, kept *priorBlock) (forms []form) {
	if kept.Form == FormFull {
		return nil
	}
	s.excerpts = slices.DeleteFunc(s.excerpts, func(x excerpt) bool {
		lines := wordForWord(s.text, s.veiled(), x.span.Start, x.span.End)
		return !slices.ContainsFunc(lines, func(at [2]int) bool {
			return !slices.ContainsFunc(kept.lines, func(l [2]int) bool { return l[0] <= at[0] && at[1] <= l[1] })
		})
	})
	for _, f := range s.partial(b, 0, nil) {
		if f.form == FormBody {
			forms = append(forms, f)
		}
	}
	return forms
}

// draw shows the file in the order of its lines: runs of signatures, and excerpts.
// A piece of a symbol has the symbol's signature above it.
func (s *source) draw(f Form, outlined []codebase.RankedSymbol, excerpts []excerpt) *block {
	spans := s.spansOf(excerpts)
	signatures := s.between(withHeads(outlined, excerpts), spans)
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
	return &block{kind: KindCode, form: f, source: s.path, lines: shown, extent: s.extent(outlined, shown),
		language: string(s.language), text: clean(out.String())}
}

// withHeads adds the symbols of which only pieces without the signature are shown.
func withHeads(outlined []codebase.RankedSymbol, excerpts []excerpt) []codebase.RankedSymbol {
	out := slices.Clone(outlined)
	for _, x := range excerpts {
		if x.symbol != nil && !slices.ContainsFunc(out, func(r codebase.RankedSymbol) bool { return r.Symbol == x.symbol }) {
			out = append(out, codebase.RankedSymbol{Symbol: x.symbol})
		}
	}
	return out
}

// elision stands for left out lines, as in [codebase.Skeleton].
const elision = "⋮"

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

// between sorts the symbols that stay signatures into the gaps before, between
// and behind the excerpts. A signature that lies in one is shown already.
func (s *source) between(outlined []codebase.RankedSymbol, spans []syntax.Span) [][]syntax.Symbol {
	gaps := make([][]syntax.Symbol, len(spans)+1)
	for _, r := range outlined {
		name := r.Symbol.NameAt
		at, _ := slices.BinarySearchFunc(spans, name.Start, func(b syntax.Span, start int) int {
			if b.End <= start {
				return -1
			}
			return 1
		})
		if at < len(spans) && spans[at].Start <= name.Start && name.End <= spans[at].End {
			continue
		}
		gaps[at] = append(gaps[at], *r.Symbol)
	}
	return gaps
}

// extent returns the first and last line that a form speaks of.
func (s *source) extent(outlined []codebase.RankedSymbol, shown [][2]int) [2]int {
	lines := [2]int{}
	widen := func(first, last int) {
		if lines[0] == 0 || first < lines[0] {
			lines[0] = first
		}
		lines[1] = max(lines[1], last)
	}
	for _, r := range outlined {
		widen(r.Symbol.Line, r.Symbol.Line)
	}
	for _, at := range shown {
		widen(at[0], at[1])
	}
	return lines
}
