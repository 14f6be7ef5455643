package markdown

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

var htmlHeading = lazyregexp.New(`(?i)^ {0,3}<h([1-6])(?:\s[^<>]*)?>(.*)</h[1-6]>\s*$`)

// Headline is a heading as written.
type Headline struct {
	Level  int
	Text   Span // its title
	At     Span // its lines, including the underline
	Nested bool // it is in a list or a quote

	Stated []string // anchors stated on lines above it, in other markups
}

// Headings lists the headings after an offset: those with number signs, those underlined with = or -, and HTML
// headings on one line.
func Headings(text string, from int) (out []Headline) {
	var above Line // the previous line, if it is the first line of a paragraph
	lines := 0
	scan(text, from, func(l Line) bool {
		if l.Fence != FenceNone || strings.TrimSpace(l.At.Of(text)) == "" {
			lines = 0
			return true
		}
		at := Span{min(l.text, l.At.End), l.At.End}
		s := at.Of(text)
		trimmed := strings.TrimSpace(s)
		h := Headline{At: l.At, Nested: l.depth > 0}
		if level, title := Heading(s); level > 0 && !l.HTML {
			start := at.Start + strings.Index(s, title)
			h.Level, h.Text = level, Span{start, start + len(title)}
		} else if m := htmlHeading().FindStringSubmatchIndex(s); m != nil {
			h.Level, h.Text = int(s[m[2]]-'0'), Span{at.Start + m[4], at.Start + m[5]}
		} else if l.HTML {
			lines = 0
			return true
		} else if lines == 1 && above.depth == l.depth && trimmed != "" && strings.Trim(trimmed, trimmed[:1]) == "" &&
			(trimmed[0] == '=' || trimmed[0] == '-') && (len(trimmed) > 1 || above.At.End-above.text > 3) {
			h.Level, h.Text = 1+strings.IndexByte("=-", trimmed[0]), Span{above.text, above.At.End}
			h.At.Start = above.At.Start
		}
		if h.Level > 0 {
			out, lines = append(out, h), 0
			return true
		}
		if lines++; trimmed == "" || above.depth != l.depth && lines > 1 {
			lines = 1
		}
		if trimmed == "" || strings.IndexByte("|:", s[0]) >= 0 || lines == 1 && (s[0] == '<' || Thematic(s)) {
			lines = 2 // a following underline makes no heading
		}
		above = l
		return true
	})
	return out
}

// statedAnchor matches {#anchor}, {: #anchor }, { id="anchor" } and, of MDX, {/* #anchor */}.
var statedAnchor = lazyregexp.New(`\s*(?:\\?\{\s*:?\s*(?:#([^\s{}\\]+)|[^{}]*\bid=["']?([^\s{}"']+))[^{}]*\}` +
	`|\{/\*\s*#([^\s{}*]+)\s*\*/\})\s*$`)

// StatedAnchor splits a heading from the anchor that it states: "Title {#anchor}".
func StatedAnchor(title string) (plain, anchor string) {
	if !strings.HasSuffix(title, "}") {
		return title, ""
	}
	if m := statedAnchor().FindStringSubmatch(title); m != nil {
		return title[:len(title)-len(m[0])], m[1] + m[2] + m[3]
	}
	return title, ""
}

var (
	inlineHTML = lazyregexp.New(`^</?[A-Za-z][^<>]*>`)
	atEntity   = lazyregexp.New(`^&#?\w{1,32};`)
)

// PlainTitle returns a heading as readers see it: without the marks of links, pictures, code, emphasis and HTML.
func PlainTitle(s string) string {
	if !strings.ContainsAny(s, "[<*`\\&_~") {
		return s
	}
	var b strings.Builder
	code, ends := CodeSpans(s), map[int]bool{}
	for i := 0; i < len(s); {
		rest := s[i:]
		out, n := rest[:1], 1 // as written
		switch {
		case code.Holds(i):
			out, n = strings.TrimSpace(code[0].Text.Of(s)), code[0].At.End-i
		case escaped().MatchString(rest[:min(2, len(rest))]):
			out, n = s[i+1:i+2], 2
		case s[i] == '[':
			if end := ClosingBracket(s, i); end > 0 {
				out, n = PlainTitle(s[i+1:end]), behindTarget(s, end+1)-i
			}
		case strings.HasPrefix(rest, "!["):
			if end := ClosingBracket(s, i+1); end > 0 {
				out, n = "", behindTarget(s, end+1)-i
			}
		case strings.HasPrefix(rest, "<!--"):
			if end := strings.Index(rest[2:min(len(rest), MaxLink)], "-->"); end >= 0 { // <!--> is a whole comment
				out, n = "", 2+end+len("-->")
			}
		case s[i] == '<':
			if tag := inlineHTML().FindString(rest[:min(len(rest), MaxLink)]); strings.Contains(tag, "://") && !strings.Contains(tag, " ") {
				out, n = tag[1:len(tag)-1], len(tag) // an address
			} else if tag != "" {
				out, n = "", len(tag)
			}
		case s[i] == '&':
			if e := atEntity().FindString(rest); e != "" {
				out, n = html.UnescapeString(e), len(e)
			}
		case strings.IndexByte("*_~", s[i]) >= 0:
			n = len(rest) - len(strings.TrimLeft(rest, rest[:1]))
			if out = rest[:n]; ends[i] || emphasis(s, i, n, ends) {
				out = ""
			}
		}
		b.WriteString(out)
		i += n
	}
	return b.String()
}

// behindTarget returns the end of the target or label of a link whose text ends at i.
func behindTarget(s string, i int) int {
	switch {
	case strings.HasPrefix(s[i:], "("):
		if to, ok := Destination(s, i+1); ok && to.End < i+MaxLink {
			if n := strings.IndexByte(s[to.End:min(len(s), i+MaxLink)], ')'); n >= 0 {
				return to.End + n + 1
			}
		}
	case strings.HasPrefix(s[i:], "["):
		if n := strings.IndexByte(s[i:min(len(s), i+MaxLink)], ']'); n >= 0 {
			return i + n + 1
		}
	}
	return i
}

// emphasis reports whether a run of marks begins an emphasis, and records its end in ends. An underscore inside a
// word does not.
func emphasis(s string, i, run int, ends map[int]bool) bool {
	sign, from := s[i:i+run], i+run
	inWord := func(at int) bool {
		return sign[0] == '_' && at >= 0 && at < len(s) && (s[at] >= utf8.RuneSelf || isAlphanumeric(s[at]))
	}
	if from == len(s) || s[from] == ' ' || inWord(i-1) || sign[0] == '~' && run != 2 {
		return false
	}
	for at, tries := from, 0; at < min(len(s), i+MaxLink) && tries < maxNested; tries++ {
		n := strings.Index(s[at:], sign)
		if n < 0 {
			return false
		}
		end := at + n
		at = end + len(s[end:]) - len(strings.TrimLeft(s[end:], sign[:1]))
		if at == end+run && s[end-1] != ' ' && !inWord(at) && !ends[end] {
			ends[end] = true
			return true
		}
	}
	return false
}

func isAlphanumeric(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }
