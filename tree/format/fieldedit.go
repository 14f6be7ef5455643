package format

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// fieldChange is a change of one frontmatter key: its new values, or its removal.
type fieldChange struct {
	key    string
	values []string
	list   bool
	remove bool
}

// fieldEditor makes edits of an entry's frontmatter.
type fieldEditor struct{ *Entry }

// changed is the entry after a change. If the change cannot be made, ok is false and the entry is the old
// one.
func (d fieldEditor) changed(c fieldChange) (after *Entry, ok bool) {
	if f, there := d.LastField(c.key); there && c.holds(f) {
		return d.Entry, true
	}
	v := &Reviser{E: d.Entry}
	ok = v.Field(d.setField(c))
	return v.E, ok
}

// setField makes the edit of a change, an empty one if it cannot be made.
func (d fieldEditor) setField(c fieldChange) markdown.Edit {
	_, _, ok, _ := splitFrontmatter(d.Text)
	f, exists := d.LastField(c.key)
	switch {
	case !editable(d.Text) || len(d.Conflicts) > 0:
		return markdown.Edit{}
	case exists && c.holds(f):
		return markdown.Edit{}
	case exists && c.remove:
		return d.verified(c, d.removal(f))
	case exists:
		return d.replacement(c, f)
	case c.remove || d.unread(c.key):
		return markdown.Edit{}
	case !ok:
		eol := eolOf(d.Text)
		return d.verified(c, markdown.Edit{At: markdown.Span{Start: d.Body.Start, End: d.Body.Start}, New: "---" + eol + c.line() +
			eol + "---" + eol})
	}
	at, indent := d.fieldPlace(c.key)
	return d.verified(c, markdown.Edit{At: markdown.Span{Start: at, End: at}, New: indent + c.line() + eolOf(d.Text)})
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
func (d fieldEditor) replacement(c fieldChange, f Field) markdown.Edit {
	v := d.fieldValue(f)
	if c.list && f.List && (v.kind == valueFlow || v.kind == valueBlock) {
		return d.verified(c, markdown.TrimEdit(d.Text, markdown.Edit{At: v.at, New: v.build(v.pieces(f, c.values))}))
	}
	quote := plain
	if v.kind == valueScalar && !c.list && len(f.Items) == 1 {
		quote = quoteOf(v.at.Of(v.text), f.Items[0].Value, false)
	}
	text := c.text(quote)
	if v.at.Start > 0 && d.Text[v.at.Start-1] == ':' {
		text = " " + text
	}
	ed := markdown.Edit{At: v.at, New: text}
	if v.kind == valueOther {
		return d.verified(c, ed)
	}
	return d.verified(c, markdown.TrimEdit(d.Text, ed))
}

// pieces puts the wanted values in order: existing items keep their place, where the order allows it, and
// their quotes; the others are written anew.
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

// unknown keeps the items between two others that are not values of the field (mappings without a path,
// nested lists): text that is not understood is not removed.
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
func (d fieldEditor) removal(f Field) markdown.Edit {
	v := d.fieldValue(f)
	_, next := markdown.CutLine(d.Text[:d.Frontmatter.End], v.at.End)
	return markdown.Edit{At: markdown.Span{Start: lineStart(d.Text, f.KeyAt.Start), End: next}}
}

// fieldPlace is where a missing key is inserted: behind the nearest present one
// that comes before it in the written order, else before the nearest that comes
// after it, else at the end.
func (d fieldEditor) fieldPlace(key string) (at int, indent string) {
	order := slices.Index(FieldKeys, key)
	for i := order - 1; i >= 0; i-- {
		if f, ok := d.LastField(FieldKeys[i]); ok {
			v := d.fieldValue(f)
			_, at = markdown.CutLine(d.Text[:d.Frontmatter.End], v.at.End)
			return at, d.indent(f)
		}
	}
	for i := order + 1; order >= 0 && i < len(FieldKeys); i++ {
		if f, ok := d.Field(FieldKeys[i]); ok {
			return lineStart(d.Text, f.KeyAt.Start), d.indent(f)
		}
	}
	if n := len(d.Fields); n > 0 {
		indent = d.indent(d.Fields[n-1])
	}
	return d.Frontmatter.End, indent
}

func (d fieldEditor) indent(f Field) string {
	s := d.Text[lineStart(d.Text, f.KeyAt.Start):f.KeyAt.Start]
	return s[:len(s)-len(strings.TrimLeft(s, " "))]
}

// unread reports whether a key stands in the frontmatter but could not be
// decoded; a second one must not be written.
func (d fieldEditor) unread(key string) bool {
	for _, at := range topLevel(d.Text, d.Frontmatter) {
		l, _ := markdown.CutLine(at.Of(d.Text), 0)
		name, _, _ := strings.Cut(l, ":")
		if strings.Trim(name, " \t\"'") == key {
			return true
		}
	}
	return false
}

// verified returns an edit if it does what the change says and nothing else, and
// an empty one if not.
func (d fieldEditor) verified(c fieldChange, ed markdown.Edit) markdown.Edit {
	if !d.does(c, ed) {
		return markdown.Edit{}
	}
	return ed
}

// does reports whether edits make exactly the change and nothing else.
func (d fieldEditor) does(c fieldChange, edits ...markdown.Edit) bool {
	fields, ok := d.reread(edits...)
	if !ok || !slices.EqualFunc(others(d.Fields, c.key), others(fields, c.key), sameField) {
		return false
	}
	got := Entry{Fields: fields}
	f, exists := got.LastField(c.key)
	return exists != c.remove && (!exists || c.holds(f))
}

// reread returns the fields after edits; ok is false if the edits change the body or cause a defect.
func (d fieldEditor) reread(edits ...markdown.Edit) (fields []Field, ok bool) {
	after := markdown.ApplyEdits(d.Text, edits)
	fm, body, _, closed := splitFrontmatter(after)
	if !closed || after[body.Start:] != d.Text[d.Body.Start:] {
		return nil, false
	}
	fields, problems := parseFrontmatter(after, fm)
	return fields, len(problems) <= yamlErrors(d.Entry)
}

func yamlErrors(e *Entry) int {
	n := 0
	for _, p := range e.Problems {
		if p.Code == CodeFrontmatter {
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

// RemoveField returns the edit that removes one field with its lines from the frontmatter. If several fields
// have the same key, the others stay. Like [Entry.FieldEdit] it changes nothing if the field cannot be
// removed safely.
func (e *Entry) RemoveField(f Field) markdown.Edit {
	i := slices.IndexFunc(e.Fields, func(g Field) bool { return g.KeyAt == f.KeyAt })
	if i < 0 || !utf8.ValidString(e.Text) {
		return markdown.Edit{}
	}
	d := fieldEditor{e}
	ed := d.removal(e.Fields[i])
	fields, ok := d.reread(ed)
	if !ok || !slices.EqualFunc(slices.Delete(slices.Clone(e.Fields), i, i+1), fields, sameField) {
		return markdown.Edit{}
	}
	return ed
}
