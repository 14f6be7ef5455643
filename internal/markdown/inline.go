package markdown

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// LinkKind is the way a link is written.
type LinkKind uint8

// The kinds of links.
const (
	InlineLink    LinkKind = iota // [text](target), and pictures
	LinkDefiner                   // [label]: target
	LinkUse                       // [text][label] or [label], leading where the label's definition leads
	WikiLink                      // [[target]]
	LinkAttribute                 // href or src of an HTML tag
)

// Link is a link as written.
type Link struct {
	Kind LinkKind
	Span      // from its first bracket
	To   Span // its target, with any angle brackets around it; for a use, the label
}

// Target returns the span of the link's target without angle brackets.
func (l Link) Target(text string) Span {
	if s := l.To.Of(text); l.Kind != WikiLink && strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		return Span{l.To.Start + 1, l.To.End - 1}
	}
	return l.To
}

// Inline reads the links in consecutive lines of prose, since a link's text may continue over several lines.
type Inline struct {
	open  []bracket
	depth int    // number of lists and quotes
	until string // the end mark of code that began on an earlier line
}

// bracket is an opening bracket that is not closed yet.
type bracket struct {
	at      int
	picture bool
	nests   bool // it contains other brackets
}

// attribute matches the target in an HTML tag, which may be on a line below the tag's name. Without quotes, the
// tag ends on that line.
var attribute = lazyregexp.New(`(?i)(?:^|\s)(?:href|src|srcset)\s*=\s*(?:"\s*([^"<>]+)"|'\s*([^'<>]+)'|([^\s"'<>={}]+)(?:\s[^<>]*)?>)`)

// inlineTag matches a tag, or an address in angle brackets, in whose text Markdown has no meaning.
var inlineTag = lazyregexp.New(`(?i)^(?:<[a-z][a-z0-9+.-]+:[^<>\s]*>|` + tag + `)`)

// Links reads one line of a text without comments ([Said]), after the lines before it. It returns the line's links
// by position, and the line with code that continues over line ends replaced by blanks.
func (in *Inline) Links(text string, l Line) (found []Link, s string) {
	if s = l.At.Of(text); !l.Prose() || l.depth != in.depth || strings.TrimSpace(s) == "" ||
		len(in.open)+len(in.until) > 0 && Item(strings.TrimLeft(s, " \t>")) > 0 {
		in.open, in.depth, in.until = in.open[:0], l.depth, ""
	}
	if l.Prose() {
		s = in.without(text, s, l.At.End)
	}
	if l.Fence != FenceNone || !strings.ContainsAny(s, "[]=") {
		return nil, s
	}
	base, i, code := l.At.Start, len(s), Codes(nil)
	add := func(k LinkKind, from, end int, to Span) {
		found = append(found, Link{k, Span{from, base + end}, Span{base + to.Start, base + to.End}})
	}
	if !l.HTML {
		i, code = 0, CodeSpans(s)
	}
	behind := 0 // length of the marks of lists and quotes
	if l.depth > 0 {
		behind = min(l.text-base, len(s))
	}
	joined := "" // with the next line, where a target may be
	below := func() string {
		if joined == "" {
			joined = s + in.below(text, l.At.End)
		}
		return joined
	}
	whole := s
	label, at, ok := Definition(s[behind:])
	if !ok && label != "" && behind+at.Start == len(s) {
		whole = below()
		label, at, ok = Definition(whole[behind:])
	}
	if ok && !l.HTML && whole[behind+at.Start] != '@' {
		own := behind + strings.IndexByte(s[behind:], '[')
		add(LinkUse, base+own, own+len("[]")+len(label), Span{own + 1, own + 1 + len(label)})
		add(LinkDefiner, base+own, behind+at.End, Span{behind + at.Start, behind + at.End})
		i = len(s)
	}
	for ; i < len(s); i++ {
		switch {
		case code.Holds(i):
			i = code[0].At.End - 1
		case s[i] == '\\':
			i++
		case s[i] == '<':
			i += max(1, len(inlineTag().FindString(s[i:min(len(s), i+MaxLink)]))) - 1
		case s[i] == '[':
			if to, end, ok := Wiki(s, i); ok && !linked(s, end) {
				add(WikiLink, base+i, end, to)
				i = end - 1
				continue
			}
			for n := len(in.open) - 1; n >= 0 && !in.open[n].nests; n-- {
				in.open[n].nests = true
			}
			if len(in.open) == maxNested {
				in.open = slices.Delete(in.open, 0, 1)
			}
			in.open = append(in.open, bracket{at: base + i, picture: i > 0 && s[i-1] == '!'})
		case s[i] == ']' && len(in.open) > 0:
			b := in.open[len(in.open)-1]
			in.open = in.open[:len(in.open)-1]
			end := in.closed(b, s, base, i, add)
			if end == i && strings.HasPrefix(s[i+1:], "(") {
				end = in.closed(b, below(), base, i, add)
			}
			i = end
		}
	}
	if strings.IndexByte(s, '=') >= 0 {
		if !l.HTML {
			code = CodeSpans(s)
		}
		for _, m := range attribute().FindAllStringSubmatchIndex(s, -1) {
			if to := (Span{max(m[2], m[4], m[6]), max(m[3], m[5], m[7])}); !code.Holds(to.Start) {
				add(LinkAttribute, base+to.Start, to.End, to)
			}
		}
		slices.SortStableFunc(found, func(a, b Link) int { return cmp.Compare(a.To.Start, b.To.Start) })
	}
	return found, s
}

// Bounds of the further lines and bytes that inline code may have. Wrapped lines are short, and the bounds keep
// the time for hostile texts linear.
const (
	mostLines   = 4
	longestLine = 1 << 10
)

