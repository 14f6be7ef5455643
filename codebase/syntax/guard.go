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
		return fmt.Sprintf("not parsed: larger than %d bytes", maxSource)
	}
	if bytes.IndexByte(source, 0) >= 0 {
		return "not parsed: contains NUL bytes"
	}
	if LongLine(source) {
		return fmt.Sprintf("not parsed: a line is longer than %d bytes", maxLine)
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

// maxLiteral bounds the length of data in a line that is too long, in bytes. Longer data is removed, since what
// people write between quotes and brackets is shorter.
const maxLiteral = 500

// shortened returns a source whose lines are shorter because data is removed: quoted texts, comments, and brackets
// without a statement become empty ones, and line breaks fill the rest of their place.
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
	type literal struct{ start, end, last int } // without what encloses it; last is behind that
	var data []literal
	var open []int // where the text of each open bracket begins
	semicolon := -1
	found := func(start, end, last int) {
		for len(data) > 0 && data[len(data)-1].start >= start {
			data = data[:len(data)-1]
		}
		if end-start > maxLiteral {
			data = append(data, literal{start, end, last})
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '"', '\'', '`', '/':
			start, end, last := enclosed(line, i)
			if last > 0 {
				found(start, end, last)
				i = last - 1
			}
		case ';':
			semicolon = i
		case '[', '{', '(':
			open = append(open, i+1)
		case ']', '}', ')':
			if n := len(open) - 1; n >= 0 {
				if open[n] > semicolon {
					found(open[n], i, i+1)
				}
				open = open[:n]
			}
		}
	}
	for _, d := range data {
		for j := d.start + copy(line[d.start:], line[d.end:d.last]); j < d.last; j++ {
			line[j] = '\n'
		}
	}
}

// enclosed returns where the text begins and ends that a quote or the mark of a comment begins, and what is behind
// the mark of its end. last is 0 if it does not end in the line.
func enclosed(line []byte, at int) (start, end, last int) {
	mark, start := line[at:at+1], at+1
	switch rest := line[at:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		return at, len(line), len(line)
	case bytes.HasPrefix(rest, []byte("/*")):
		mark, start = []byte("*/"), at+2
	case mark[0] == '/':
		return 0, 0, 0
	case len(rest) > 3 && rest[1] == mark[0] && rest[2] == mark[0]:
		mark, start = rest[:3], at+3
	}
	for end = start; end < len(line) && !bytes.HasPrefix(line[end:], mark); end++ {
		if line[end] == '\\' && len(mark) == 1 {
			end++
		}
	}
	if end >= len(line) {
		return 0, 0, 0
	}
	return start, end, end + len(mark)
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
