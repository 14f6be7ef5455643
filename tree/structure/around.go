package structure

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Around lists for each of some places what encloses it, the innermost first, each
// strictly inside the next: the word, the relation or inline code, the line, the list
// items or the paragraph, the fenced code, the sections, the body and the whole text; in
// the frontmatter the value and the field. The last one is always the whole text.
func Around(e *format.Entry, relations []tree.Relation, offsets []int) [][]markdown.Span {
	m := newBlocks(e)
	out := make([][]markdown.Span, 0, len(offsets))
	for _, off := range offsets {
		off = min(max(off, 0), len(e.Text))
		out = append(out, nested(e.Text, off, m.candidates(relations, off)))
	}
	return out
}

// nested keeps of the spans that hold a place those that lie in one another.
func nested(text string, off int, spans []markdown.Span) []markdown.Span {
	spans = slices.DeleteFunc(spans, func(s markdown.Span) bool { return s.Start >= s.End || !s.Contains(off) })
	slices.SortStableFunc(spans, func(a, b markdown.Span) int { return cmp.Compare(a.End-a.Start, b.End-b.Start) })
	spans = append(spans, markdown.Span{Start: 0, End: len(text)})
	var out []markdown.Span
	for _, s := range spans {
		if len(out) == 0 || s != out[len(out)-1] && covers(s, out[len(out)-1]) {
			out = append(out, s)
		}
	}
	return out
}

// blocks are the lines of a text and what they are part of.
type blocks struct {
	e     *format.Entry
	front markdown.Span
	lines []markdown.Line // of the whole text; those of the frontmatter are no code
	of    []int           // for each line the innermost block, -1 for none
	all   []block
}

// block is a paragraph, a list item, a list or fenced code.
type block struct {
	at markdown.Span
	up int // the block around it, -1 for none
}

func newBlocks(e *format.Entry) *blocks {
	m := &blocks{e: e}
	m.front, _ = frontmatter(e)
	for l := range markdown.Lines(e.Text[:e.Body.Start]) {
		m.lines = append(m.lines, markdown.Line{At: l.At})
		m.of = append(m.of, -1)
	}
	r := reader{blocks: m, run: -1}
	for l := range markdown.Lines(e.Text[e.Body.Start:]) {
		l.At.Start, l.At.End = l.At.Start+e.Body.Start, l.At.End+e.Body.Start
		m.lines = append(m.lines, l)
		m.of = append(m.of, r.line(l))
	}
	return m
}

// reader finds the blocks line by line.
type reader struct {
	*blocks
	run   int    // the paragraph or list that goes on, -1 for none
	items []open // the list items that go on, each in the one before it
}

// maxItems is how deep lists nest; items below are part of the one that holds them. It
// keeps the cost of a line constant.
const maxItems = 16

// open is a list item that goes on.
type open struct{ block, indent int }

// line takes the next line up and returns its innermost block.
func (r *reader) line(l markdown.Line) int {
	s := l.At.Of(r.e.Text)
	trimmed := strings.TrimLeft(s, " \t")
	indent := len(s) - len(trimmed)
	switch {
	case l.Fence == markdown.FenceOpen:
		r.end()
		return r.begin(l, -1)
	case l.Fence == markdown.FenceText, l.Fence == markdown.FenceClose:
		return r.extend(len(r.all)-1, l)
	case strings.TrimSpace(s) == "" || strings.HasPrefix(s, "#"):
		r.end()
		return -1
	case r.run < 0:
		r.run = r.begin(l, -1)
	default:
		r.extend(r.run, l)
	}
	if markdown.Item(trimmed) > 0 {
		for len(r.items) > 0 && r.items[len(r.items)-1].indent >= indent {
			r.items = r.items[:len(r.items)-1]
		}
		up := r.run
		if len(r.items) > 0 {
			up = r.items[len(r.items)-1].block
		}
		if len(r.items) < maxItems {
			r.items = append(r.items, open{r.begin(l, up), indent})
		}
	}
	if len(r.items) == 0 {
		return r.run
	}
	for _, it := range r.items {
		r.extend(it.block, l)
	}
	return r.items[len(r.items)-1].block
}

func (r *reader) end() { r.run, r.items = -1, r.items[:0] }

func (r *reader) begin(l markdown.Line, up int) int {
	r.all = append(r.all, block{l.At, up})
	return len(r.all) - 1
}

func (r *reader) extend(i int, l markdown.Line) int {
	r.all[i].at.End = l.At.End
	return i
}

// candidates lists what may enclose a place, in no order.
func (m *blocks) candidates(relations []tree.Relation, off int) []markdown.Span {
	e := m.e
	out := []markdown.Span{word(e.Text, off), m.front, e.Frontmatter, e.Body}
	for i := sort.Search(len(relations), func(i int) bool { return relations[i].At.End >= off }); i < len(relations) &&
		relations[i].At.Start <= off; i++ {
		out = append(out, relations[i].At)
	}
	for i := sort.Search(len(e.Code), func(i int) bool { return e.Code[i].End >= off }); i < len(e.Code) && e.Code[i].Start <= off; i++ {
		out = append(out, e.Code[i])
	}
	if m.front.Contains(off) {
		out = append(out, values(e, off)...)
	}
	out = append(out, m.around(off)...)
	for _, s := range e.Sections {
		if s.At.Start > off {
			break
		}
		out = append(out, markdown.Span{Start: s.At.Start, End: trimEnd(e.Text, s.At)})
	}
	return out
}

// around lists the line of a place and the blocks that hold it.
func (m *blocks) around(off int) []markdown.Span {
	i := sort.Search(len(m.lines), func(i int) bool { return m.lines[i].At.Start > off }) - 1
	if i < 0 {
		return nil
	}
	at := m.lines[i].At
	s := at.Of(m.e.Text)
	out := []markdown.Span{at, {Start: at.Start + len(s) - len(strings.TrimLeft(s, " \t")), End: trimEnd(m.e.Text, at)}}
	for b := m.of[i]; b >= 0; b = m.all[b].up {
		out = append(out, m.all[b].at)
	}
	return out
}

// values are the fields of the frontmatter with their values.
func values(e *format.Entry, off int) []markdown.Span {
	var out []markdown.Span
	for _, f := range e.Fields {
		if !f.At.Contains(off) {
			continue
		}
		out = append(out, f.At, f.KeyAt)
		for _, item := range f.Items {
			out = append(out, item.At)
		}
	}
	return out
}

// word is the run of letters, digits and underscores that holds or ends at a place; empty
// if there is none.
func word(text string, off int) markdown.Span {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
	at := markdown.Span{Start: off, End: off}
	for at.Start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:at.Start])
		if !part(r) {
			break
		}
		at.Start -= size
	}
	for at.End < len(text) {
		r, size := utf8.DecodeRuneInString(text[at.End:])
		if !part(r) {
			break
		}
		at.End += size
	}
	return at
}