// without replaces the parts of a line that belong to code of several lines by blanks.
func (in *Inline) without(text, s string, end int) string {
	if in.until != "" {
		n := behindRun(s, in.until)
		if n < 0 {
			return strings.Repeat(" ", len(s))
		}
		s, in.until = strings.Repeat(" ", n)+s[n:], ""
	}
	if len(s) > longestLine || strings.IndexByte(s, '`') < 0 {
		return s
	}
	code := CodeSpans(s)
	for i := 0; i < len(s); i++ {
		run := s[i : len(s)-len(strings.TrimLeft(s[i:], "`"))]
		switch {
		case s[i] == '\\':
			i++
		case run == "":
		case code.Holds(i):
			i = code[0].At.End - 1
		case closesBelow(text, end, run):
			in.until = run
			return s[:i] + strings.Repeat(" ", len(s)-i)
		default:
			i += len(run) - 1
		}
	}
	return s
}

// closesBelow reports whether the lines after end continue a paragraph, and one of the first closes a run of
// backticks.
func closesBelow(text string, end int, run string) bool {
	_, next := CutLine(text, end)
	for range mostLines {
		line, after := CutLine(text, next)
		if len(line) > longestLine || !goesOn(line) {
			return false
		}
		if behindRun(line, run) >= 0 {
			return true
		}
		next = after
	}
	return false
}

// goesOn reports whether a line can continue a paragraph.
func goesOn(line string) bool {
	t := strings.TrimLeft(line, " \t>")
	level, _ := Heading(t)
	return t != "" && level == 0 && Item(t) == 0 && FenceRun(t) == ""
}

// below returns the line after one that ends at end, if it continues that line. It has its line end, but not the
// marks of quotes.
func (in *Inline) below(text string, end int) string {
	_, next := CutLine(text, end)
	line, _ := CutLine(text, next)
	if !goesOn(line) {
		return ""
	}
	rest := line
	if in.depth > 0 {
		rest = strings.TrimLeft(line, " \t>")
	}
	return text[end:next] + strings.Repeat(" ", len(line)-len(rest)) + rest
}

// behindRun returns the position after the first run of backticks of the same length, -1 if there is none.
func behindRun(s, run string) int {
	for at := 0; ; {
		n := strings.Index(s[at:], run)
		if n < 0 {
			return -1
		}
		from := at + n
		for at = from + len(run); at < len(s) && s[at] == '`'; {
			at++
		}
		if at == from+len(run) {
			return at
		}
	}
}

// linked reports whether a wiki link is the text of a link, as in [[1]](page.md), and not only followed by words
// in parentheses.
func linked(s string, end int) bool {
	if !strings.HasPrefix(s[end:], "(") {
		return false
	}
	to, ok := Destination(s, end+1)
	return ok && strings.ContainsAny(to.Of(s), "./#:")
}

// closed handles the text after a closing bracket at s[i], and returns the end of the link.
func (in *Inline) closed(b bracket, s string, base, i int, add func(k LinkKind, from, end int, to Span)) int {
	rest := s[i+1:]
	if strings.HasPrefix(rest, "(") {
		to, ok := Destination(s, i+2)
		if !ok {
			return i
		}
		if !b.picture { // links do not nest
			in.open = slices.DeleteFunc(in.open, func(o bracket) bool { return !o.picture })
		}
		add(InlineLink, b.at, to.End, to)
		return to.End - 1
	}
	end, label := i+1, Span{b.at - base + 1, i}
	if strings.HasPrefix(rest, "[") {
		if n := strings.IndexAny(rest[1:min(len(rest), MaxLink)], "[]"); n >= 0 && rest[1+n] == ']' {
			if end += n + 2; n > 0 {
				label = Span{i + 2, end - 1}
			}
		}
	}
	if label.Start >= 0 && label.Start < label.End && (label.End != i || !b.nests) {
		add(LinkUse, b.at, end, label)
	}
	return end - 1
}

// Wiki parses [[target]] or [[target|text]] at s[i]. It returns the span between the brackets, and the end of the
// link.
func Wiki(s string, i int) (inner Span, end int, ok bool) {
	if !strings.HasPrefix(s[i:], "[[") || strings.HasPrefix(s[i:], "[[[") {
		return inner, 0, false // no target begins with a bracket: this avoids searching a line of brackets for ends
	}
	n := strings.Index(s[i:min(len(s), i+MaxLink)], "]]")
	if n < 3 || strings.IndexByte(s[i+2:i+n], '[') >= 0 {
		return inner, 0, false
	}
	return Span{i + 2, i + n}, i + n + 2, true
}

// Links reads all links of a text after an offset.
func Links(text string, from int) (out []Link) {
	var in Inline
	text = Said(text, from)
	scan(text, from, func(l Line) bool {
		found, _ := in.Links(text, l)
		out = append(out, found...)
		return true
	})
	return out
}

// Reference finds the use of a definition, [text][label] or [label], at a position, and the position where the
// target of that definition begins.
func Reference(text string, offset int) (use Span, target int, ok bool) {
	uses, links := map[string]Span{}, Links(text, 0)
	for _, l := range links {
		if l.Kind == LinkUse && l.Contains(offset) {
			uses[labelKey(l.To.Of(text))] = l.Span
		}
	}
	for _, l := range links {
		if l.Kind == LinkDefiner && len(uses) > 0 {
			label, _, _ := strings.Cut(text[l.Start+1:l.To.Start], "]:")
			if use, meant := uses[labelKey(label)]; meant {
				return use, l.Target(text).Start, true
			}
		}
	}
	return use, 0, false
}

// labelKey normalises the label of a reference, since case and white space do not count.
func labelKey(label string) string { return strings.ToLower(strings.Join(strings.Fields(label), " ")) }
