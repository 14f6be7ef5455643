package format

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// maxMentions is how many relations one entry may have, and how many pieces of inline code
// and listed files: each is read and resolved in 50 ms. What people and agents write is not
// near it.
const maxMentions = 10_000

// Full reports whether an entry has as many relations as are read: it may have more.
func Full(e *Entry) bool { return len(e.Relations) == maxMentions }

// over reports that an entry has more of something than is read; at is where the rest begins.
func (p *parser) over(at int, what string) {
	line := 1 + strings.Count(p.Text[:at], "\n")
	message := fmt.Sprintf("the entry has over %d %s: those from line %d on are ignored. Divide it into several entries",
		maxMentions, what, line)
	p.report(CodeTooLarge, SeverityWarning, message, markdown.Span{})
}

// readInline finds what stands inside a body's lines, outside fenced code: inline
// code, and the relations outside that.
func (p *parser) readInline() {
	fullCode, full := false, false
	var links markdown.Inline
	for _, l := range p.layout.ls {
		found, s := links.Links(p.said, l)
		if l.Fence != markdown.FenceNone || full && fullCode || len(found) == 0 && !strings.ContainsAny(s, "@`/") {
			continue
		}
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
		if at := bullet(s); at > 0 && s[at] != '@' && len(code)+len(found) == 0 && strings.Contains(s, "/") && len(p.Code) < maxMentions {
			f, ok := pathOf(s[at:], l.At.Start+at)
			_, listed := slices.BinarySearchFunc(p.Files, f.At.Start, func(f FileRef, at int) int { return f.At.Start - at })
			if ok && !listed {
				p.Code = append(p.Code, f.At) // a path is one without backticks, too
			}
		}
		if l.HTML {
			s = "" // only its own links count
		}
		if !full {
			full = p.readMentions(s, l.At.Start, code, found)
		}
	}
}

// readMentions finds the relations of one line that begins at base and has these links; full says that there were more than
// an entry may have.
func (p *parser) readMentions(s string, base int, code markdown.Codes, links []markdown.Link) (full bool) {
	first, inLinks := len(p.Relations), slices.Clone(links)
	slices.SortFunc(inLinks, func(a, b markdown.Link) int { return a.Start - b.Start })
	for i := strings.IndexByte(s, '@'); i >= 0 && i < len(s); i++ {
		if s[i] != '@' || !relationPosition(s, i) || code.Holds(i) {
			continue
		}
		for ; len(inLinks) > 0 && inLinks[0].Start <= base+i; inLinks = inLinks[1:] {
			if inLinks[0].Kind != markdown.LinkUse {
				i = max(i, inLinks[0].End-base) // the text of a link and its target mention nothing
			}
		}
		if i == len(s) || s[i] != '@' {
			continue
		}
		if m, end, ok := atMention(s, i); ok {
			m.At = markdown.Span{Start: base + i, End: base + end}
			p.Relations = append(p.Relations, m)
			i = end - 1
		}
	}
	for _, l := range links {
		if m, ok := mentionOf(p.said, l); ok {
			p.Relations = append(p.Relations, m)
		}
	}
	slices.SortStableFunc(p.Relations[first:], func(a, b Mention) int { return a.At.Start - b.At.Start })
	if len(p.Relations) > maxMentions {
		p.over(p.Relations[maxMentions].At.Start, "relations")
		p.Relations = p.Relations[:maxMentions]
		return true
	}
	return false
}

// ScanMention reads the relation that begins at s[i], and says where it ends.
func ScanMention(s string, i int) (m Mention, end int, ok bool) {
	l := markdown.Link{Kind: markdown.WikiLink}
	switch {
	case s[i] == '@' && relationPosition(s, i):
		return atMention(s, i)
	case s[i] != '[':
		return m, 0, false
	}
	if l.To, end, ok = markdown.Wiki(s, i); !ok {
		l.Kind = markdown.InlineLink
		if strings.Trim(s[:i], " ") == "" {
			_, l.To, ok = markdown.Definition(s)
		}
		if text := markdown.ClosingBracket(s, i); !ok && text >= 0 && strings.HasPrefix(s[text:], "](") {
			l.To, ok = markdown.Destination(s, text+2)
		}
		end = l.To.End
	}
	if ok {
		m, ok = mentionOf(s, l)
	}
	return m, end, ok
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

// behindFile matches text directly behind the name of an entry that is not part of the name, as in @a/b.md:12
// or @a/b.md—and, and line numbers behind a code file.
var behindFile = lazyregexp.New(`\.md([^\pL\pN#/._-])|\.\w+(:\d+(?:-\d+)?)$`)

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
	if end < len(s) && strings.IndexByte("<{[", s[end]) >= 0 && s[end-1] == '/' { // @domain/<name>
		return Mention{}, 0, false
	}
	if at := behindFile().FindStringSubmatchIndex(s[i:end]); at != nil {
		end = i + max(at[2], at[4])
	}
	long := end
	end = i + len(strings.TrimRight(s[i:end], ".:!?*。．：！？"))
	if end < long && s[end-1] == '/' { // @domain/*, @domain/...
		return Mention{}, 0, false
	}
	raw, head := CutHeading(s[i+1 : max(end, i+1)])
	if !strings.ContainsAny(raw, `/\`) {
		return Mention{}, 0, false
	}
	return Mention{Form: FormAt, Raw: raw, Heading: head, At: markdown.Span{Start: i, End: end}}, end, true
}

// mentionOf is the relation that a link is.
func mentionOf(text string, l markdown.Link) (Mention, bool) {
	said := l.Target(text).Of(text)
	switch l.Kind {
	case markdown.LinkUse:
		return Mention{}, false // its definition is one
	case markdown.WikiLink:
		if strings.IndexByte(said, '|') >= 0 {
			said, _, _ = strings.Cut(said, "|")
			said = strings.TrimSuffix(said, "\\") // in a cell of a table the bar is written \|
		}
		raw, head := CutHeading(strings.TrimSpace(said))
		return Mention{Form: FormWiki, Raw: raw, Heading: head, At: markdown.Span{Start: l.To.Start, End: l.To.Start + len(said)}}, raw != ""
	}
	raw, head := CutHeading(said)
	raw, _, _ = strings.Cut(raw, "?")
	isPath := raw != "" && !strings.ContainsAny(raw, "<>") && (strings.IndexByte(raw, ':') < 0 || inOtherTree(raw))
	return Mention{Form: FormMarkdown, Raw: raw, Heading: head, At: l.To}, isPath
}
