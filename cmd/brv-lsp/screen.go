package main

import (
	"io"
	"strings"
	"unicode"
)

// screen is a terminal without its control characters: what a cloned tree, a file's
// name or an error holds must not repaint it. Each Write is whole text.
type screen struct{ out io.Writer }

// Write writes all but control characters; bytes that are no text become U+FFFD.
func (s screen) Write(p []byte) (int, error) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, string(p))
	_, err := io.WriteString(s.out, text)
	return len(p), err
}

// forPeople guards an output if it is a terminal. Files and pipes get every byte.
func forPeople(out io.Writer) io.Writer {
	if isTerminal(out) {
		return screen{out}
	}
	return out
}
