// Package block writes a part into a text file that is somebody else's: a block between two lines that are comments
// of the file's language. All around the block stays as it is, byte for byte, and taking the block out gives the text
// as it was: a text that did not end in a line end does not end in one then either.
//
// A text may hold marks that do not make one block: somebody merged two versions, or removed a line. Such marks, and a
// second block, are ours and go ([Style.Mended]); what stands beside them stays.
package block

import (
	"fmt"
	"strings"
)

// Style holds the signs of a comment of one line in a language. Apart puts a blank line before a new block.
type Style struct {
	Open, Close string
	Apart       bool
}

// The styles.
var (
	Markdown = Style{"<!-- ", " -->", true}
	Hash     = Style{"# ", "", false}
	Lisp     = Style{";; ", "", false}
	Lua      = Style{"-- ", "", false}
)

const (
	begins = "brv-lsp: begin"
	ends   = "brv-lsp: end"
)

func (s Style) line(what string) string { return s.Open + what + s.Close }

// Put is a text with the block, in its old place or else at the end.
func (s Style) Put(text, body string) string {
	text, _ = s.Mended(text)
	start, end := s.Span(text)
	nl := "\n"
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	block := s.line(begins) + "\n" + strings.TrimRight(body, "\n") + "\n" + s.line(ends)
	block = strings.ReplaceAll(block, "\n", nl)
	apart := ""
	if s.Apart {
		apart = nl
	}
	switch {
	case start >= 0:
		return text[:start] + block + text[end:]
	case text == "":
		return block + nl
	case strings.HasSuffix(text, "\n"):
		return text + apart + block + nl
	}
	return text + nl + apart + block
}

// Cut is a text without the block.
func (s Style) Cut(text string) string {
	text, _ = s.Mended(text)
	start, end := s.Span(text)
	if start < 0 {
		return text
	}
	before, behind := text[:start], text[end:]
	for _, nl := range []string{"\r\n", "\n"} {
		if s.Apart && strings.HasSuffix(before, "\n"+nl) {
			before = strings.TrimSuffix(before, nl)
			break
		}
	}
	for _, nl := range []string{"\r\n", "\n"} {
		if after, ok := strings.CutPrefix(behind, nl); ok {
			return before + after
		}
	}
	if behind == "" { // it was put behind a text without a line end
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
	body = strings.ReplaceAll(text[start:end], "\r\n", "\n")
	body = strings.TrimPrefix(body, s.line(begins)+"\n")
	return strings.TrimSuffix(body, s.line(ends)), true
}

// Span is where a text's block is, in bytes from its first line to the end of its last; −1, −1 where none is.
func (s Style) Span(text string) (start, end int) {
	for _, p := range s.parts(text) {
		if p.block {
			return p.start, p.start + len(strings.TrimRight(text[p.start:p.end], "\r\n"))
		}
	}
	return -1, -1
}

// Mended is a text with at most one block and no other mark, and what was done for that: a mark that has no partner goes
// with its line, and a second block as a whole.
func (s Style) Mended(text string) (mended string, notes []string) {
	var out strings.Builder
	at, blocks := 0, 0
	for _, p := range s.parts(text) {
		if p.block {
			if blocks++; blocks == 1 {
				continue
			}
		}
		out.WriteString(text[at:p.start])
		at = p.end
		notes = append(notes, fmt.Sprintf("line %d: %s", p.line, p.fault()))
	}
	return out.String() + text[at:], notes
}

// part is a block, or a mark without a partner, in whole lines.
type part struct {
	start, end int // bytes
	line       int // its first one, from 1
	block      bool
	begins     bool // of a mark: which it is
}

// fault says what is wrong with a part, but for the first block.
func (p part) fault() string {
	switch {
	case p.block:
		return "a second block of brv-lsp is removed"
	case p.begins:
		return "a block of brv-lsp began and did not end: the line is removed, and what follows it kept"
	}
	return "a block of brv-lsp ended that did not begin: the line is removed, and what stands before it kept"
}

// parts are the blocks of a text, and the marks without a partner, in order.
func (s Style) parts(text string) (out []part) {
	at, n := 0, 0
	open := -1 // which part is a mark that begins a block, as far as is known
	for line := range strings.Lines(text) {
		n++
		start := at
		at += len(line)
		switch strings.TrimRight(line, "\r\n") {
		case s.line(begins):
			open = len(out)
			out = append(out, part{start: start, end: at, line: n, begins: true})
		case s.line(ends):
			if open < 0 {
				out = append(out, part{start: start, end: at, line: n})
				continue
			}
			out[open].end, out[open].block = at, true
			open = -1
		}
	}
	return out
}
