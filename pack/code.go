package pack

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// maxSignatures is how many signatures stand for a file: eight per file were best
// in the measurement that the package comment names.
const maxSignatures = 8

// bodyCounts are the numbers of bodies that a file is offered with.
var bodyCounts = []int{1, 2, 4, 8}

// bytesPerToken is the most that a token holds in ordinary text: a larger text is
// not worth rendering.
const bytesPerToken = 12

// fileForms renders a file in each form that its symbols and the budget allow.
func fileForms(m *codebase.RepoMap, task Task, file string) []form {
	ranked := m.RankSymbols(task.Text, file)
	if file == task.File {
		ranked = cursorFirst(ranked, task.Offset)
	}
	forms := []form{{form: FormOutline, block: outlineLine(file, ranked), gain: gainOutline}}
	text, err := m.Read(file)
	c, _ := m.Chunk(file)
	if err != nil || strings.TrimSpace(text) == "" {
		return forms
	}
	if codebase.HashOf(text) == c.Hash {
		s := source{file, text, c.Language, fitting(ranked, text)}
		forms = append(forms, s.partial(task.Budget*bytesPerToken)...)
	}
	if len(text) > task.Budget*bytesPerToken {
		return forms
	}
	lines := linesOf(text, 0, len(text))
	head := "### " + code(file+":"+ranges([][2]int{lines})) + "\n"
	return append(forms, form{form: FormFull, block: head + fenced(string(c.Language), text), lines: lines, gain: gainFull})
}

// cursorFirst puts the smallest symbol around the cursor before all others.
func cursorFirst(ranked []codebase.RankedSymbol, offset int) []codebase.RankedSymbol {
	at := -1
	for i, r := range ranked {
		around := r.Symbol.Range.Start <= offset && offset <= r.Symbol.Range.End
		if around && (at < 0 || r.Symbol.Range.Len() < ranked[at].Symbol.Range.Len()) {
			at = i
		}
	}
	if at < 0 {
		return ranked
	}
	first := ranked[at]
	first.Score = 1
	rest := slices.Delete(slices.Clone(ranked), at, at+1)
	return append([]codebase.RankedSymbol{first}, rest...)
}

// maxNames is how many names an outline line shows.
const maxNames = 4

func outlineLine(file string, ranked []codebase.RankedSymbol) string {
	line := "- " + code(file)
	var names []string
	for _, r := range ranked {
		name := oneLine(r.Symbol.Name, maxTitle)
		if len(names) < maxNames && r.Score > 0 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		line += ": " + strings.Join(names, ", ")
	}
	return line
}

// fitting keeps symbols whose positions lie in the text.
func fitting(ranked []codebase.RankedSymbol, text string) []codebase.RankedSymbol {
	return slices.DeleteFunc(slices.Clone(ranked), func(r codebase.RankedSymbol) bool {
		s := r.Symbol.Range
		return s.Start < 0 || s.End > len(text) || s.Start >= s.End
	})
}

// source is a file whose symbols' positions are those of its text.
type source struct {
	path     string
	text     string
	language syntax.Language
	ranked   []codebase.RankedSymbol // best first
}

// partial renders signatures, the bodies of the best symbols, and these among the
// signatures of the others.
// The gain of a form grows with the share of relevance that its bodies hold.
func (s source) partial(maxBytes int) (forms []form) {
	if len(s.ranked) == 0 {
		return nil
	}
	outlined := s.ranked[:min(maxSignatures, len(s.ranked))]
	forms = append(forms, s.render(FormSkeleton, outlined, nil, gainSkeleton))
	var worth []codebase.RankedSymbol // relevant, and not a container of what is shown anyway
	total := 0.0
	for _, r := range s.ranked {
		if r.Score > 0 && !s.holdsOthers(r.Symbol) {
			worth = append(worth, r)
			total += r.Score
		}
	}
	for _, n := range bodyCounts {
		if n > len(worth) && n/2 >= len(worth) {
			break
		}
		bodies := worth[:min(n, len(worth))]
		held, size := 0.0, 0
		for _, r := range bodies {
			held += r.Score
			size += r.Symbol.Range.Len()
		}
		if size > maxBytes {
			break
		}
		share := held / total
		forms = append(forms,
			s.render(FormBody, nil, bodies, gainOutline+(gainBare-gainOutline)*share),
			s.render(FormBody, outlined, bodies, gainSkeleton+(gainBodies-gainSkeleton)*share))
	}
	return forms
}

func (s source) holdsOthers(outer *syntax.Symbol) bool {
	return slices.ContainsFunc(s.ranked, func(r codebase.RankedSymbol) bool {
		return r.Symbol != outer && outer.Body.Len() > 0 && outer.Body.Contains(r.Symbol.Range)
	})
}

// render draws the file in the order of its lines: runs of signatures, and bodies
// with the comment above them.
func (s source) render(f Form, outlined, bodies []codebase.RankedSymbol, gain float64) form {
	spans := s.bodySpans(bodies)
	signatures := s.between(outlined, spans)
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
	lines := s.extent(outlined, shown)
	block := "### " + code(where) + "\n" + fenced(string(s.language), out.String())
	return form{form: f, block: block, lines: lines, gain: gain}
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

// bodySpans returns the whole lines of some symbols and their comments, sorted,
// overlapping ones as one.
func (s source) bodySpans(bodies []codebase.RankedSymbol) []syntax.Span {
	var spans []syntax.Span
	for _, r := range bodies {
		at := r.Symbol.Range
		if doc := r.Symbol.DocAt; doc.Len() > 0 && doc.Start >= 0 && doc.End <= at.Start {
			at.Start = doc.Start
		}
		at.Start = strings.LastIndexByte(s.text[:at.Start], '\n') + 1
		if i := strings.IndexByte(s.text[at.End:], '\n'); i >= 0 {
			at.End += i + 1
		} else {
			at.End = len(s.text)
		}
		spans = append(spans, at)
	}
	slices.SortFunc(spans, func(a, b syntax.Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	var merged []syntax.Span
	for _, at := range spans {
		if n := len(merged); n > 0 && at.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, at.End)
			continue
		}
		merged = append(merged, at)
	}
	return merged
}

// between sorts the symbols that stay signatures into the gaps before, between
// and behind the bodies. What lies in a body is shown already.
func (s source) between(outlined []codebase.RankedSymbol, spans []syntax.Span) [][]syntax.Symbol {
	gaps := make([][]syntax.Symbol, len(spans)+1)
	for _, r := range outlined {
		at, _ := slices.BinarySearchFunc(spans, r.Symbol.Range.Start, func(b syntax.Span, start int) int {
			if b.End <= start {
				return -1
			}
			return 1
		})
		if at < len(spans) && spans[at].Start <= r.Symbol.Range.Start && r.Symbol.Range.End <= spans[at].End {
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
