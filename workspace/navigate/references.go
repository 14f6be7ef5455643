package navigate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// References lists the places that mention a thing, sorted by path and place:
//
//   - For an entry: the relations and marks that lead to it, with or without a #heading. Ask at a relation or
//     mark that leads to it, or at its title or first heading.
//   - For another heading: the relations that name it. Ask at the heading, or behind the # of a relation. A
//     relation without # means the whole entry.
//   - For a code file or symbol: the places where entries and documents name it, and the titles of entries that
//     only a mark there names. Ask where an entry or document names it, or at the symbol in the code. From an
//     entry, documents are left out. A place in code without a name means the file.
//   - For a heading of a document: the links of documents that lead to it.
//
// If the declaration is requested too, the title or heading comes first.
func References(ctx context.Context, v *workspace.View, p string, offset int, declaration bool) []Target {
	v = v.ForFile(ctx, p)
	entry, ok := v.EntryPath(p)
	if !ok {
		text, _ := v.Text(p)
		if m, ok := MarkAt(v, p, text, offset); ok {
			return MentionPlaces(v, m.Target, "", declaration)
		}
		return referencesOutside(ctx, v, p, offset)
	}
	e, ok := v.Entry(entry)
	if !ok {
		return nil
	}
	if r, ok := RelationAt(v, entry, offset); ok {
		heading := ""
		if hash := strings.IndexByte(r.At.Of(e.Text), '#'); hash >= 0 && offset > r.At.Start+hash {
			heading = r.Heading
		}
		return MentionPlaces(v, r.Target, heading, declaration)
	}
	if titledAt(v, entry, offset) {
		return MentionPlaces(v, entry, "", declaration)
	}
	for i, s := range e.Sections {
		if s.Heading.Contains(offset) {
			return MentionPlaces(v, entry, cmp.Or(e.Anchors().Of(i), s.Title), declaration)
		}
	}
	for _, c := range v.Links().Of(entry) {
		if NamedAt(offset)(c) {
			return namedBy(v, c.Path, c.Symbol)
		}
	}
	return nil
}

// MentionPlaces lists the relations and marks that lead to an entry. With a heading, given by its anchor, it lists
// only the relations that name it.
func MentionPlaces(v *workspace.View, target, heading string, declaration bool) (out []Target) {
	if target == "" {
		return nil
	}
	if declaration {
		out = append(out, EntryTarget(v, target, heading))
	}
	means := sameAnchor(v, target, heading)
	for _, b := range v.Trees().Backlinks(target) {
		if heading == "" || b.Heading != "" && means(b.Heading) {
			from, _ := v.Entry(b.From)
			out = append(out, Target{Path: v.FilePath(b.From), At: b.At, Text: from.Text})
		}
	}
	if heading == "" {
		out = append(out, markedBy(v, target)...)
	}
	return out
}

// sameAnchor returns a function that reports whether an anchor leads to the same heading of an entry. If anchor
// leads to none, the texts are compared.
func sameAnchor(v *workspace.View, entry, anchor string) func(string) bool {
	e, ok := v.Entry(entry)
	if !ok {
		return func(other string) bool { return format.SameHeading(anchor, other) }
	}
	anchors := e.Anchors()
	i, known := anchors.Section(anchor)
	return func(other string) bool {
		if j, ok := anchors.Section(other); ok || known {
			return ok && known && i == j
		}
		return format.SameHeading(anchor, other)
	}
}

// referencesOutside returns the references to a place outside of the tree: in a document, or in code.
func referencesOutside(ctx context.Context, v *workspace.View, p string, offset int) []Target {
	if at, pages := workspace.PagesOf(ctx, v, p); pages != nil {
		return pageReferences(at, pages, p, offset)
	}
	return codeReferences(v, workspace.PagesWithin(ctx, v, workspace.Answer), p, offset)
}

// pageReferences returns the places in entries and documents that name the thing at a position of a document: a
// file or symbol, or a heading.
func pageReferences(v *workspace.View, pages *workspace.Pages, p string, offset int) (out []Target) {
	d, _ := pages.Set.Document(p)
	for _, c := range pages.Links.Of(p) {
		if NamedAt(offset)(c) && c.Exists {
			out = inOrderOfPlace(append(namedBy(v, c.Path, c.Symbol), namedByPages(pages, c.Path, c.Symbol)...))
			return asMarkdown(out, leadsToMarkdown(d.Text, c.Span, c.Path))
		}
	}
	if s := d.Section(offset); s != nil && s.Heading.Contains(offset) {
		out = LinksTo(pages, d, func(anchor string) bool { return d.Anchored(anchor) == s })
	}
	return asMarkdown(out, true)
}

