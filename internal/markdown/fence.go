package markdown

import (
	"iter"
	"strings"
)

// Line is one line of Markdown with its role in the text.
type Line struct {
	At    Span // without the line end, LF or CRLF
	Fence FencePart
	Open  string // the line that would end the fence or comment that is open after this line, "" if none is open
	HTML  bool   // of prose: it is in a block of HTML or of mathematics ($$), where Markdown has no meaning
	Rule  bool   // it is a thematic break, and no underline of a heading

	text  int // for prose: where it begins, after the marks of lists and quotes
	depth int // number of lists and quotes around it
}

// FencePart is the role of a line in code or in a comment (CommonMark 0.31, sections 4.4 to 4.6), also inside
// lists and quotes.
type FencePart uint8

// The roles of lines outside of prose.
const (
	FenceNone  FencePart = iota // prose
	FenceOpen                   // the fence that opens a block; see [Fence] for its run and language
	FenceText                   // a line of code
	FenceClose                  // the fence that closes the block
	Indented                    // a line of indented code, without a fence
	Comment                     // a line of a comment, also its first or last line
)

// Prose reports whether Markdown has a meaning in the line: it is neither code, a comment nor HTML.
func (l Line) Prose() bool { return l.Fence == FenceNone && !l.HTML }

// Lines yields the lines of a text and marks those that are code or comments, so that their content is not taken
// for a heading, a rule or a relation. A fence or comment without an end lasts to the end of its container. It
// takes linear time.
func Lines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) { scan(text, 0, yield) }
}

// Fence splits a line that opens a fenced block into its run of backticks or
// tildes and the info string; the run is "" if the line opens none. The line
// that closes such a block is the run itself.
func Fence(line string) (run, info string) {
	line = line[max(strings.IndexAny(line, "`~"), 0):] // after the marks of the lists and quotes around it
	if run = FenceRun(line); run == "" {
		return "", ""
	}
	return run, strings.TrimSpace(line[len(run):])
}

// scan is Lines from an offset on.
func scan(text string, from int, yield func(Line) bool) {
	var b blocks
	for pos := from; pos < len(text); {
		line, next := CutLine(text, pos)
		l := Line{At: Span{pos, pos + len(line)}}
		l.Fence = b.next(line)
		l.text, l.depth, l.HTML, l.Rule = pos+b.at, len(b.open), b.html, b.rule
		if l.Open = b.closing(); !yield(l) {
			return
		}
		pos = next
	}
}

// CutLine returns the line at pos without its end, and the start of the next.
func CutLine(text string, pos int) (l string, next int) {
	if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
		return strings.TrimSuffix(text[pos:pos+i], "\r"), pos + i + 1
	}
	return strings.TrimSuffix(text[pos:], "\r"), len(text)
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

// Unclosed returns the line that would end the fence or comment that s leaves open, "" if there is none.
func Unclosed(s string) (end string) {
	for l := range Lines(s) {
		end = l.Open
	}
	return end
}

// FenceRun returns the run of backticks or tildes that makes s a fence line, "" if s is none. The info string of a
// backtick fence contains no backtick.
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

// Closes reports whether a line closes the block that a run opened.
func Closes(line, open string) bool {
	run := FenceRun(line)
	return len(run) >= len(open) && run[0] == open[0] &&
		strings.Trim(strings.TrimLeft(line, " ")[len(run):], " \t\r") == ""
}

// LongestRun returns the length of the longest run of c in s.
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

// FenceFor returns the shortest run of backticks that no line of a text can close.
func FenceFor(text string) string {
	return strings.Repeat("`", max(3, LongestRun(text, '`')+1))
}

// Fenced puts a text into a fenced block that the text cannot end.
func Fenced(info, text string) string {
	run := FenceFor(text)
	return run + info + "\n" + text + "\n" + run
}
