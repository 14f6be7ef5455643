package format

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// CanonicalFrontmatter returns the edits that bring the frontmatter into the written
// form: the keys of [FieldKeys] in that order, their lists in brackets. Keys that are not
// of them keep their places between the others; a comment directly above a key goes where the key
// goes. Values, other keys' style and the body stay as they are.
//
// It is empty where nothing is to do, and where it cannot be done without loss: in
// frontmatter with a defect, and for a list with comments or items that are no scalars.
func (e *Entry) CanonicalFrontmatter() []markdown.Edit {
	if yamlErrors(e) > 0 || len(e.Fields) == 0 {
		return nil
	}
	d := fieldEditor{e}
	chunks, ok := d.fieldChunks()
	if !ok {
		return nil
	}
	now := make([]string, len(chunks))
	for i, c := range chunks {
		now[i] = c.at.Of(e.Text)
		if ed, ok := d.inBrackets(c); ok {
			now[i] = e.Text[c.at.Start:ed.At.Start] + ed.New + e.Text[ed.At.End:c.at.End]
		}
	}
	var slots []int // places of keys that have an order
	for i, c := range chunks {
		if slices.Contains(FieldKeys, c.key) {
			slots = append(slots, i)
		}
	}
	order := slices.Clone(slots)
	slices.SortStableFunc(order, func(a, b int) int {
		return slices.Index(FieldKeys, chunks[a].key) - slices.Index(FieldKeys, chunks[b].key)
	})
	wanted := slices.Clone(now)
	for i, slot := range slots {
		wanted[slot] = now[order[i]]
	}
	edits := chunkEdits(e.Text, chunks, wanted)
	if !d.sameFields(edits) {
		return nil
	}
	return edits
}

// fieldChunk is a frontmatter field with the lines that belong to it.
type fieldChunk struct {
	key   string
	at    markdown.Span
	field Field
}

// fieldChunks cuts the frontmatter into its fields; ok is false where they do not stand
// on lines of their own.
func (d fieldEditor) fieldChunks() (out []fieldChunk, ok bool) {
	for _, f := range d.Fields {
		start := lineStart(d.Text, f.KeyAt.Start)
		lead := strings.TrimRight(d.Text[start:f.KeyAt.Start], `"'`)
		if strings.Trim(lead, " ") != "" || start < d.Frontmatter.Start {
			return nil, false
		}
		from := d.Frontmatter.Start
		if n := len(out); n > 0 {
			from = lineStart(d.Text, out[n-1].field.KeyAt.Start)
			_, from = markdown.CutLine(d.Text, from)
		}
		start = commentsAbove(d.Text, from, start, len(lead))
		if n := len(out); n > 0 {
			out[n-1].at.End = start
		}
		out = append(out, fieldChunk{f.Key, markdown.Span{Start: start, End: d.Frontmatter.End}, f})
	}
	return out, true
}

// commentsAbove is where the comments begin that stand directly above a line, not
// indented deeper than its key.
func commentsAbove(text string, from, at, indent int) int {
	for at > from {
		start := lineStart(text, at-1)
		t := strings.TrimLeft(text[start:at], " ")
		if start < from || !strings.HasPrefix(t, "#") || at-start-len(t) > indent {
			break
		}
		at = start
	}
	return at
}

// inBrackets writes the block list of an ordered key in brackets; ok is false if it is
// none, or would lose something.
func (d fieldEditor) inBrackets(c fieldChunk) (ed markdown.Edit, ok bool) {
	if !c.field.List || !slices.Contains(FieldKeys, c.key) {
		return markdown.Edit{}, false
	}
	v := d.fieldValue(c.field)
	if v.kind != valueBlock || slices.Contains(v.known, -1) || len(v.known) != len(c.field.Items) ||
		strings.Contains(v.at.Of(d.Text), "#") {
		return markdown.Edit{}, false
	}
	items := make([]string, len(c.field.Items))
	for i, s := range c.field.Items {
		items[i] = yamlScalar(s.Value, plain, true)
		if raw := s.Outer(d.Text).Of(d.Text); QuoteAround(d.Text, s.At) != 0 && !strings.ContainsAny(raw, "\r\n") {
			items[i] = raw
		}
	}
	return markdown.Edit{At: v.at, New: " [" + strings.Join(items, ", ") + "]"}, true
}

// chunkEdits turns chunks into what is wanted in their places. What stays in order (the
// longest common subsequence) is not touched.
func chunkEdits(text string, chunks []fieldChunk, wanted []string) (out []markdown.Edit) {
	n := len(chunks)
	old := func(i int) string { return chunks[i].at.Of(text) }
	common := make([][]int, n+1) // of old[i:] and wanted[j:], in bytes
	for i := n; i >= 0; i-- {
		common[i] = make([]int, n+1)
		for j := n - 1; j >= 0 && i < n; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if old(i) == wanted[j] {
				common[i][j] = max(common[i][j], common[i+1][j+1]+len(wanted[j]))
			}
		}
	}
	kept := func(i, j int) bool {
		return i < n && j < n && old(i) == wanted[j] && common[i][j] == common[i+1][j+1]+len(wanted[j])
	}
	for i, j := 0, 0; i < n || j < n; {
		if kept(i, j) {
			i, j = i+1, j+1
			continue
		}
		ed := markdown.Edit{At: markdown.Span{Start: chunks[n-1].at.End, End: chunks[n-1].at.End}}
		if i < n {
			ed.At = markdown.Span{Start: chunks[i].at.Start, End: chunks[i].at.Start}
		}
		for (i < n || j < n) && !kept(i, j) {
			if i < n && (j == n || common[i+1][j] >= common[i][j+1]) {
				ed.At.End = chunks[i].at.End
				i++
			} else {
				ed.New += wanted[j]
				j++
			}
		}
		out = append(out, markdown.TrimEdit(text, ed))
	}
	return out
}

// sameFields reports whether edits leave the body, every field's value and the number of
// defects as they are.
func (d fieldEditor) sameFields(edits []markdown.Edit) bool {
	after := Parse(d.Path, markdown.ApplyEdits(d.Text, edits))
	if after.Body.Of(after.Text) != d.Body.Of(d.Text) || len(after.Problems) > len(d.Problems) || len(after.Fields) != len(d.Fields) {
		return false
	}
	for _, f := range d.Fields {
		if now, ok := after.LastField(f.Key); !ok || !sameField(f, now) {
			return false
		}
	}
	return true
}
