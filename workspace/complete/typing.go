package complete

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxCompletions bounds an answer; the client asks again as more is typed.
const maxCompletions = 100

// Completion is one thing that can stand at the cursor.
type Completion struct {
	Label   string
	Kind    string        // "domain", "topic", "entry", "link" (of Markdown), "heading", "key" or "value"
	Detail  string        // the title of an entry, what a folder holds
	Insert  string        // the text to insert
	Replace markdown.Span // what it replaces
	Filter  string        // what was typed fits it; clients look again
	Doc     string        // markdown
	Entry   string        // the tree path of an entry, whose documentation is [Doc]
	Relates bool          // it becomes a relation in the entry's body
	OfLink  bool          // a heading in the target of a Markdown link
}

// typing is a relation's target as far as it is typed.
type typing struct {
	self *format.Entry // where; nil in code
	form format.Form
	text string        // from its beginning to the cursor
	at   markdown.Span // what a completion replaces: all of it, also behind the cursor
	open bool          // of a wiki link: its end is still to be written
}

// notPath are the characters that end a path in a body.
const notPath = " \t\r\n()[]<>\"'`,;"

// typedIn finds the target that is being typed in the body of an entry: behind @, "[[" or
// "](". In code nothing is a relation.
func typedIn(e *format.Entry, offset int) (typing, bool) {
	start := max(e.Body.Start, strings.LastIndexByte(e.Text[:offset], '\n')+1)
	line := e.Text[start:offset]
	var c typing
	if at, ok := typedPath(e.Text, e.Body.Start, offset); ok {
		c = typing{form: format.FormAt, at: at}
	} else if i := strings.LastIndex(line, "[["); i >= 0 && !strings.ContainsAny(line[i+2:], "[]|\r") {
		end := offset + lengthTo(e.Text[offset:], "[]|\r\n")
		closed := strings.HasPrefix(e.Text[end:], "]]") || strings.HasPrefix(e.Text[end:], "|")
		if !closed { // what stands behind the cursor may be no part of it
			end = offset + lengthTo(e.Text[offset:], notPath)
		}
		c = typing{form: format.FormWiki, at: markdown.Span{Start: start + i + 2, End: end}, open: !closed}
	} else if i := strings.LastIndex(line, "]("); i >= 0 && !strings.ContainsAny(line[i+2:], " ()<>:\r") {
		c = typing{form: format.FormMarkdown, at: markdown.Span{Start: start + i + 2, End: offset + lengthTo(e.Text[offset:], notPath)}}
	} else {
		return typing{}, false
	}
	c.self, c.text = e, e.Text[c.at.Start:offset]
	return c, !inCode(e, offset)
}

// inCode reports whether a place lies in a fenced block or in inline code, also one whose
// end is still to be written.
func inCode(e *format.Entry, offset int) bool {
	body := e.Body.Of(e.Text)
	for l := range markdown.Lines(body) {
		at := markdown.Span{Start: l.At.Start + e.Body.Start, End: l.At.End + e.Body.Start}
		if at.Contains(offset) {
			return l.Fence != markdown.FenceNone || strings.Count(e.Text[at.Start:offset], "`")%2 == 1
		}
	}
	return false
}

// typedPath is the path being typed behind an @ that may begin a relation or mark, not
// before from.
func typedPath(text string, from, offset int) (markdown.Span, bool) {
	start := offset
	for start > from && !strings.ContainsRune(notPath, rune(text[start-1])) {
		start--
	}
	if start >= offset || text[start] != '@' {
		return markdown.Span{}, false
	}
	return markdown.Span{Start: start + 1, End: wordEnd(text, offset)}, true
}

func wordEnd(text string, offset int) int { return offset + lengthTo(text[offset:], notPath+"#") }

// lengthTo is how many bytes of text come before the first of some characters.
func lengthTo(text, stop string) int {
	if n := strings.IndexAny(text, stop); n >= 0 {
		return n
	}
	return len(text)
}

// filter is the text that a client compares with what was typed. Clients look for letters
// in their order; where an entry was found otherwise, what was typed stands in front, and
// the client asks again with the next letter.
func filter(typed, text string) string {
	rest := strings.ToLower(typed)
	for _, r := range strings.ToLower(text) {
		if after, ok := strings.CutPrefix(rest, string(r)); ok {
			rest = after
		}
	}
	if rest == "" {
		return text
	}
	return typed + " " + text
}
