package markdown

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// maxContainers bounds the nesting of lists and quotes; deeper ones are text. So the cost of a line stays
// proportional to its length.
const maxContainers = 32

// container is a quote, or an item of a list whose content begins at a column.
type container struct {
	quote  bool
	column int // in columns after the enclosing container
}

// leaf is the innermost kind of block in the previous line, which affects how the next line is parsed.
type leaf uint8

const (
	leafNone leaf = iota
	leafParagraph
	leafFence
	leafIndented
	leafComment
	leafHTML
)

// tag matches a whole tag of HTML, or an address in angle brackets.
const tag = `</?[a-z][\w-]*(?:\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>` + "`" + `]+))?)*\s*/?>`

// htmlBlock matches the beginning of a block of HTML (CommonMark 0.31, section 4.6): one up to its end tag, one that may
// interrupt a paragraph, and any tag that stands alone.
var htmlBlock = lazyregexp.New(`(?i)^<(?:(pre|script|style|textarea)(?:[\s>]|$)|(/?(?:address|article|aside|base|basefont|blockquote|body|` +
	`caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|` +
	`header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|` +
	`tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|/?>|$)))|^` + tag + `\s*$`)

// blocks is the state of a scan: the open containers, and the content of the innermost one.
type blocks struct {
	open []container
	leaf leaf
	run  string // of the fence, or the end mark of the comment or HTML; "" for HTML up to a blank line
	at   int    // where the line's text begins, after the marks of containers; for a lazy continuation of a paragraph, its end

	html, rule bool // of the line: it is HTML, or a thematic break
	row        bool // the paragraph ends with a row of a table
}

// cursor is a position in a line, with its column. A tab goes to the next multiple of four.
type cursor struct {
	line     string
	at, col  int
	leftover int // columns of a partly consumed tab
}

// indent returns the width of the white space at the cursor, and its end.
func (c cursor) indent() (width, end int) {
	width, col := c.leftover, c.col
	for end = c.at; end < len(c.line); end++ {
		switch c.line[end] {
		case ' ':
			width, col = width+1, col+1
		case '\t':
			width, col = width+4-col%4, col+4-col%4
		default:
			return width, end
		}
	}
	return width, end
}

// skip consumes a number of columns of white space.
func (c *cursor) skip(columns int) {
	for columns > 0 {
		switch {
		case c.leftover > 0:
			c.leftover--
		case c.at == len(c.line):
			return
		case c.line[c.at] == '\t':
			c.leftover = 3 - c.col%4
			c.col += 4 - c.col%4
			c.at++
		default:
			c.at, c.col = c.at+1, c.col+1
		}
		columns--
	}
}

// next classifies a line by CommonMark 0.31.
func (b *blocks) next(line string) FencePart {
	c := cursor{line: line}
	b.html, b.rule = false, false
	kept := 0
	for kept < len(b.open) && c.goesOn(b.open[kept]) {
		kept++
	}
	inside := kept == len(b.open)
	switch {
	case b.leaf == leafFence && inside:
		if width, end := c.indent(); width < 4 && Closes(line[end:], b.run) {
			b.leaf, b.run = leafNone, ""
			return FenceClose
		}
		return FenceText
	case b.leaf == leafComment && inside:
		if strings.Contains(line, b.run) {
			b.leaf, b.run = leafNone, ""
		}
		return Comment
	case b.leaf == leafHTML && inside && (b.run != "" || strings.TrimSpace(line[c.at:]) != ""):
		b.at = c.at
		b.markup(line[c.at:])
		return FenceNone
	case b.leaf == leafFence, b.leaf == leafComment, b.leaf == leafHTML:
		b.leaf, b.run = leafNone, ""
	}
	was := b.leaf
	if !inside && was != leafParagraph {
		was = leafNone
	}
	before := len(b.open)
	b.open = b.containers(&c, b.open[:kept], was == leafParagraph && inside)
	width, end := c.indent()
	rest := line[end:]
	b.at = end
	switch {
	case rest == "":
		b.leaf = leafNone
		return FenceNone
	case width >= 4 && (was != leafParagraph || len(b.open) > kept):
		b.leaf = leafIndented
		return Indented
	case width >= 4:
		b.lazy(kept, before, line)
		return FenceNone
	}
	if b.run = FenceRun(rest); b.run != "" {
		b.leaf = leafFence
		return FenceOpen
	}
	switch level, _ := Heading(rest); {
	case beginsComment(rest) != "":
		if b.leaf, b.run = leafComment, beginsComment(rest); strings.Contains(rest[len(b.run):], b.run) {
			b.leaf, b.run = leafNone, ""
		}
		return Comment
	case level > 0, Thematic(rest):
		underline := was == leafParagraph && inside && len(b.open) == kept && !b.row && strings.Trim(rest, "- \t") == ""
		b.leaf, b.rule = leafNone, level == 0 && !underline
	case b.beginsHTML(rest, was == leafParagraph && len(b.open) == kept):
	default:
		if was == leafParagraph && len(b.open) == kept {
			b.lazy(kept, before, line)
		}
		b.leaf, b.row = leafParagraph, rest[0] == '|'
	}
	return FenceNone
}

// beginsHTML opens the block of HTML or of mathematics with which a line begins.
func (b *blocks) beginsHTML(s string, paragraph bool) bool {
	m, run := []string(nil), ""
	if s[0] == '<' {
		m = htmlBlock().FindStringSubmatch(s)
	}
	switch {
	case strings.TrimRight(s, " \t") == "$$":
		b.leaf, b.run, b.html = leafHTML, "$$", true
		return true
	case m == nil, paragraph && m[1] == "" && m[2] == "":
		return false
	case m[1] != "":
		run = "</" + strings.ToLower(m[1]) + ">"
	}
	b.leaf, b.run = leafHTML, run
	b.markup(s)
	return true
}

