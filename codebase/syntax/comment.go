package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// comments lists the comments and docstrings in order of position, without surrounding blanks. None overlaps
// another.
func (a *assembler) comments() []Span {
	out := make([]Span, 0, len(a.docs)+len(a.docstrings))
	out = append(out, a.docs...)
	for _, at := range a.docstrings {
		out = append(out, at)
	}
	slices.SortFunc(out, bySpan)
	kept := out[:0]
	for _, at := range out {
		if len(kept) == 0 || at.Start >= kept[len(kept)-1].End {
			kept = append(kept, at)
		}
	}
	return slices.Clip(kept)
}

// docFinder finds the comment directly above a definition.
type docFinder struct {
	src   string
	leads []lead // in order of position
}

// lead is a comment, or an attribute, which may stand between a comment and its definition.
type lead struct {
	at   Span
	skip bool
}

func (a *assembler) docFinder() *docFinder {
	f := &docFinder{src: a.src}
	for _, at := range a.docs {
		f.leads = append(f.leads, lead{at, false})
	}
	for _, at := range a.skips {
		f.leads = append(f.leads, lead{at, true})
	}
	slices.SortFunc(f.leads, func(x, y lead) int { return bySpan(x.at, y.at) })
	return f
}

// before returns how many of the leads begin before pos.
func (f *docFinder) before(pos int) int {
	i, _ := slices.BinarySearchFunc(f.leads, pos, func(l lead, pos int) int { return cmp.Compare(l.at.Start, pos) })
	return i
}

// above returns the consecutive comments that end on the line above pos.
func (f *docFinder) above(pos int) Span {
	var doc Span
	for i := f.before(pos) - 1; i >= 0; i-- {
		l := f.leads[i]
		if !f.adjacent(l.at, pos) {
			break
		}
		pos = l.at.Start
		if l.skip {
			continue
		}
		if doc == (Span{}) {
			doc.End = l.at.End
		}
		doc.Start = l.at.Start
	}
	return doc
}

// adjacent reports whether s begins its line and ends on the line above pos.
func (f *docFinder) adjacent(s Span, pos int) bool {
	if s.End > pos {
		return false
	}
	gap := f.src[s.End:pos]
	if strings.TrimSpace(gap) != "" || strings.Count(gap, "\n") != 1 {
		return false
	}
	lineStart := strings.LastIndexByte(f.src[:s.Start], '\n') + 1
	return strings.TrimSpace(f.src[lineStart:s.Start]) == ""
}

// maxDoc bounds the doc text that is kept, to what a hover can show.
const maxDoc = 600

// commentMarks are the marks with which a line of a comment can begin, longest first.
var (
	commentMarks     = []string{"/**", "/*", "///", "//!", "//", "#", "*"}
	dashCommentMarks = []string{"--[[", "---", "--", "/**", "/*", "*"} // Lua and SQL
)

// docText strips a comment's or docstring's markers.
func docText(lang Language, raw string) string {
	if body, ok := docstring(raw); ok {
		return shorten(strings.TrimSpace(dedent(body)), maxDoc)
	}
	marks := commentMarks
	if lang == Lua || lang == SQL {
		marks = dashCommentMarks
		raw = strings.TrimSuffix(raw, "]]")
	}
	var lines []string
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "//go:") || strings.HasPrefix(line, "//nolint") || strings.HasPrefix(line, "#[") {
			continue
		}
		line = strings.TrimSuffix(line, "*/")
		for _, mark := range marks {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				line = rest
				break
			}
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return shorten(strings.TrimSpace(strings.Join(lines, "\n")), maxDoc)
}

// docstring returns the text between the quotes of a Python string.
func docstring(raw string) (string, bool) {
	s := strings.TrimLeft(raw, "rRuUbB")
	for _, q := range []string{`"""`, "'''", `"`, "'"} {
		if strings.HasPrefix(s, q) && strings.HasSuffix(s, q) && len(s) >= 2*len(q) {
			return s[len(q) : len(s)-len(q)], true
		}
	}
	return "", false
}

func dedent(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}
