package refactor

import (
	"path"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// maxCandidates bounds the entries that are offered for an ambiguous relation.
const maxCandidates = 8

// relation repairs a relation that leads nowhere, or to several entries.
func (d editing) relation(r tree.Relation) (out []Fix) {
	for _, c := range firstOf(r.Candidates, maxCandidates) {
		if f, ok := d.lead(r, c); ok {
			out = append(out, f)
		}
	}
	if len(r.Candidates) > 0 {
		return out
	}
	found := nearest(d.Tree, d.entry.Path, r.Raw)
	for i, n := range found {
		if f, ok := d.lead(r, n.path); ok {
			f.Preferred = i == 0 && (isClear(found) || len(found) == 1)
			f.Sure = i == 0 && isClear(found)
			out = append(out, f)
		}
	}
	if !r.Escapes {
		out = append(out, d.create(r))
	}
	if f, ok := d.unrelate(r); ok {
		out = append(out, f)
	}
	return out
}

func firstOf[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// lead makes a relation lead to an entry.
func (d editing) lead(r tree.Relation, target string) (Fix, bool) {
	ed, ok := relink.Respell(d.Tree, d.entry.Path, r, target)
	return d.edit("lead:"+target, "Change the relation to "+target, ed), ok
}

// create creates the entry that a relation names.
func (d editing) create(r tree.Relation) Fix {
	p, err := relink.Missing(d.Tree, d.entry.Path, r)
	f := Fix{ID: "create", Title: "Create missing entry " + r.Raw}
	if err != nil {
		f.Disabled = err.Error()
		return f
	}
	f.Title = "Create missing entry " + p
	f.Plan = func() (Change, error) {
		text := d.template(p)
		return Change{Title: f.Title, Files: []File{{Path: d.FilePath(p), Create: true, Text: text}}}, nil
	}
	return f
}

// template returns the text of a new entry that another one names: a title made from its name, and a note on where
// it is missing.
func (d editing) template(p string) string {
	from := d.entry
	h := format.Header{
		Title:     titleFromName(p),
		Reason:    "Missed by " + from.Title + " (" + from.Path + ").",
		CreatedAt: d.Now,
	}
	return format.Render(h, format.Content{Relations: []string{from.Path}})
}

// titleFromName turns an entry's file name into words.
func titleFromName(p string) string {
	name := strings.TrimSuffix(path.Base(p), ".md")
	words := []rune(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' }), " "))
	if len(words) == 0 {
		return name
	}
	words[0] = unicode.ToUpper(words[0])
	return string(words)
}

// unrelate removes a relation that leads nowhere from `related`.
func (d editing) unrelate(r tree.Relation) (Fix, bool) {
	f, ok := d.entry.Field("related")
	if r.Form != format.FormRelated || !ok {
		return Fix{}, false
	}
	for i, item := range f.Items {
		if item.At == r.At {
			edits := d.entry.RemoveItems(f, i)
			return d.edit("unrelate", "Remove "+r.Raw+" from related", edits...), len(edits) > 0
		}
	}
	return Fix{}, false
}
