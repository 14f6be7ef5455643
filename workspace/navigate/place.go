package navigate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Target is a place in a file.
type Target struct {
	Path   string        // the path in the folder
	At     markdown.Span // in Text
	Text   string        // the file's text, to which At refers
	Origin markdown.Span // the place in the request that leads here

	Markdown bool // a Markdown link between Markdown files, which editors may follow by themselves
}

// titledAt reports whether a position is in the title of an entry: in its frontmatter, or in its first heading.
func titledAt(v *workspace.View, entry string, offset int) bool {
	e, ok := v.Entry(entry)
	if !ok {
		return false
	}
	if f, ok := e.Field("title"); ok && f.At.Contains(offset) {
		return true
	}
	return len(e.Sections) > 0 && e.Sections[0].Level == 1 && e.Sections[0].Heading.Contains(offset)
}

// NamedAt returns a function that selects the links at a position. Marks in code have no position in the entry.
func NamedAt(offset int) func(link.CodeRef) bool {
	return func(c link.CodeRef) bool { return c.Form != link.FormComment && c.Span.Contains(offset) }
}

// EntryTarget returns the place that shows an entry: the given heading, or its title, or its beginning.
func EntryTarget(v *workspace.View, entry, heading string) Target {
	e, ok := v.Entry(entry)
	if !ok {
		return Target{Path: v.FilePath(entry)}
	}
	t := Target{Path: v.FilePath(entry), Text: e.Text}
	if heading != "" {
		if at, ok := e.Anchors().Place(heading); ok {
			t.At = markdown.Span{Start: at, End: at}.Lines(e.Text)
			return t
		}
	}
	t.At, _ = e.TitleAt()
	return t
}

// codeTarget returns the place of a symbol, or the beginning of a file.
func codeTarget(v *workspace.View, p, symbol string) (Target, bool) {
	text, ok := v.Text(p)
	if !ok {
		return Target{}, false
	}
	t := Target{Path: p, Text: text}
	if d, ok := DefinitionIn(v, p, symbol); ok && d.NameAt.End <= len(text) {
		t.At = markdown.Span(d.NameAt)
	}
	return t, true
}

// FullName returns the name of the symbol to which a link leads, with its container. It is "" for a file.
func FullName(c link.CodeRef) string {
	if c.Symbol != "" && c.Container != "" {
		return c.Container + "." + c.Symbol
	}
	return c.Symbol
}

// DefinitionsAround returns the definitions around an offset, or below the comment at the offset, innermost first.
func DefinitionsAround(symbols []syntax.Symbol, offset int) []syntax.Symbol {
	at := syntax.Span{Start: offset, End: offset}
	around := slices.DeleteFunc(slices.Clone(symbols), func(s syntax.Symbol) bool { return !s.Range.Contains(at) && !s.DocAt.Contains(at) })
	slices.SortStableFunc(around, func(a, b syntax.Symbol) int { return a.Range.Len() - b.Range.Len() })
	return around
}

// DefinitionIn finds a symbol of one file by its name, or its container and name.
func DefinitionIn(v *workspace.View, p, symbol string) (syntax.Symbol, bool) {
	c, ok := v.Code().Chunk(p)
	if !ok || symbol == "" {
		return syntax.Symbol{}, false
	}
	for _, s := range c.Symbols() {
		if s.Name == symbol || s.Container+"."+s.Name == symbol {
			return s, true
		}
	}
	return syntax.Symbol{}, false
}

// RelationAt returns the relation of an entry at a position. For the use of a definition, it returns the
// definition's relation.
func RelationAt(v *workspace.View, entry string, offset int) (r tree.Relation, ok bool) {
	relations := v.Trees().Relations(entry)
	find := func(offset int) bool {
		i := slices.IndexFunc(relations, func(r tree.Relation) bool { return r.At.Contains(offset) })
		if ok = i >= 0; ok {
			r = relations[i]
		}
		return ok
	}
	if find(offset) {
		return r, true
	}
	if e, known := v.Entry(entry); known {
		if use, target, used := markdown.Reference(e.Text, offset); used && find(target) {
			r.At = use
		}
	}
	return r, ok
}

// IdentifierAt returns the span of the identifier that contains a byte offset or ends at it. It is empty if there
// is none.
func IdentifierAt(text string, offset int) markdown.Span {
	offset = min(max(offset, 0), len(text))
	part := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	start, end := offset, offset
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !part(r) {
			break
		}
		start -= size
	}
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		if !part(r) {
			break
		}
		end += size
	}
	if start < end && text[start] >= '0' && text[start] <= '9' {
		return markdown.Span{Start: offset, End: offset}
	}
	return markdown.Span{Start: start, End: end}
}

// namings returns the places where an entry names a file, its folder or anything in it, or one of its symbols.
func namings(links *link.Links, entry, file, symbol string) (at []markdown.Span) {
	for _, c := range links.Of(entry) {
		whole := symbol == "" && (c.Path == file || c.Folder && strings.HasPrefix(file, strings.TrimSuffix(c.Path, "/")+"/"))
		if c.Form != link.FormComment && (whole || symbol != "" && c.Path == file && (c.Symbol == symbol || FullName(c) == symbol)) {
			at = append(at, c.Span)
		}
	}
	return at
}

// inOrderOfPlace sorts targets by path and place, and removes duplicates.
func inOrderOfPlace(all []Target) []Target {
	slices.SortStableFunc(all, func(a, b Target) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), a.At.Start-b.At.Start)
	})
	return slices.CompactFunc(all, func(a, b Target) bool { return a.Path == b.Path && a.At == b.At })
}
