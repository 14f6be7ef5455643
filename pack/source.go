package pack

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// excerpt is a part of a file that may be shown by itself.
type excerpt struct {
	symbol *syntax.Symbol
	span   syntax.Span // whole lines
	chance float64     // that a change touches it
	tokens int         // estimated, with what it costs beside its text
}

// source is a file whose symbols' positions are those of its text.
type source struct {
	path     string
	text     string
	language syntax.Language
	ranked   []codebase.RankedSymbol // best first
	excerpts []excerpt
}

// take keeps excerpts with what they cost, and returns the sum of their chances.
func (s *source) take(all []codebase.Excerpt, task Task, tokensPerByte float64) (sum float64) {
	s.excerpts = make([]excerpt, 0, len(all))
	for i := range all {
		e := &all[i]
		x := excerpt{e.Symbol, e.Span, e.Chance(), excerptPrice + int(tokensPerByte*float64(e.Span.Len()))}
		if s.path == task.File && x.span.Start <= task.Offset && task.Offset <= x.span.End {
			x.chance = max(x.chance, atCursor)
		}
		s.excerpts = append(s.excerpts, x)
		sum += x.chance
	}
	return sum
}

// signatureCounts are the numbers of signatures that a file is offered with: a few
// say what it is about, eight show most files well (own measurement).
var signatureCounts = [2]int{2, 8}

// maxExcerpts is how many excerpts of one file are offered.
const maxExcerpts = 32

// partial offers signatures, and excerpts with and without signatures among them. The
// excerpts come in the order of chance per token, so that each form holds those of the
// form before it. Excerpts alone stand for the file, as signatures do, if they hold at
// least half of what is likely to change in it: a short constant does not.
func (s source) partial(estimate func(string) int, right float64, budget int) (forms []form) {
	if len(s.ranked) == 0 {
		return nil
	}
	var outlined [2][]codebase.RankedSymbol
	var prices [2]int
	for i, n := range signatureCounts {
		outlined[i] = s.ranked[:min(n, len(s.ranked))]
		f := s.render(FormSkeleton, outlined[i], nil)
		f.gain = right * gainsSignatures[i]
		f.price = estimate(f.block)
		prices[i] = f.price - headingPrice
		if i == 0 || n/2 < len(s.ranked) {
			forms = append(forms, f)
		}
	}
	slices.SortStableFunc(s.excerpts, func(a, b excerpt) int {
		return cmp.Or(cmp.Compare(b.chance*float64(a.tokens), a.chance*float64(b.tokens)), cmp.Compare(a.span.Start, b.span.Start))
	})
	price, held, all := headingPrice, 0.0, 1e-9
	for _, x := range s.excerpts {
		all += x.chance
	}
	for n := range min(maxExcerpts, len(s.excerpts)) {
		price += s.excerpts[n].tokens
		held += s.excerpts[n].chance
		if price > budget {
			break
		}
		some := s.excerpts[:n+1]
		forms = append(forms, form{form: FormBody, price: price, gain: right*gainsSignatures[0]*min(1, 2*held/all) + held,
			draw: func() form { return s.render(FormBody, nil, some) }},
			form{form: FormBody, price: price + prices[1], gain: right*gainsSignatures[1] + held,
				draw: func() form { return s.render(FormBody, outlined[1], some) }})
	}
	return forms
}

// render draws the file in the order of its lines: runs of signatures, and excerpts.
// A piece of a symbol has the symbol's signature above it.
func (s source) render(f Form, outlined []codebase.RankedSymbol, excerpts []excerpt) form {
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
			out.WriteString(s.text[spans[i].Start:spans[i].End])
			if !strings.HasSuffix(out.String(), "\n") {
				out.WriteByte('\n')
			}
			shown = append(shown, linesOf(s.text, spans[i].Start, spans[i].End))
		}
	}
	where := s.path
	if len(shown) > 0 {
		where += ":" + ranges(shown)
	}
	block := "### " + code(where) + "\n" + fenced(string(s.language), out.String())
	return form{form: f, block: block, lines: s.extent(outlined, shown)}
}

// withHeads adds the symbols of which only pieces without the signature are shown.
func withHeads(outlined []codebase.RankedSymbol, excerpts []excerpt) []codebase.RankedSymbol {
	out := slices.Clone(outlined)
	for _, x := range excerpts {
		if !slices.ContainsFunc(out, func(r codebase.RankedSymbol) bool { return r.Symbol == x.symbol }) {
			out = append(out, codebase.RankedSymbol{Symbol: x.symbol})
		}
	}
	return out
}

// elision stands for left out lines, as in [codebase.Skeleton].
const elision = "⋮"

// skips reports whether more than blank lines lies before the body at i, or
// behind the last one.
func (s source) skips(bodies []syntax.Span, i int) bool {
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
func (s source) spansOf(excerpts []excerpt) []syntax.Span {
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
func (s source) between(outlined []codebase.RankedSymbol, spans []syntax.Span) [][]syntax.Symbol {
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
func (s source) extent(outlined []codebase.RankedSymbol, shown [][2]int) [2]int {
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
