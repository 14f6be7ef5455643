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

// Occurrence is a place of a file that stands for the same thing as another one.
type Occurrence struct {
	At       markdown.Span
	Declares bool // a title or heading, not a mention
}

// Occurrences lists the places of a file that stand for what stands at an offset, in order
// of place: on a relation those that lead to the same entry, in any form; on the title or a
// heading the mentions of it; on a file or symbol that an entry names its other mentions;
// in code the marks that lead to the same entry. There are none where only the place itself
// would be one and says nothing.
func Occurrences(ctx context.Context, v *workspace.View, p string, offset int) []Occurrence {
	p, inTree := entryOr(v, p)
	if !inTree {
		return marksLike(v.ForFile(ctx, p), p, offset)
	}
	e, ok := v.Entry(p)
	if !ok {
		return nil
	}
	if r, ok := RelationAt(v, p, offset); ok {
		out := relationsLike(v.Trees().Relations(p), r)
		if at, stated := e.TitleAt(); r.Target == p && stated {
			out = append(out, Occurrence{at, true})
		}
		return inOrder(out)
	}
	if out, on := mentionsHere(v, e, offset); on {
		return out
	}
	inCode := func(at markdown.Span) bool { return at.Contains(offset) }
	if slices.ContainsFunc(e.Code, inCode) || slices.ContainsFunc(e.Files, func(f format.FileRef) bool { return inCode(f.At) }) {
		return namedLike(v.ForFile(ctx, v.FilePath(p)), p, offset)
	}
	return nil
}

// entryOr is the tree path of an entry's file, or the path as it is.
func entryOr(v *workspace.View, p string) (string, bool) {
	if entry, ok := v.EntryPath(p); ok {
		return entry, true
	}
	return p, false
}

// sameEnd reports whether two relations lead to the same entries; of those that lead
// nowhere, whether they say the same.
func sameEnd(a, b tree.Relation) bool {
	if a.Target == "" && len(a.Candidates) == 0 && b.Target == "" && len(b.Candidates) == 0 {
		return strings.TrimSuffix(a.Raw, ".md") == strings.TrimSuffix(b.Raw, ".md")
	}
	return a.Target == b.Target && slices.Equal(a.Candidates, b.Candidates)
}

func relationsLike(all []tree.Relation, r tree.Relation) []Occurrence {
	var out []Occurrence
	for _, other := range all {
		if sameEnd(other, r) {
			out = append(out, Occurrence{At: other.At})
		}
	}
	return out
}

// mentionsHere lists what in an entry mentions the entry's title, or the heading, at a
// place; on is false where the place is neither.
func mentionsHere(v *workspace.View, e *format.Entry, offset int) (out []Occurrence, on bool) {
	at, heading := markdown.Span{}, ""
	if f, ok := e.Field("title"); ok && f.At.Contains(offset) {
		at, _ = e.TitleAt()
	} else if i := slices.IndexFunc(e.Sections, func(s markdown.Section) bool { return s.Heading.Contains(offset) }); i >= 0 {
		at, heading = e.Sections[i].Heading, cmp.Or(e.Anchors().Of(i), e.Sections[i].Title)
	} else {
		return nil, false
	}
	title, _ := e.TitleAt()
	means := sameAnchor(v, e.Path, heading)
	for _, r := range v.Trees().Relations(e.Path) {
		if r.Target == e.Path && (at == title || r.Heading != "" && means(r.Heading)) {
			out = append(out, Occurrence{At: r.At})
		}
	}
	if len(out) == 0 {
		return nil, true
	}
	return inOrder(append(out, Occurrence{at, true})), true
}

// namedLike lists where an entry names the file or symbol that it names at a place.
func namedLike(v *workspace.View, entry string, offset int) []Occurrence {
	all := v.Links().Of(entry)
	i := slices.IndexFunc(all, func(c link.CodeRef) bool { return c.Form != link.FormComment && c.Span.Contains(offset) })
	if i < 0 {
		return nil
	}
	var out []Occurrence
	for _, c := range all {
		if c.Form != link.FormComment && c.Path == all[i].Path && FullName(c) == FullName(all[i]) {
			out = append(out, Occurrence{At: c.Span})
		}
	}
	return inOrder(out)
}

func marksLike(v *workspace.View, p string, offset int) []Occurrence {
	text, _ := v.Text(p)
	m, ok := MarkAt(v, p, text, offset)
	if !ok {
		return nil
	}
	var all []tree.Relation
	for _, other := range MarksIn(v, p, text) {
		all = append(all, other.Relation)
	}
	return inOrder(relationsLike(all, m.Relation))
}

func inOrder(out []Occurrence) []Occurrence {
	slices.SortFunc(out, func(a, b Occurrence) int { return a.At.Start - b.At.Start })
	return slices.CompactFunc(out, func(a, b Occurrence) bool { return a.At == b.At })
}
