package format

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// valueKind says how a frontmatter value is written.
type valueKind int

const (
	valueNone   valueKind = iota // key:
	valueScalar                  // key: plain, 'single' or "double" on one line
	valueFlow                    // key: [a, b]
	valueBlock                   // key: and items behind dashes
	valueOther                   // anything else: replaced as a whole or not at all
)

// value is where a frontmatter field's value stands and how it is written. It is
// found by a scanner of its own, since the decoder tells where values begin but
// neither where they end nor what stands between them; an edit made with it is
// verified by reading the result.
type value struct {
	text  string
	kind  valueKind
	at    markdown.Span   // the value with its quotes or brackets; of a block list all behind the colon
	items []markdown.Span // raw items: with quotes; of a block list whole lines, without the last line's end
	known []int           // for each raw item the index of its decoded one, -1 if it has none
	mark  string          // of a block list: what stands before an item's text
	eol   string
}

// fieldValue finds the value of a field.
func (d fieldEditor) fieldValue(f Field) value {
	v := value{text: d.Text, eol: eolOf(d.Text)}
	limit := d.Frontmatter.End
	colon := strings.IndexByte(d.Text[f.KeyAt.End:limit], ':')
	if colon < 0 {
		v.kind, v.at = valueOther, f.At
		return v
	}
	from := f.KeyAt.End + colon + 1
	end := d.fieldEnd(f, from)
	start := from + len(d.Text[from:end]) - len(strings.TrimLeft(d.Text[from:end], " \t"))
	if start == end || strings.ContainsRune("#\r\n", rune(d.Text[start])) {
		v.below(from, end)
	} else {
		v.inlineValue(start, end)
	}
	v.known = make([]int, len(v.items))
	for i := range v.known {
		v.known[i] = -1
	}
	at := 0
	for i, s := range f.Items {
		for at < len(v.items) && v.items[at].End < s.At.End {
			at++
		}
		if at < len(v.items) && v.items[at].Start <= s.At.Start {
			v.known[at] = i
		}
	}
	return v
}

// eolOf is the line end of a text's first line, LF if it has none.
func eolOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// fieldEnd is the end of the last line that belongs to a field: further lines
// are indented deeper than the key, or hold an item at the key's own depth.
func (d fieldEditor) fieldEnd(f Field, from int) int {
	fm := d.Text[:d.Frontmatter.End]
	indent := f.KeyAt.Start - lineStart(fm, f.KeyAt.Start)
	l, next := markdown.CutLine(fm, from)
	end := from + len(l)
	open := strings.HasPrefix(strings.TrimLeft(l, " \t"), "[") // brackets may close at the margin
	for next < len(fm) && next < f.At.End {
		l, after := markdown.CutLine(fm, next)
		t := strings.TrimLeft(l, " \t")
		deep := len(l)-len(t) > indent || (len(l)-len(t) == indent && (strings.HasPrefix(t, "- ") || t == "-" ||
			(open && strings.HasPrefix(t, "]"))))
		comment := strings.HasPrefix(t, "#")
		if t != "" && !comment && !deep {
			break
		}
		if t != "" && !comment {
			end = next + len(l)
		}
		next = after
	}
	return end
}

// lineStart is where the line that holds s[at] begins.
func lineStart(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// inlineValue reads a value that begins on the key's line.
func (v *value) inlineValue(start, end int) {
	s := v.text[start:end]
	v.kind, v.at = valueOther, markdown.Span{Start: start, End: end}
	switch s[0] {
	case '[':
		v.flow(start, end)
	case '"', '\'':
		if n := closing(s, s[0]); n < len(s) && trailing(s[n+1:]) {
			v.kind, v.at = valueScalar, markdown.Span{Start: start, End: start + n + 1}
		}
	case '|', '>', '{', '&', '*', '!':
	default:
		if strings.ContainsAny(s, "\r\n") {
			return // goes on in the next line
		}
		if i := strings.Index(s, " #"); i >= 0 {
			s = s[:i]
		}
		v.kind, v.at = valueScalar, markdown.Span{Start: start, End: start + len(strings.TrimRight(s, " \t"))}
	}
}

// trailing reports whether only a comment follows a value.
func trailing(s string) bool {
	t := strings.TrimLeft(s, " \t")
	return t == "" || (t[0] == '#' && len(t) < len(s) && !strings.Contains(t, "\n"))
}

// flow reads the items of a list in brackets.
func (v *value) flow(start, end int) {
	s := v.text[:end]
	depth, from := 0, start+1
	add := func(to int) {
		t := strings.Trim(s[from:to], " \t\r\n")
		if t != "" {
			at := from + strings.Index(s[from:to], t)
			v.items = append(v.items, markdown.Span{Start: at, End: at + len(t)})
		}
		from = to + 1
	}
	for i := start; i < end; i++ {
		switch c := s[i]; {
		case (c == '"' || c == '\'') && strings.Trim(s[from:i], " \t\r\n") == "":
			i += closing(s[i:], c)
		case c == '#' && (s[i-1] == ' ' || s[i-1] == '\t' || s[i-1] == '\n'):
			if strings.Trim(s[from:i], " \t\r\n") != "" {
				v.items = nil
				return // a comment inside an item: left alone
			}
			l, _ := markdown.CutLine(s, i)
			i += len(l)
			from = i
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if i < end && depth == 1 && s[i] == ',' {
			add(i)
		}
		if depth == 0 {
			add(i)
			if trailing(s[i+1:]) {
				v.kind, v.at = valueFlow, markdown.Span{Start: start, End: i + 1}
			}
			return
		}
	}
	v.items = nil
}

// below reads a value that begins under the key's line: a block list, or none.
func (v *value) below(from, end int) {
	v.at = markdown.Span{Start: from, End: end}
	_, next := markdown.CutLine(v.text[:end], from)
	if next >= end {
		v.kind, v.at = valueNone, markdown.Span{Start: from, End: from}
		return
	}
	v.kind = valueOther
	dash := -1
	for pos := next; pos < end; {
		l, after := markdown.CutLine(v.text[:end], pos)
		t := strings.TrimLeft(l, " ")
		indent := len(l) - len(t)
		switch {
		case t == "" || t[0] == '#':
		case (strings.HasPrefix(t, "- ") || t == "-") && (dash < 0 || indent == dash):
			if dash < 0 {
				dash = indent
				v.mark = l[:indent] + "- "
			}
			v.items = append(v.items, markdown.Span{Start: pos, End: pos + len(l)})
		case dash >= 0 && indent > dash:
			v.items[len(v.items)-1].End = pos + len(l)
		default:
			v.items = nil
			return
		}
		pos = after
	}
	if dash >= 0 {
		v.kind = valueBlock
	}
}

// piece is one item of a list to be written: a raw one that stays, or new text.
type piece struct {
	kept int // -1 if new
	text string
}

// build writes a list of pieces in the style of the present one; kept pieces
// stand in their present order. What stands between items that stay neighbours
// is kept.
func (v *value) build(pieces []piece) string {
	if v.kind == valueBlock {
		return v.buildBlock(pieces)
	}
	return v.buildFlow(pieces)
}

// gap returns the text in front of raw item i, or behind the last.
func (v *value) gap(i int) string {
	start, end := v.at.Start, v.at.End
	if v.kind == valueFlow {
		start, end = start+1, end-1
	}
	if i > 0 {
		start = v.items[i-1].End
	}
	if i < len(v.items) {
		end = v.items[i].Start
	}
	return v.text[start:end]
}

func (v *value) buildFlow(pieces []piece) string {
	if len(pieces) == 0 {
		return "[]"
	}
	separator := ", "
	for i := 1; i < len(v.items); i++ {
		if g := v.gap(i); !strings.Contains(g, "#") {
			separator = g
			break
		}
	}
	var b strings.Builder
	b.WriteByte('[')
	last := -2
	for i, p := range pieces {
		switch {
		case i == 0 && len(v.items) > 0:
			b.WriteString(v.gap(0))
		case i == 0:
		case p.kept > 0 && p.kept == last+1:
			b.WriteString(v.gap(p.kept))
		default:
			b.WriteString(separator)
		}
		last = -2
		if p.kept >= 0 {
			last, p.text = p.kept, v.items[p.kept].Of(v.text)
		}
		b.WriteString(p.text)
	}
	if n := len(v.items); n > 0 {
		b.WriteString(v.gap(n))
	}
	return b.String() + "]"
}

// buildBlock goes through the present lines, so that comments and blank lines
// between items outlive the items.
func (v *value) buildBlock(pieces []piece) string {
	added := map[int][]string{} // new items by the raw one they stand behind
	stays := make([]bool, len(v.items))
	last := -1
	for _, p := range pieces {
		if p.kept >= 0 {
			last = p.kept
			stays[last] = true
		} else {
			added[last] = append(added[last], v.mark+p.text)
		}
	}
	var b strings.Builder
	if len(pieces) == 0 {
		b.WriteString(" []")
	}
	b.WriteString(v.gap(0))
	for _, s := range added[-1] {
		b.WriteString(s + v.eol)
	}
	fresh := true // nothing stands on the line yet
	for i, at := range v.items {
		if g := v.gap(i); i > 0 && fresh {
			b.WriteString(strings.TrimPrefix(g, v.eol))
		} else if i > 0 {
			b.WriteString(g)
		}
		if fresh = !stays[i]; fresh {
			continue
		}
		b.WriteString(at.Of(v.text))
		for _, s := range added[i] {
			b.WriteString(v.eol + s)
		}
	}
	if fresh {
		return strings.TrimSuffix(b.String(), v.eol)
	}
	return b.String()
}