// markup reads a line of HTML, which may end the block.
func (b *blocks) markup(s string) {
	if b.html = true; b.run != "" && strings.Contains(strings.ToLower(s), b.run) {
		b.leaf, b.run = leafNone, ""
	}
}

// beginsComment returns the end mark of the comment with which a line begins: a comment of HTML, or of MDX and
// Obsidian outside of paragraphs. It is "" if the line begins none.
func beginsComment(s string) string {
	s = strings.TrimRight(s, " \t")
	switch {
	case strings.HasPrefix(s, "<!--"):
		return "-->"
	case strings.HasPrefix(s, "{/*") && !strings.Contains(strings.TrimSuffix(s, "*/}"), "*/}"):
		return "*/}"
	case s == "%%", len(s) > 4 && strings.HasPrefix(s, "%%") && strings.Index(s[2:], "%%") == len(s)-4:
		return "%%"
	}
	return ""
}

// MapProse replaces the lines of a text that are neither code, comments nor HTML; it tells whether a line is a thematic
// break. Which later lines are code depends on the replaced lines, so that a reader of the result agrees.
func MapProse(s string, f func(line string, rule bool) string) string {
	var out strings.Builder
	var b blocks
	for pos := 0; pos < len(s); {
		line, next := CutLine(s, pos)
		before := b
		before.open = slices.Clone(b.open)
		if b.next(line) == FenceNone && !b.html {
			if now := f(line, b.rule); now != line {
				out.WriteString(now)
				b = before
				b.next(now)
			} else {
				out.WriteString(line)
			}
		} else {
			out.WriteString(line)
		}
		out.WriteString(s[pos+len(line) : next])
		pos = next
	}
	return out.String()
}

// goesOn consumes the mark or indentation that continues a container. It is false if there is none.
func (c *cursor) goesOn(o container) bool {
	width, end := c.indent()
	switch {
	case o.quote && width < 4 && end < len(c.line) && c.line[end] == '>':
		c.skip(width)
		c.mark(1)
	case !o.quote && end == len(c.line):
	case !o.quote && width >= o.column:
		c.skip(o.column)
	default:
		return false
	}
	return true
}

// closing returns the line that would end the open fence or comment. It is "" if none is open, or if the end of a
// quote ends it.
func (b *blocks) closing() string {
	end := b.run
	if end == "" {
		return "" // most lines
	}
	columns := 0
	for _, c := range b.open {
		columns += c.column
		if c.quote {
			return ""
		}
	}
	return strings.Repeat(" ", columns) + end
}

// lazy keeps the containers of a paragraph open if the paragraph continues without their marks.
func (b *blocks) lazy(kept, before int, line string) {
	if len(b.open) == kept && kept < before {
		b.open, b.at = b.open[:before], len(line)
	}
}

// mark consumes the mark of a container, and a blank after it.
func (c *cursor) mark(n int) {
	c.at, c.col = c.at+n, c.col+n
	if c.at < len(c.line) && (c.line[c.at] == ' ' || c.line[c.at] == '\t') {
		c.skip(1)
	}
}

// containers opens the containers that begin at the cursor.
func (b *blocks) containers(c *cursor, open []container, paragraph bool) []container {
	for len(open) < maxContainers {
		width, end := c.indent()
		rest := c.line[end:]
		if width >= 4 || rest == "" {
			return open
		}
		if rest[0] == '>' {
			c.skip(width)
			c.mark(1)
			open, paragraph = append(open, container{quote: true}), false
			continue
		}
		sign := listSign(rest)
		if sign == 0 && !paragraph && admonition(rest) {
			c.at = len(c.line)
			return append(open, container{column: width + 4})
		}
		if sign == 0 || Thematic(rest) {
			return open
		}
		empty := strings.TrimLeft(rest[sign:], " \t") == ""
		if paragraph && (empty || rest[0] >= '0' && rest[0] <= '9' && rest[:sign-1] != "1") {
			return open
		}
		c.skip(width)
		c.at, c.col = c.at+sign, c.col+sign
		inner, _ := c.indent()
		if empty || inner > 4 {
			inner = 1
		}
		c.skip(inner)
		open, paragraph = append(open, container{column: width + sign + inner}), false
	}
	return open
}

// admonition reports whether a line begins a block of MkDocs or its extensions, whose content is indented by four
// blanks: !!! note, ??? note and === "tab".
func admonition(s string) bool {
	mark := s[:min(3, len(s))]
	rest, ok := strings.CutPrefix(strings.TrimLeft(s[len(mark):], "+"), " ")
	return ok && rest != "" && (mark == "!!!" || mark == "???" || mark == "===" && rest[0] == '"')
}

// listSign returns the length of the list mark with which a line begins, 0 if there is none.
func listSign(s string) int {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 9 || digits == len(s) {
		return 0
	}
	signs := "-*+"
	if digits > 0 {
		signs = ".)"
	}
	n := digits + 1
	if strings.IndexByte(signs, s[digits]) < 0 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// Thematic reports whether a line is a thematic break: three or more of one character, and blanks.
func Thematic(s string) bool {
	if strings.IndexByte("-*_", s[0]) < 0 {
		return false
	}
	n := 0
	for i := range len(s) {
		switch s[i] {
		case s[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}
