// Package structure finds the parts of an entry's text, for editors that show them: [Outline] its symbols,
// [Folds] its foldable ranges, and [Tokens] the meaning of the format's words.
//
// All three are pure and linear in the text. They use the result of [format.Parse], and no parsing rules of
// their own, so that an editor and the tree agree about headings and relations. Relations are given as
// [tree.Snapshot.Relations] resolves them.
//
// Positions are byte offsets into [format.Entry.Text]; spans are half-open and lie in it.
package structure

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// frontmatter is the frontmatter with both of its fences, without the last line's end.
func frontmatter(e *format.Entry) (at markdown.Span, ok bool) {
	if e.Frontmatter.Start == 0 { // without a first fence there is no frontmatter
		return markdown.Span{}, false
	}
	head := e.Text[:e.Frontmatter.Start]
	start := strings.LastIndexByte(strings.TrimRight(head, "\r\n"), '-') - len("---") + 1
	return markdown.Span{Start: start, End: trimEnd(e.Text, markdown.Span{Start: start, End: e.Body.Start})}, true
}

// trimEnd is where a span ends without the white space at its end.
func trimEnd(text string, at markdown.Span) int {
	return at.Start + len(strings.TrimRight(at.Of(text), " \t\r\n"))
}

// inside cuts a span to what lies in another.
func inside(at, outer markdown.Span) markdown.Span {
	at.Start = min(max(at.Start, outer.Start), outer.End)
	at.End = min(max(at.End, at.Start), outer.End)
	return at
}

// FoldKind is the kind of a folded range.
type FoldKind int

// The kinds of folds.
const (
	FoldFrontmatter FoldKind = iota
	FoldSection
	FoldCode
)

// Fold is a stretch of at least two lines that can be shown as its first one.
type Fold struct {
	Kind  FoldKind
	At    markdown.Span // from the beginning of a line to the end of another, without its line end
	depth int           // how many others lie around it
}

// Folds lists the frontmatter, the sections without the blank lines at their end, and
// the fenced code, in order of place. Of more than limit, where that is not negative,
// the innermost are left out.
func Folds(e *format.Entry, limit int) []Fold {
	var out []Fold
	add := func(kind FoldKind, at markdown.Span) {
		if at.End = trimEnd(e.Text, at); strings.Contains(at.Of(e.Text), "\n") {
			out = append(out, Fold{Kind: kind, At: at})
		}
	}
	if at, ok := frontmatter(e); ok {
		add(FoldFrontmatter, at)
	}
	for _, s := range e.Sections {
		add(FoldSection, s.At)
	}
	for _, at := range fences(e) {
		add(FoldCode, at)
	}
	slices.SortStableFunc(out, func(a, b Fold) int { return a.At.Start - b.At.Start })
	return outermost(out, limit)
}

// outermost keeps, of nested folds in order of place, those with the fewest folds around them.
func outermost(folds []Fold, limit int) []Fold {
	if limit < 0 || len(folds) <= limit {
		return folds
	}
	var open []int // where the folds end that hold the present one
	at := make([]int, 0, len(folds))
	for i := range folds {
		for len(open) > 0 && open[len(open)-1] <= folds[i].At.Start {
			open = open[:len(open)-1]
		}
		folds[i].depth = len(open)
		open = append(open, folds[i].At.End)
		at = append(at, i)
	}
	slices.SortStableFunc(at, func(a, b int) int { return folds[a].depth - folds[b].depth })
	at = at[:limit]
	slices.Sort(at)
	kept := make([]Fold, 0, limit)
	for _, i := range at {
		kept = append(kept, folds[i])
	}
	return kept
}

// fences are the fenced blocks of the body, with both fences.
func fences(e *format.Entry) []markdown.Span {
	var out []markdown.Span
	body := e.Text[e.Body.Start:]
	for l := range markdown.Lines(body) {
		at := markdown.Span{Start: e.Body.Start + l.At.Start, End: e.Body.Start + l.At.End}
		switch l.Fence {
		case markdown.FenceOpen:
			out = append(out, at)
		case markdown.FenceText, markdown.FenceClose:
			out[len(out)-1].End = at.End
		}
	}
	return out
}
