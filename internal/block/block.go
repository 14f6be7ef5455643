// Package block writes a block into another owner's text file, between two lines that are comments of the
// file's language. The text around the block stays as it is, byte for byte, and removing the block restores
// the former text: a text that did not end in a line end does not end in one then either.
//
// Other marks belong to others and stay as they are ([Style.Strays]): a mark without a partner, and in
// Markdown one inside of a fenced code block or of another comment. A second block is removed.
package block

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Style holds the signs of a comment of one line in a language.
type Style struct {
	Open, Close string
	Markdown    bool                   // blocks inside code or comments do not count, and a blank line precedes a new block
	Ours        func(body string) bool // reports whether a block between marks is ours; nil: all are
}

// The styles.
var (
	Markdown = Style{Open: "<!-- ", Close: " -->", Markdown: true}
	Hash     = Style{Open: "# "}
	Lisp     = Style{Open: ";; "}
	Lua      = Style{Open: "-- "}
)

const (
	begins = "brv-lsp: begin"
	ends   = "brv-lsp: end"
)

func (s Style) line(what string) string { return s.Open + what + s.Close }

// Put returns the text with the block, at its old place or else at the end; before a fence or a comment of
// Markdown that lasts to the end. Fences and comments that a body begins must end in it.
func (s Style) Put(text, body string) string {
	found := s.scan(text)
	nl := "\n"
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	block := s.line(begins) + "\n" + strings.TrimRight(body, "\n") + "\n" + s.line(ends)
	block = strings.ReplaceAll(block, "\n", nl)
	if len(found.blocks) > 0 {
		for _, second := range slices.Backward(found.blocks[1:]) {
			text = s.without(text, second)
		}
		return text[:found.blocks[0].Start] + block + text[found.blocks[0].End:]
	}
	apart := ""
	if s.Markdown {
		apart = nl
	}
	switch before, behind := text[:found.room], text[found.room:]; {
	case before == "":
		return block + nl + behind
	case strings.HasSuffix(before, "\n"):
		return before + apart + block + nl + behind
	}
	return text + nl + apart + block
}

// Cut is a text without the block.
func (s Style) Cut(text string) string {
	for _, at := range slices.Backward(s.scan(text).blocks) {
		text = s.without(text, at)
	}
	return text
}

// without is a text without one block.
func (s Style) without(text string, at markdown.Span) string {
	before, behind := text[:at.Start], text[at.End:]
	for _, nl := range []string{"\r\n", "\n"} {
		if s.Markdown && strings.HasSuffix(before, "\n"+nl) {
			before = strings.TrimSuffix(before, nl)
			break
		}
	}
	for _, nl := range []string{"\r\n", "\n"} {
		if after, ok := strings.CutPrefix(behind, nl); ok {
			return before + after
		}
	}
	if behind == "" { // it was added behind a text without a line end
		before = strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	}
	return before + behind
}

// Body returns the content of a text's block.
func (s Style) Body(text string) (body string, ok bool) {
	start, end := s.Span(text)
	if start < 0 {
		return "", false
	}
	return s.body(text[start:end]), true
}

func (s Style) body(block string) string {
	block = strings.ReplaceAll(block, "\r\n", "\n")
	return strings.TrimSuffix(strings.TrimPrefix(block, s.line(begins)+"\n"), s.line(ends))
}

// Span is the range of a text's block, in bytes from its first line to the end of its last; −1, −1 without a
// block.
func (s Style) Span(text string) (start, end int) {
	if all := s.scan(text).blocks; len(all) > 0 {
		return all[0].Start, all[0].End
	}
	return -1, -1
}

// Strays are the lines, from 1, of marks that do not belong to our block. Those in a fence or comment that
// lasts to the end are included: if it should have ended before, they are marks.
func (s Style) Strays(text string) []int { return s.scan(text).strays }

// marks has the places of a text's blocks, its stray marks, and the place for a new block.
type marks struct {
	blocks []markdown.Span // without the last line's end
	strays []int
	room   int // where a new block can stand: at the end, or at the start of a fence or comment that lasts to it
}

// scan finds the marks of a text.
func (s Style) scan(text string) (m marks) {
	begin, beginLine := -1, 0      // the mark that begins a block, as far as is known
	inside := false                // a fence or comment continues from the line before
	hidden, since := []int(nil), 0 // marks in it, and where it begins
	n := 0
	for l := range markdown.Lines(text) {
		n++
		line := l.At.Of(text)
		isBegin, isEnd := line == s.line(begins), line == s.line(ends)
		switch {
		case inside && (isBegin || isEnd):
			hidden = append(hidden, n)
		case isBegin:
			if begin >= 0 {
				m.strays = append(m.strays, beginLine)
			}
			begin, beginLine = l.At.Start, n
		case isEnd && begin < 0:
			m.strays = append(m.strays, n)
		case isEnd:
			at := markdown.Span{Start: begin, End: l.At.End}
			if begin = -1; s.Ours == nil || s.Ours(s.body(at.Of(text))) {
				m.blocks = append(m.blocks, at)
			} else {
				m.strays = append(m.strays, beginLine, n)
			}
		}
		if !inside {
			hidden, since = nil, l.At.Start
		}
		inside = s.Markdown && l.Open != ""
	}
	if begin >= 0 {
		m.strays = append(m.strays, beginLine)
	}
	if m.room = len(text); inside {
		m.strays, m.room = append(m.strays, hidden...), since
	}
	return m
}
