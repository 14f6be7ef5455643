// Package block writes a part into a text file that is somebody else's: a block between two lines that are comments
// of the file's language. All around the block stays as it is, byte for byte, and taking the block out gives the text
// as it was: a text that did not end in a line end does not end in one then either.
package block

import (
	"fmt"
	"strings"
)

// Style is how a language writes a comment of one line.
type Style struct{ Open, Close string }

// The styles.
var (
	Markdown = Style{"<!-- ", " -->"}
	Hash     = Style{"# ", ""}
	Lisp     = Style{";; ", ""}
	Lua      = Style{"-- ", ""}
)

const (
	begins = "brv-lsp: begin"
	ends   = "brv-lsp: end"
)

func (s Style) line(what string) string { return s.Open + what + s.Close }

// Put is a text with the block, in its old place or else at the end.
func (s Style) Put(text, body string) (string, error) {
	start, end, err := s.find(text)
	if err != nil {
		return "", err
	}
	nl := "\n"
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	block := s.line(begins) + "\n" + strings.TrimRight(body, "\n") + "\n" + s.line(ends)
	block = strings.ReplaceAll(block, "\n", nl)
	switch {
	case start >= 0:
		return text[:start] + block + text[end:], nil
	case text == "" || strings.HasSuffix(text, "\n"):
		return text + block + nl, nil
	}
	return text + nl + block, nil
}

// Cut is a text without the block.
func (s Style) Cut(text string) (string, error) {
	start, end, err := s.find(text)
	if err != nil || start < 0 {
		return text, err
	}
	before, behind := text[:start], text[end:]
	for _, nl := range []string{"\r\n", "\n"} {
		if after, ok := strings.CutPrefix(behind, nl); ok {
			return before + after, nil
		}
	}
	if behind == "" { // it was put behind a text without a line end
		before = strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	}
	return before + behind, nil
}

// Body returns the content of a text's block.
func (s Style) Body(text string) (body string, ok bool) {
	start, end, err := s.find(text)
	if err != nil || start < 0 {
		return "", false
	}
	body = strings.ReplaceAll(text[start:end], "\r\n", "\n")
	body = strings.TrimPrefix(body, s.line(begins)+"\n")
	return strings.TrimSuffix(body, s.line(ends)), true
}

// Span is where a text's block is, in bytes from its first line to the end of its last; −1, −1 where none is.
func (s Style) Span(text string) (start, end int) {
	start, end, err := s.find(text)
	if err != nil {
		return -1, -1
	}
	return start, end
}

// find returns the bytes of the block, from its first line to the end of its last one without the line end; −1 if
// there is none.
func (s Style) find(text string) (start, end int, err error) {
	start, end = -1, -1
	at, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		bare := strings.TrimRight(line, "\r\n")
		switch bare {
		case s.line(begins):
			if start >= 0 {
				return 0, 0, fmt.Errorf("line %d: a block of brv-lsp begins in another; remove one of the two lines", n)
			}
			start = at
		case s.line(ends):
			if start < 0 || end >= 0 {
				return 0, 0, fmt.Errorf("line %d: a block of brv-lsp ends that did not begin; remove the line", n)
			}
			end = at + len(bare)
		}
		at += len(line)
	}
	if start >= 0 && end < 0 {
		return 0, 0, fmt.Errorf("a block of brv-lsp begins and does not end; put %q behind it", s.line(ends))
	}
	return start, end, nil
}
