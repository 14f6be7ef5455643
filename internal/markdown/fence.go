package markdown

import (
	"iter"
	"strings"
)

// Line is one line of markdown with what the format knows about it.
type Line struct {
	At    Span // without the line end, LF or CRLF
	Fence FencePart
}

// FencePart says how a line belongs to a fenced code block (CommonMark 0.31,
// section 4.5, without blocks inside lists and quotes).
type FencePart uint8

// The parts of a fenced code block.
const (
	FenceNone  FencePart = iota // outside any block
	FenceOpen                   // the fence that opens a block; see [Fence] for its run and language
	FenceText                   // a line of code
	FenceClose                  // the fence that closes the block
)

// Lines walks the lines of a text and tells which of them are fenced code, so
// that nothing inside a block is taken for a heading, a rule or a relation. A
// block that is never closed lasts to the end. It is linear in the text.
func Lines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) { scan(text, 0, yield) }
}

// Fence splits a line that opens a fenced block into its run of backticks or
// tildes and the info string; the run is "" if the line opens none. The line
// that closes such a block is the run itself.
func Fence(line string) (run, info string) {
	if run = FenceRun(line); run == "" {
		return "", ""
	}
	return run, strings.TrimSpace(strings.TrimLeft(line, " ")[len(run):])
}

// scan is Lines from an offset on. It returns the run of the fence that is never
// closed, "" if there is none.
func scan(text string, from int, yield func(Line) bool) (open string) {
	for pos := from; pos < len(text); {
		end, next := len(text), len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end, next = pos+i, pos+i+1
		}
		if end > pos && text[end-1] == '\r' {
			end--
		}
		l := Line{At: Span{pos, end}}
		if open == "" {
			if open = FenceRun(text[pos:end]); open != "" {
				l.Fence = FenceOpen
			}
		} else if l.Fence = FenceText; closesFence(text[pos:end], open) {
			open, l.Fence = "", FenceClose
		}
		if !yield(l) {
			return open
		}
		pos = next
	}
	return open
}

// Split collects the lines of text[from:].
func Split(text string, from int) []Line {
	out := make([]Line, 0, strings.Count(text[from:], "\n")+1)
	scan(text, from, func(l Line) bool {
		out = append(out, l)
		return true
	})
	return out
}

// OpenFence is the run of the fence that s opens and never closes.
func OpenFence(s string) string {
	return scan(s, 0, func(Line) bool { return true })
}

// FenceRun returns the run of backticks or tildes that makes s a fence line, ""
// if it is none. A backtick fence's info string holds no backtick.
func FenceRun(s string) string {
	i := 0
	for i < len(s) && i < 4 && s[i] == ' ' {
		i++
	}
	t := s[i:]
	if i > 3 || len(t) < 3 || (t[0] != '`' && t[0] != '~') {
		return ""
	}
	n := 0
	for n < len(t) && t[n] == t[0] {
		n++
	}
	if n < 3 || (t[0] == '`' && strings.IndexByte(t[n:], '`') >= 0) {
		return ""
	}
	return t[:n]
}

// closesFence reports whether a line closes the block that a run opened.
func closesFence(s, open string) bool {
	run := FenceRun(s)
	return len(run) >= len(open) && run[0] == open[0] && strings.TrimSpace(strings.TrimLeft(s, " ")[len(run):]) == ""
}

// LongestRun is the length of the longest run of c in s.
func LongestRun(s string, c byte) int {
	longest, n := 0, 0
	for i := range len(s) {
		if s[i] == c {
			n++
			longest = max(longest, n)
		} else {
			n = 0
		}
	}
	return longest
}

// FenceFor is the shortest run of backticks that can fence a text: nothing in it closes the block.
func FenceFor(text string) string {
	return strings.Repeat("`", max(3, LongestRun(text, '`')+1))
}

// Fenced puts text into a block that the text cannot end.
func Fenced(info, text string) string {
	run := FenceFor(text)
	return run + info + "\n" + text + "\n" + run
}
