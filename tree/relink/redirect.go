package relink

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Redirect returns the edits after which all relations of other entries to one entry lead to another. A list in
// the frontmatter loses the item if it would otherwise name the target twice, or its own entry. The edits are
// valid whether or not `from` is removed. A record of a merge (`consolidated_from`) never loses an item: the
// target's own record of `from` stays as it is. A relation in a form that cannot hold the new path stays too.
func Redirect(s *tree.Snapshot, from, to string) map[string][]markdown.Edit {
	now := s
	if _, ok := s.Entry(to); !ok {
		now = s.With(to, "")
	}
	rest := now.Without(from)
	out := map[string][]markdown.Edit{}
	for _, p := range SourcesOf(s, from) {
		if p == from {
			continue
		}
		e, _ := s.Entry(p)
		gone := repeated(s, e, from, to)
		edits, links := itemRemovals(e, gone), importedLinks(e)
		var all []leading
		for _, r := range s.Relations(p) {
			if r.Target == from && !overlaps(edits, r.At) && (p != to || r.Form != format.FormConsolidated) {
				all = append(all, leading{r, to, false})
			}
		}
		if len(gone) == 0 {
			all = links.lead(s, all)
		}
		for _, r := range all {
			edit, ok := respell(e, r.Relation, spelling{p, p, from, to}, func(raw string) bool {
				return now.Resolve(p, r.Form, raw).Target == to && rest.Resolve(p, r.Form, raw).Target == to
			})
			if ok && (!edit.doubtful || readsAs(rest, e, edit.Edit, to)) {
				edits = append(edits, edit.Edit)
			}
		}
		if edits = links.edits(edits); len(edits) > 0 {
			out[p] = edits
		}
	}
	return out
}

// overlaps reports whether one of the edits touches a span.
func overlaps(edits []markdown.Edit, at markdown.Span) bool {
	return slices.ContainsFunc(edits, func(o markdown.Edit) bool { return o.At.Start < at.End && at.Start < o.At.End })
}

// readsAs reports whether an edit gives an entry one more relation to a target, and changes no other relation.
func readsAs(s *tree.Snapshot, e *format.Entry, edit markdown.Edit, target string) bool {
	count := func(e *format.Entry) (n int) {
		for _, r := range e.Relations {
			if s.Resolve(e.Path, r.Form, r.Raw).Target == target {
				n++
			}
		}
		return n
	}
	now := format.Parse(e.Path, markdown.ApplyEdits(e.Text, []markdown.Edit{edit}))
	return len(now.Relations) == len(e.Relations) && count(now) == count(e)+1
}

// SourcesOf lists the entries with a relation to p, sorted.
func SourcesOf(s *tree.Snapshot, p string) []string {
	var out []string
	for _, b := range s.Backlinks(p) {
		out = append(out, b.From)
	}
	return slices.Compact(out)
}

// repeated finds the list items that would name their own entry, or repeat an item of their list, if `from` were
// `to`.
func repeated(s *tree.Snapshot, e *format.Entry, from, to string) map[markdown.Span]bool {
	type naming struct {
		form    format.Form
		heading string
	}
	named := map[naming]bool{}
	relations := s.Relations(e.Path)
	for _, r := range relations {
		if r.Target == to {
			named[naming{r.Form, r.Heading}] = true
		}
	}
	gone := map[markdown.Span]bool{}
	for _, r := range relations {
		if r.Target != from || r.Form != format.FormRelated && r.Form != format.FormSources {
			continue
		}
		as := naming{r.Form, r.Heading}
		if named[as] || e.Path == to {
			gone[r.At] = true
		}
		named[as] = true
	}
	return gone
}

// Detach returns the edits that remove the entries at those paths from the lists `related` and `sources` of all
// other entries. It also returns the mentions that will dangle: those in bodies, and list items whose notation is
// too unusual to remove. An item that names a folder stays while the folder means another entry. The record of a
// merge (`consolidated_from`) stays, since the entries it names are always gone.
func Detach(s *tree.Snapshot, paths ...string) (edits map[string][]markdown.Edit, dangling []tree.Backlink) {
	gone := map[string]*format.Entry{}
	for _, p := range paths {
		gone[p] = nil
	}
	rest := s.Update(gone)
	var sources []string
	for _, p := range paths {
		sources = append(sources, SourcesOf(s, p)...)
	}
	slices.Sort(sources)
	edits = map[string][]markdown.Edit{}
	for _, p := range slices.Compact(sources) {
		if slices.Contains(paths, p) {
			continue
		}
		e, _ := s.Entry(p)
		items := map[markdown.Span]bool{}
		for _, r := range s.Relations(p) {
			lost := slices.Contains(paths, r.Target) && (rest.Resolve(p, r.Form, r.Raw).Target == "" ||
				tree.KeyOf(r.Raw) == tree.KeyOf(r.Target))
			items[r.At] = lost && (r.Form == format.FormRelated || r.Form == format.FormSources)
		}
		if removal := itemRemovals(e, items); len(removal) > 0 {
			edits[p] = removal
		}
		for _, r := range s.Relations(p) {
			stays := r.Form != format.FormSources && r.Form != format.FormConsolidated && !overlaps(edits[p], r.At)
			if stays && slices.Contains(paths, r.Target) && rest.Resolve(p, r.Form, r.Raw).Target == "" {
				dangling = append(dangling, tree.Backlink{From: p, Relation: &r})
			}
		}
	}
	return edits, dangling
}

// itemRemovals removes list items, given by their spans, from an entry's frontmatter.
func itemRemovals(e *format.Entry, gone map[markdown.Span]bool) []markdown.Edit {
	var out []markdown.Edit
	for _, f := range e.Fields {
		var items []int
		for i, item := range f.Items {
			if gone[item.At] {
				items = append(items, i)
			}
		}
		out = append(out, e.RemoveItems(f, items...)...)
	}
	return out
}

// Relocated returns an entry whose relative links are rewritten for the place of another entry. A link that cannot
// be rewritten stays.
func Relocated(s *tree.Snapshot, e *format.Entry, to string) *format.Entry {
	var edits []markdown.Edit
	for _, r := range s.Relations(e.Path) {
		target := r.Target
		if target == e.Path {
			target = to // a link to itself becomes a link to the target
		}
		if r.Target == "" || s.Resolve(to, r.Form, r.Raw).Target == target {
			continue
		}
		leads := func(raw string) bool { return s.Resolve(to, r.Form, raw).Target == target }
		if rw, ok := respell(e, r, spelling{from: e.Path, here: to, old: r.Target, new: target}, leads); ok {
			edits = append(edits, rw.Edit)
		}
	}
	if len(edits) == 0 {
		return e
	}
	return format.Parse(e.Path, markdown.ApplyEdits(e.Text, edits))
}
