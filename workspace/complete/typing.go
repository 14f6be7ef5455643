package complete

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
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
	self *format.Entry // the entry that is edited; nil in code
	form format.Form
	text string        // from its beginning to the cursor
	at   markdown.Span // what a completion replaces: all of it, also behind the cursor
	// quote is the quote in front, in frontmatter, or the angle bracket in front of a link's target; 0 for none.
	quote byte
	end   string // the end of the link or of the quotes where it is still to be written
}

// notPath are the characters that end a path in a body.
const notPath = " \t\r\n()[]<>\"'`,;"

// typedIn finds the target that is being typed in the body of an entry: behind @, "[[" or "](". Code has no
// relations.
func typedIn(e *format.Entry, offset int) (typing, bool) {
	start := max(e.Body.Start, strings.LastIndexByte(e.Text[:offset], '\n')+1)
	line := e.Text[start:offset]
	var c typing
	if at, ok := typedPath(e.Text, e.Body.Start, offset); ok {
		c = typing{form: format.FormAt, at: at}
	} else if i := strings.LastIndex(line, "[["); i >= 0 && !strings.ContainsAny(line[i+2:], "[]|\r") {
		c = typing{form: format.FormWiki, at: markdown.Span{Start: start + i + 2, End: offset + lengthTo(e.Text[offset:], "[]|\r\n")}}
		if behind := e.Text[c.at.End:]; !strings.HasPrefix(behind, "]]") && !strings.HasPrefix(behind, "|") {
			c.at.End, c.end = wordsEnd(e.Text, offset), "]]" // what stands behind the cursor may be no part of it
		}
	} else if i := destination(line); i >= 0 {
		c = typing{form: format.FormMarkdown, at: markdown.Span{Start: start + i, End: wordsEnd(e.Text, offset)}}
		if line[i-1] == '<' {
			c.quote, c.end = '<', ">"
			if end := offset + lengthTo(e.Text[offset:], "<>\r\n"); strings.HasPrefix(e.Text[end:], ">") {
				c.at.End, c.end = end, ""
			}
		}
		if rest := e.Text[c.at.End:]; strings.LastIndex(line, "](") >= 0 && !strings.Contains(rest[:lengthTo(rest, "\n")], ")") {
			c.end += ")"
		}
	} else {
		return typing{}, false
	}
	c.self, c.text = e, e.Text[c.at.Start:offset]
	return c, !inCode(e, offset)
}

// definition begins the definition of a reference, up to its target.
var definition = lazyregexp.New(`^ {0,3}\[[^\[\]^][^\[\]]*\]:[ \t]*`)

// destination finds the beginning of the target that is being typed at the end of a line, in a link or in the
// definition of a reference, −1 if there is none. Pictures have other targets.
func destination(line string) int {
	from := strings.LastIndex(line, "](") + len("](")
	if from < len("](") {
		from = len(definition().FindString(line))
	} else if picture(line[:from-1]) {
		return -1
	}
	from += len(line[from:]) - len(strings.TrimLeft(line[from:], " \t"))
	ends := " ()<>:\r"
	if from > 0 && strings.HasPrefix(line[from:], "<") {
		from, ends = from+1, "<>:\r"
	}
	if from == 0 || strings.ContainsAny(line[from:], ends) {
		return -1
	}
	return from
}

// picture reports whether the bracket that ends a line closes the text of a picture.
func picture(line string) bool {
	depth := 0
	for i := len(line) - 1; i > 0; i-- {
		switch line[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return line[i-1] == '!'
			}
		}
	}
	return false
}

// inCode reports whether a place lies in a fenced block or in inline code, including code that is not closed
// yet.
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

func wordsEnd(text string, offset int) int { return offset + lengthTo(text[offset:], notPath) }

func wordEnd(text string, offset int) int { return offset + lengthTo(text[offset:], notPath+"#") }

// lengthTo is how many bytes of text come before the first of some characters.
func lengthTo(text, stop string) int {
	if n := strings.IndexAny(text, stop); n >= 0 {
		return n
	}
	return len(text)
}

// filter is the text that a client compares with the typed text. Clients look for the letters in their order.
// If an entry was found in another way, the typed text is put in front, and the client asks again with the
// next letter.
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
