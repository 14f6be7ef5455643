package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// refuse returns why a source must not reach a grammar, or "". It runs in the parent, so that the worst inputs
// never kill a worker.
func refuse(source []byte) string {
	if len(source) > maxSource {
		return fmt.Sprintf("no syntax: larger than %d bytes", maxSource)
	}
	if bytes.IndexByte(source, 0) >= 0 {
		return "no syntax: contains NUL bytes"
	}
	if LongLine(source) {
		return fmt.Sprintf("no syntax: a line is longer than %d bytes", maxLine)
	}
	return ""
}

func hasLongLine(source []byte) bool {
	for len(source) > maxLine {
		nl := bytes.LastIndexByte(source[:maxLine+1], '\n')
		if nl < 0 {
			return true
		}
		source = source[nl+1:]
	}
	return false
}

// LongLine reports whether a source has a line that is too long to parse, even without the data in it.
func LongLine(source []byte) bool { return hasLongLine(shortened(source)) }

// maxLiteral bounds the length of a text or list in a line that is too long, in bytes. Longer ones are removed,
// since texts that people write between quotes are shorter.
const maxLiteral = 500

// shortened returns a source whose lines are shorter because data is removed: quoted texts and flat lists become
// empty ones, and line breaks fill the rest of their place.
func shortened(source []byte) []byte {
	if !hasLongLine(source) {
		return source
	}
	out := bytes.Clone(source)
	for line := range bytes.Lines(out) {
		if len(line) > maxLine {
			emptyLiterals(line)
		}
	}
	return out
}

func emptyLiterals(line []byte) {
	for i := 0; i < len(line); i++ {
		n, end := -1, line[i]
		switch line[i] {
		case '"', '\'', '`':
			for n = 0; i+1+n < len(line) && line[i+1+n] != end; n++ {
				if line[i+1+n] == '\\' {
					n++
				}
			}
		case '[':
			end = ']'
			n = bytes.IndexAny(line[i+1:], "[]{}()")
		}
		last := i + 1 + n
		if n < 0 || last >= len(line) || line[last] != end {
			continue
		}
		if n > maxLiteral {
			line[i+1] = end
			for j := i + 2; j <= last; j++ {
				line[j] = '\n'
			}
		}
		if end != ']' || n > maxLiteral {
			i = last
		}
	}
}

// overwrite replaces bytes by a text and blanks behind it, and reports whether that changed anything. Line breaks
// stay, except where the text is.
func overwrite(at []byte, text string) bool {
	before := string(at)
	if text == "^" {
		text = strings.ToUpper(before)
	}
	for i := copy(at, text); i < len(at); i++ {
		if text != "" || at[i] != '\n' && at[i] != '\r' {
			at[i] = ' '
		}
	}
	return string(at) != before
}
