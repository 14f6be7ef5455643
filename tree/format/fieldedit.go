package format

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree/markdown"
)

// fieldChange says what a frontmatter key is to be.
type fieldChange struct {
	key    string
	values []string
	list   bool
	remove bool
}

// setField makes the edit of a change, an empty one if it cannot be made.
func (e *Entry) setField(c fieldChange) markdown.Edit {
	_, _, ok, closed := splitFrontmatter(e.Text)
	f, exists := e.LastField(c.key)
	switch {
	case (ok && !closed) || !utf8.ValidString(e.Text) || len(e.Conflicts) > 0:
		return markdown.Edit{}
	case exists && c.holds(f):
		return markdown.Edit{}
	case exists && c.remove:
		return e.verified(c, e.removal(f))
	case exists:
		return e.replacement(c, f)
	case c.remove || e.unread(c.key):
		return markdown.Edit{}
	case !ok:
		eol := e.eol()
		return e.verified(c, markdown.Edit{markdown.Span{e.Body.Start, e.Body.Start}, "---" + eol + c.line() + eol + "---" + eol})
	}
	at, indent := e.fieldPlace(c.key)
	return e.verified(c, markdown.Edit{markdown.Span{at, at}, indent + c.line() + e.eol()})
}

// holds reports whether a field is already as the change wants it.
func (c fieldChange) holds(f Field) bool {
	if c.remove || (c.list != f.List) {
		return false
	}
	return slices.EqualFunc(f.Items, c.values, func(s Scalar, v string) bool { return s.Value == v })
}

// line is the field on a line of its own.
func (c fieldChange) line() string { return yamlKey(c.key) + ": " + c.text(plain) }

func yamlKey(key string) string { return yamlScalar(key, plain, true) }

// text is the value in the dialect that is written.
func (c fieldChange) text(quote byte) string {
	if c.list {
		return yamlList(c.values)
	}
	v := c.values[0]
	switch c.key {
	case "importance", "recency", "accessCount", "updateCount", "confidence":
		if _, err := strconv.ParseFloat(v, 64); err == nil && quote == plain && strings.Trim(v, "0123456789.eE+-") == "" {
			return v
		}
	case "createdAt", "updatedAt":
		if quote == plain {
			quote = single
		}
	}
	return yamlScalar(v, quote, false)
}

// replacement gives a present field another value in its own style.
func (e *Entry) replacement(c fieldChange, f Field) markdown.Edit {
	v := e.fieldValue(f)
	if c.list && f.List && (v.kind == valueFlow || v.kind == valueBlock) {
		return e.verified(c, markdown.TrimEdit(e.Text, markdown.Edit{v.at, v.build(v.pieces(f, c.values))}))
	}
	quote := plain
	if v.kind == valueScalar && !c.list && len(f.Items) == 1 {
		quote = quoteOf(v.at.Of(v.text), f.Items[0].Value, false)
	}
	text := c.text(quote)
	if v.at.Start > 0 && e.Text[v.at.Start-1] == ':' {
		text = " " + text
	}
	ed := markdown.Edit{v.at, text}
	if v.kind == valueOther {
		return e.verified(c, ed)
	}
	return e.verified(c, markdown.TrimEdit(e.Text, ed))
}

// pieces brings the wanted values in order: present items stay where their order
// allows, with their quotes, and the rest is written anew.
func (v *value) pieces(f Field, wanted []string) []piece {
	places := map[string][]int{} // raw items by value, ascending
	for i, k := range v.known {
		if k >= 0 {
			places[f.Items[k].Value] = append(places[f.Items[k].Value], i)
		}
	}
	quote := v.itemQuote(f)
	var out []piece
	last := -1
	for _, w := range wanted {
		p := piece{kept: -1}
		for len(places[w]) > 0 && p.kept < 0 && p.text == "" {
			at := places[w][0]
			places[w] = places[w][1:]
			if at > last {
				out, last = v.unknown(out, last, at), at
				p.kept = at
			} else if v.kind == valueFlow {
				p.text = v.items[at].Of(v.text)
			}
		}
		if p.kept < 0 && p.text == "" {
			p.text = yamlScalar(w, quote, v.kind == valueFlow)
		}
		out = append(out, p)
	}
	return v.unknown(out, last, len(v.items))
}

// unknown keeps the items between two that are no values of the field (mappings
// without a path, nested lists): what is not understood is not removed.
func (v *value) unknown(out []piece, from, to int) []piece {
	for i := from + 1; i < to; i++ {
		if v.known[i] < 0 {
			out = append(out, piece{kept: i})
		}
	}
	return out
}

