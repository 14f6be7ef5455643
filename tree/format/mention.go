package format

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// maxMentions is how many relations one entry may have, and how many pieces of inline code
// and listed files: each is read and resolved in 50 ms. What people and agents write is not
// near it.
const maxMentions = 10_000

// over reports that an entry has more of something than is read; at is where the rest begins.
func (p *parser) over(at int, what string) {
	line := 1 + strings.Count(p.Text[:at], "\n")
	message := fmt.Sprintf("over %d %s: those from line %d on do not count; divide it into several entries", maxMentions, what, line)
	p.report(CodeTooLarge, SeverityWarning, message, markdown.Span{})
}

// readInline finds what stands inside a body's lines, outside fenced code: inline
// code, and the relations outside that.
func (p *parser) readInline() {
	fullCode, full := false, false
	open := false // the text of a link goes on from the lines above
	for _, l := range p.layout.ls {
		s := l.At.Of(p.Text)
		goesOn := open && l.Fence == markdown.FenceNone
		if i := strings.LastIndexAny(s, "[]"); i >= 0 || !goesOn || strings.TrimSpace(s) == "" {
			open = i >= 0 && s[i] == '[' && l.Fence == markdown.FenceNone
		}
		if l.Fence != markdown.FenceNone || full && fullCode || !strings.ContainsAny(s, "@[]`") {
			continue
		}
		s = markdown.Uncommented(s)
		code := markdown.CodeSpans(s)
		for _, c := range code {
			inner := c.Text.Of(s)
			start := l.At.Start + c.Text.Start + len(inner) - len(strings.TrimLeft(inner, " \t"))
			if inner = strings.TrimSpace(inner); inner == "" || fullCode {
				continue
			}
			if fullCode = len(p.Code) == maxMentions; fullCode {
				p.over(start, "pieces of inline code")
				continue
			}
			p.Code = append(p.Code, markdown.Span{Start: start, End: start + len(inner)})
		}
		if !full {
			full = p.readMentions(s, l.At.Start, code, goesOn)
		}
	}
}

// readMentions finds the relations of one line that begins at base, in the text of a link where one goes on there; full says
// that there were more than an entry may have.
func (p *parser) readMentions(s string, base int, code markdown.Codes, goesOn bool) (full bool) {
	for i := 0; i < len(s); i++ {
		if s[i] != '@' && s[i] != '[' && (s[i] != ']' || !goesOn) || code.Holds(i) {
			continue
		}
		goesOn = goesOn && s[i] == '@'
		scan := ScanMention
		if s[i] == ']' {
			scan = linkEnd
		}
		r, end, ok := scan(s, i)
		if !ok {
			continue
		}
		if len(p.Relations) == maxMentions {
			p.over(base+i, "relations")
			return true
		}
		r.At = markdown.Span{Start: base + r.At.Start, End: base + r.At.End}
		p.Relations = append(p.Relations, r)
		i = end - 1
	}
	return false
}

// ScanMention reads the relation that begins at s[i], and says where it ends.
func ScanMention(s string, i int) (Mention, int, bool) {
	switch {
	case s[i] == '@' && relationPosition(s, i):
		return atMention(s, i)
	case strings.HasPrefix(s[i:], "[["):
		return wikiLink(s, i)
	case s[i] == '[':
		if strings.Trim(s[:i], " ") == "" {
			if _, at, ok := markdown.Definition(s); ok && s[at.Start] != '@' {
				return linkTo(s, at)
			}
		}
		return markdownLink(s, i)
	}
	return Mention{}, 0, false
}

// relationPosition reports whether an @ may begin a relation: at the start of a
// line or behind white space or an opening bracket, which e-mail addresses and
// decorators in prose are not.
func relationPosition(s string, i int) bool {
	if i == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return unicode.IsSpace(r) || r == '(' || r >= utf8.RuneSelf && unicode.Is(unicode.Ps, r)
}

// atMention reads @path[#heading]. The path needs a slash; punctuation that ends
// a sentence is not part of it.
func atMention(s string, i int) (Mention, int, bool) {
	end := i + 1
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if unicode.IsSpace(r) || strings.ContainsRune("()[]{}<>\"'`|,;、，；", r) ||
			r >= utf8.RuneSelf && unicode.In(r, unicode.Ps, unicode.Pe) {
			break
		}
		end += size
	}
	end = i + len(strings.TrimRight(s[i:end], ".:!?*。．：！？"))
	raw, head := CutHeading(s[i+1 : max(end, i+1)])
	if !strings.ContainsAny(raw, `/\`) {
		return Mention{}, 0, false
	}
	return Mention{Form: FormAt, Raw: raw, Heading: head, At: markdown.Span{Start: i, End: end}}, end, true
}

// wikiLink reads [[path]], [[path#heading]] and [[path|text]].
func wikiLink(s string, i int) (Mention, int, bool) {
	if strings.HasPrefix(s[i:], "[[[") {
		return Mention{}, 0, false // no path begins so: a line of brackets is not searched for ends
	}
	n := strings.Index(s[i:min(len(s), i+markdown.MaxLink)], "]]")
	if n < 3 {
		return Mention{}, 0, false
	}
	inner := s[i+2 : i+n]
	if j := strings.IndexByte(inner, '|'); j >= 0 {
		inner = strings.TrimSuffix(inner[:j], "\\") // in a cell of a table the bar is written \|
	}
	raw, head := CutHeading(strings.TrimSpace(inner))
	if raw == "" || strings.ContainsRune(inner, '[') {
		return Mention{}, 0, false
	}
	return Mention{Form: FormWiki, Raw: raw, Heading: head, At: markdown.Span{Start: i + 2, End: i + 2 + len(inner)}}, i + n + 2, true
}

// markdownLink reads the target of [text](target "title"). The text may hold brackets and pictures, and no other link.
func markdownLink(s string, i int) (Mention, int, bool) {
	if i = markdown.ClosingBracket(s, i); i < 0 {
		return Mention{}, 0, false
	}
	return linkEnd(s, i)
}

// linkEnd reads the target of a link whose text ends at s[i].
func linkEnd(s string, i int) (Mention, int, bool) {
	if strings.HasPrefix(s[i:], "](") {
		if at, ok := markdown.Destination(s, i+2); ok {
			return linkTo(s, at)
		}
	}
	return Mention{}, 0, false
}

// linkTo is the mention of a link's target, with its brackets if it has any.
func linkTo(s string, at markdown.Span) (Mention, int, bool) {
	raw, head := CutHeading(strings.Trim(at.Of(s), "<>"))
	if raw == "" || strings.ContainsAny(raw, ":<>") {
		return Mention{}, 0, false
	}
	return Mention{Form: FormMarkdown, Raw: raw, Heading: head, At: at}, at.End, true
}
