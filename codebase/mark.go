package codebase

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// Mark is a mention of the context tree in a comment: `@brv:<domain>/<topic>`.
type Mark struct {
	Target string      // as written behind "@brv:": letters, digits and - _ . /
	At     syntax.Span // of the whole mention, in bytes
}

// Marks returns the mentions of the context tree in the file's comments and docstrings,
// in order of position, up to 64. In a file without syntax they are those behind a
// comment sign. The caller must not change it.
func (c *Chunk) Marks() []Mark { return c.rec.marks }

// Marked returns the files that have [Chunk.Marks], sorted by path.
func (m *RepoMap) Marked() []*Chunk {
	var out []*Chunk
	for _, c := range m.chunks {
		if len(c.rec.marks) > 0 {
			out = append(out, c)
		}
	}
	return out
}

const (
	markSign = "@brv:"

	// The limits of marks: some for each function of a long file, and the longest path that entries have.
	// Text beyond them is not a mark.
	maxMarks  = 64
	maxTarget = 200 // bytes
)

// marksOf finds the marks of a text in the comments of its parse.
func marksOf(text string, f *syntax.File) (out []Mark) {
	comments := f.Comments
	for at := strings.Index(text, markSign); at >= 0 && len(out) < maxMarks; at = nextMark(text, at) {
		for len(comments) > 0 && comments[0].End <= at {
			comments = comments[1:]
		}
		inside := len(comments) > 0 && comments[0].Start <= at
		if len(f.Comments) == 0 && f.Partial != "" {
			inside = behindSign(text[strings.LastIndexByte(text[:at], '\n')+1 : at])
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); !inside || isTargetRune(before) {
			continue
		}
		target := targetAt(text[at+len(markSign):])
		end := at + len(markSign) + len(target)
		if inside := len(f.Comments) == 0 || end <= comments[0].End; inside && target != "" && len(target) <= maxTarget {
			out = append(out, Mark{strings.Clone(target), syntax.Span{Start: at, End: end}})
		}
	}
	return out
}

// nextMark returns where the sign after that at a position is, -1 if there is none.
func nextMark(text string, at int) int {
	from := at + len(markSign)
	if next := strings.Index(text[from:], markSign); next >= 0 {
		return from + next
	}
	return -1
}

// targetAt returns the target that a text begins with. A full stop or slash at its end
// belongs to the sentence.
func targetAt(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !isTargetRune(r) })
	if end < 0 {
		end = len(text)
	}
	return strings.TrimRight(text[:end], "./")
}

// CanMark reports whether a mark can carry a target, so that it is read as written.
func CanMark(target string) bool {
	return target != "" && len(target) <= maxTarget && targetAt(target) == target
}

func isTargetRune(r rune) bool {
	return r == '-' || r == '_' || r == '.' || r == '/' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// The signs that begin a comment in the kinds of text whose syntax is not known: behind
// code, and those that are operators there, at the start of a line.
var (
	inlineSigns = []string{"//", "#", "--", ";", "/*", "<!--", "(*", "{-"}
	lineSigns   = []string{"*", "%", "!", "'", "rem ", "REM "}
)

// behindSign reports whether a comment begins in a line before its end: with a sign at
// the start, or behind a blank and outside quotes as far as the line tells.
func behindSign(line string) bool {
	start := strings.TrimLeft(line, " \t")
	if beginsWith(start, inlineSigns) || beginsWith(start, lineSigns) {
		return true
	}
	quote := byte(0)
	for i := range len(start) {
		c, before := start[i], byte(' ')
		if i > 0 {
			before = start[i-1]
		}
		switch {
		case quote != 0:
			if c == quote && before != '\\' {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case (before == ' ' || before == '\t') && beginsWith(start[i:], inlineSigns):
			return true
		}
	}
	return false
}

func beginsWith(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.HasPrefix(text, sign) })
}