// itemQuote is the style that all present items have, plain if they differ.
func (v *value) itemQuote(f Field) byte {
	quote := plain
	for i, k := range v.known {
		if k < 0 {
			continue
		}
		raw := strings.TrimLeft(v.items[i].Of(v.text), " -")
		q := quoteOf(raw, f.Items[k].Value, v.kind == valueFlow)
		if raw == "" || (raw[0] != single && raw[0] != double) || (quote != plain && q != plain && q != quote) {
			return plain
		}
		quote = max(quote, q)
	}
	return quote
}

// removal takes a field's lines out.
func (e *Entry) removal(f Field) markdown.Edit {
	v := e.fieldValue(f)
	_, next := CutLine(e.Text[:e.Frontmatter.End], v.at.End)
	return markdown.Edit{At: markdown.Span{lineStart(e.Text, f.KeyAt.Start), next}}
}

// fieldPlace is where a missing key is inserted: behind the nearest present one
// that comes before it in the written order, else before the nearest that comes
// after it, else at the end.
func (e *Entry) fieldPlace(key string) (at int, indent string) {
	order := slices.Index(FieldKeys, key)
	for i := order - 1; i >= 0; i-- {
		if f, ok := e.LastField(FieldKeys[i]); ok {
			v := e.fieldValue(f)
			_, at = CutLine(e.Text[:e.Frontmatter.End], v.at.End)
			return at, e.indent(f)
		}
	}
	for i := order + 1; order >= 0 && i < len(FieldKeys); i++ {
		if f, ok := e.Field(FieldKeys[i]); ok {
			return lineStart(e.Text, f.KeyAt.Start), e.indent(f)
		}
	}
	if n := len(e.Fields); n > 0 {
		indent = e.indent(e.Fields[n-1])
	}
	return e.Frontmatter.End, indent
}

func (e *Entry) indent(f Field) string {
	s := e.Text[lineStart(e.Text, f.KeyAt.Start):f.KeyAt.Start]
	return s[:len(s)-len(strings.TrimLeft(s, " "))]
}

// unread reports whether a key stands in the frontmatter but could not be
// decoded; a second one must not be written.
func (e *Entry) unread(key string) bool {
	for _, at := range topLevel(e.Text, e.Frontmatter) {
		l, _ := CutLine(at.Of(e.Text), 0)
		name, _, _ := strings.Cut(l, ":")
		if strings.Trim(name, " \t\"'") == key {
			return true
		}
	}
	return false
}

// verified returns an edit if it does what the change says and nothing else, and
// an empty one if not.
func (e *Entry) verified(c fieldChange, ed markdown.Edit) markdown.Edit {
	after := markdown.ApplyEdits(e.Text, []markdown.Edit{ed})
	fm, body, ok, closed := splitFrontmatter(after)
	if !ok || !closed || after[body.Start:] != e.Text[e.Body.Start:] {
		return markdown.Edit{}
	}
	fields, problems := parseFrontmatter(after, fm)
	if len(problems) > e.yamlErrors() || !slices.EqualFunc(others(e.Fields, c.key), others(fields, c.key), sameField) {
		return markdown.Edit{}
	}
	got := Entry{Fields: fields}
	f, exists := got.LastField(c.key)
	if exists == c.remove || (exists && !c.holds(f)) {
		return markdown.Edit{}
	}
	return ed
}

func (e *Entry) yamlErrors() int {
	n := 0
	for _, p := range e.Problems {
		if p.Code == CodeFrontmatter && p.Severity == SeverityError {
			n++
		}
	}
	return n
}

func others(fields []Field, key string) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return f.Key == key })
}

func sameField(a, b Field) bool {
	return a.Key == b.Key && a.List == b.List && slices.EqualFunc(a.Items, b.Items, func(a, b Scalar) bool { return a.Value == b.Value })
}

// RemoveField is the edit that takes one field out of the frontmatter with its lines, of
// several with one key that one alone. Like [Entry.FieldEdit] it changes nothing where
// that cannot be done.
func (e *Entry) RemoveField(f Field) markdown.Edit {
	i := slices.IndexFunc(e.Fields, func(g Field) bool { return g.KeyAt == f.KeyAt })
	if i < 0 || !utf8.ValidString(e.Text) {
		return markdown.Edit{}
	}
	ed := e.removal(e.Fields[i])
	after := markdown.ApplyEdits(e.Text, []markdown.Edit{ed})
	fm, body, _, closed := splitFrontmatter(after)
	if !closed || after[body.Start:] != e.Text[e.Body.Start:] {
		return markdown.Edit{}
	}
	fields, problems := parseFrontmatter(after, fm)
	rest := slices.Delete(slices.Clone(e.Fields), i, i+1)
	if len(problems) > e.yamlErrors() || !slices.EqualFunc(rest, fields, sameField) {
		return markdown.Edit{}
	}
	return ed
}