// asMarkdown marks targets that editors with their own support for Markdown list too.
func asMarkdown(all []Target, known bool) []Target {
	for i := range all {
		all[i].Markdown = known
	}
	return all
}

// codeReferences lists the places where entries, and documents if pages is set, name the symbol at a position of a
// code file. If there is no symbol, it lists the places that name the file.
func codeReferences(v *workspace.View, pages *workspace.Pages, p string, offset int) []Target {
	text, ok := v.Text(p)
	if !ok {
		return nil
	}
	name := IdentifierAt(text, offset).Of(text)
	if name == "" {
		return append(namedBy(v, p, ""), namedByPages(pages, p, "")...)
	}
	var out []Target
	for _, file := range DefiningFiles(v, p, name) {
		out = slices.Concat(out, namedBy(v, file, name), namedByPages(pages, file, name))
	}
	return inOrderOfPlace(out)
}

// DefiningFiles returns the files that define a name that occurs in the file p. A name that many files define is
// too common: then only p's own definition counts.
func DefiningFiles(v *workspace.View, p, name string) (files []string) {
	defs := v.Code().Lookup(name)
	for _, d := range defs {
		if len(defs) <= link.MaxDefined || d.Path == p {
			files = append(files, d.Path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// namedBy lists the places where entries name a file or one of its symbols. It adds the titles of entries that
// only a mark there names.
func namedBy(v *workspace.View, file, symbol string) (out []Target) {
	for _, r := range v.Links().About(file, symbol) {
		t, before := EntryTarget(v, r.Entry, ""), len(out)
		for _, at := range namings(v.Links(), r.Entry, file, symbol) {
			out = append(out, Target{Path: t.Path, At: at, Text: t.Text})
		}
		if len(out) == before {
			out = append(out, t)
		}
	}
	return inOrderOfPlace(out)
}

// Mentioning lists the places that mention a file as a whole: for an entry, the relations and marks that lead to
// it; for a code file, the entries that name it or something in it.
func Mentioning(ctx context.Context, v *workspace.View, p string) (out []Target) {
	v = v.ForFile(ctx, p)
	if entry, ok := v.EntryPath(p); ok {
		return MentionPlaces(v, entry, "", false)
	}
	for _, r := range v.Links().About(p, "") {
		t := EntryTarget(v, r.Entry, "")
		refs := v.Links().Of(r.Entry)
		if i := slices.IndexFunc(refs, func(c link.CodeRef) bool { return c.Path == p }); i >= 0 {
			t.At = refs[i].Span
		}
		out = append(out, t)
	}
	return out
}

// mark is a mark in a comment, as a relation from the code.
type mark struct {
	tree.Relation
	Problem string // why it leads nowhere
}

// MarksIn returns the marks of a code file in the given text. If the view has another text, because an open buffer
// was not read in time, it leaves out marks that moved.
func MarksIn(v *workspace.View, p, text string) (marks []mark) {
	c, ok := v.Code().Chunk(p)
	if !ok {
		return nil
	}
	for _, m := range c.Marks() {
		at := markdown.Span(m.At)
		if !spells(text, at, tree.MarkSign+m.Target) {
			continue
		}
		r := tree.Relation{Mention: format.Mention{Form: format.FormAt, Raw: m.Target, At: at},
			Resolution: v.Trees().Resolve("", format.FormAt, m.Target)}
		_, _, problem := v.Trees().Meant(m.Target)
		marks = append(marks, mark{r, problem})
	}
	return marks
}

// MarkAt returns the mark at a position of a code file.
func MarkAt(v *workspace.View, p, text string, offset int) (mark, bool) {
	for _, m := range MarksIn(v, p, text) {
		if m.At.Contains(offset) {
			return m, true
		}
	}
	return mark{}, false
}

// markedBy lists the places in code whose comments name an entry.
func markedBy(v *workspace.View, entry string) (out []Target) {
	last := Target{}
	for _, c := range v.Links().Marked(entry) {
		at := markdown.Span(c.Mark)
		if c.Path == last.Path && at == last.At { // a second link, to the symbol around the first
			continue
		}
		text, ok := v.Text(c.Path)
		if last = (Target{Path: c.Path, At: at, Text: text}); ok && spells(text, at, tree.MarkSign) {
			out = append(out, last)
		}
	}
	return out
}

// spells reports whether a span of a text begins with some words.
func spells(text string, at markdown.Span, words string) bool {
	return at.End <= len(text) && strings.HasPrefix(at.Of(text), words)
}
