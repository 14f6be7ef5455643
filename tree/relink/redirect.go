package relink

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Redirect returns the edits after which every relation of other entries to one
// entry leads to another; frontmatter lists that would then name it twice, or
// name their own entry, lose the item. The edits hold whether or not `from` goes
// away. A record of what was merged (`consolidated_from`) never loses an item: the
// target's own record of `from` stays as it is. A relation in a form that cannot
// carry the new path stays too.
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
		edits := itemRemovals(e, gone)
		for _, r := range s.Relations(p) {
			if r.Target != from || overlaps(edits, r.At) || p == to && r.Form == format.FormConsolidated {
				continue
			}
			edit, ok := respell(e, r, spelling{p, p, from, to}, func(raw string) bool {
				return now.Resolve(p, r.Form, raw).Target == to && rest.Resolve(p, r.Form, raw).Target == to
			})
			if ok && (!edit.doubtful || readsAs(rest, e, edit.Edit, to)) {
				edits = append(edits, edit.Edit)
			}
		}
		if len(edits) > 0 {
			out[p] = edits
		}
	}
	return out
}

// overlaps reports whether one of the edits touches a span.
func overlaps(edits []markdown.Edit, at markdown.Span) bool {
	return slices.ContainsFunc(edits, func(o markdown.Edit) bool { return o.At.Start < at.End && at.Start < o.At.End })
}

// readsAs reports whether an edit gives an entry one more relation to a target,
// and changes nothing else that the reader sees as a relation.
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

// repeated finds the list items that would name their own entry, or name again
// what their list names already, if `from` were `to`.
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

// Detach returns the edits that take the entries at those paths out of every
// other entry's lists `related` and `sources`, and the mentions in bodies that
// will dangle, with list items that are written too oddly to take out. An item that names a folder stays while the folder means another
// entry. The record of what was merged (`consolidated_from`) stays: it names what
// is gone by nature.
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

// itemRemovals takes list items, told by their spans, out of an entry's
// frontmatter.
func itemRemovals(e *format.Entry, gone map[markdown.Span]bool) []markdown.Edit {
	var out []markdown.Edit
	for _, f := range e.Fields {
		var items []int
		for i, item := range f.Items {
			if gone[item.At] {
				items = append(items, i)
			}
		}
		if len(items) > 0 {
			out = append(out, itemRemoval(e, f, items)...)
		}
	}
	return out
}

// itemRemoval takes items out of a frontmatter list: each with its comma, or with
// its line. A list that loses all is written []. It gives nothing for a list that
// is written in a way it does not understand.
func itemRemoval(e *format.Entry, f format.Field, items []int) []markdown.Edit {
	value := f.KeyAt.End
	if colon := strings.IndexByte(e.Text[value:f.At.End], ':'); colon >= 0 {
		value += colon + 1
	}
	first := f.Items[0].Outer(e.Text)
	switch {
	case !f.List:
		return []markdown.Edit{{At: first, New: "[]"}}
	case strings.HasPrefix(strings.TrimLeft(e.Text[value:f.At.End], " \t\r\n"), "["):
		return flowRemoval(e, f, items)
	case len(items) == len(f.Items):
		all := markdown.Span{Start: value, End: f.Items[len(f.Items)-1].Outer(e.Text).End}
		if !strings.Contains(all.Of(e.Text), "#") { // a comment is not ours to delete
			return []markdown.Edit{{At: all, New: " []"}}
		}
	}
	return lineRemoval(e, f, items)
}

// lineRemoval takes items of a block list out, with their lines.
func lineRemoval(e *format.Entry, f format.Field, items []int) []markdown.Edit {
	var out []markdown.Edit
	for _, i := range items {
		at := f.Items[i].Outer(e.Text)
		start := strings.LastIndexByte(e.Text[:at.Start], '\n') + 1
		_, end := format.CutLine(e.Text, at.End)
		if strings.TrimLeft(e.Text[start:at.Start], " \t") == "" || strings.Trim(e.Text[start:at.Start], " \t-") != "" ||
			strings.Count(e.Text[start:at.Start], "-") != 1 {
			return nil
		}
		out = append(out, markdown.Edit{At: markdown.Span{Start: start, End: end}, New: ""})
	}
	return out
}

// flowRemoval takes items of a flow list out. Neighbours that go together make one
// edit; the comma that goes is the one behind, or at the list's end the one before.
func flowRemoval(e *format.Entry, f format.Field, items []int) []markdown.Edit {
	spans := make([]markdown.Span, len(f.Items))
	for i, item := range f.Items {
		spans[i] = item.Outer(e.Text)
		if i > 0 && strings.Trim(e.Text[spans[i-1].End:spans[i].Start], " \t\r\n") != "," {
			return nil // a comment, or something nested
		}
	}
	var out []markdown.Edit
	for k := 0; k < len(items); {
		end := k + 1
		for end < len(items) && items[end] == items[end-1]+1 {
			end++
		}
		from, to := items[k], items[end-1]
		at := markdown.Span{Start: spans[from].Start, End: spans[to].End}
		switch {
		case to+1 < len(spans):
			at.End = spans[to+1].Start
		case from > 0:
			at.Start = spans[from-1].End
		default: // a comma may stand behind the last item
			rest := strings.TrimLeft(e.Text[at.End:f.At.End], " \t\r\n")
			if strings.HasPrefix(rest, ",") {
				at.End = f.At.End - len(rest) + 1
			}
		}
		out = append(out, markdown.Edit{At: at, New: ""})
		k = end
	}
	return out
}

// Relocated is an entry with its own relative links as they must be written in
// another entry's place. A link that cannot be is left as it is.
func Relocated(s *tree.Snapshot, e *format.Entry, to string) *format.Entry {
	var edits []markdown.Edit
	for _, r := range s.Relations(e.Path) {
		target := r.Target
		if target == e.Path {
			target = to // what it said of itself is said of the target now
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
