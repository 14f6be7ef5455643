package tree

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Resolve resolves a path that is written inside the entry `from`. It tries the exact file, then the path
// with .md, then the folder's context.md. If none matches exactly, it ignores differences in letter case, in
// Unicode form and between hyphen and underscore. As a last resort, the path of an archived entry means its
// stub. Several equally good files are ambiguous. If an imported entry states the target of such a link
// itself, that is used. A path that is absolute, climbs out of the tree, or is an address is never looked up.
func (s *Snapshot) Resolve(from string, form format.Form, raw string) Resolution {
	r, _ := s.ResolveExact(from, form, raw)
	return r
}

// ResolveExact also tells whether the target's own spelling, or its folder's, was used.
func (s *Snapshot) ResolveExact(from string, form format.Form, raw string) (r Resolution, exact bool) {
	if e, ok := s.Entry(from); ok {
		if to := format.LinkOf(e, raw); to != "" {
			form, raw = format.FormRelated, to
		}
	}
	ways, in := Meanings(from, form, raw), resolver{s, form}
	if form == format.FormMarkdown {
		return in.link(ways)
	}
	if len(ways) == 0 {
		return Resolution{Escapes: len(raw) <= MaxPath}, false
	}
	p := ways[0]
	if r, exact = in.lookUp(p); r.Target != "" || len(r.Candidates) > 0 {
		return r, exact
	}
	if form == format.FormWiki {
		r = in.named(p)
	}
	if r.Target == "" && len(r.Candidates) == 0 {
		r = in.stub(p)
	}
	return r, false
}

// resolver looks up the paths of relations of one form.
type resolver struct {
	s    *Snapshot
	form format.Form
}

// link resolves a markdown link's target. Links that lead nowhere in the tree, or to several entries, are
// left to the editor.
func (in resolver) link(ways []string) (r Resolution, exact bool) {
	for _, p := range ways {
		if r, exact := in.lookUp(p); r.Target != "" {
			return r, exact
		}
	}
	for _, p := range ways {
		if r := in.stub(p); r.Target != "" {
			return r, false
		}
	}
	return Resolution{}, false
}

// MaxPath is the longest path, in bytes, that is looked up; file systems have no longer ones (Linux:
// PATH_MAX).
const MaxPath = 4096

// Meanings lists the tree paths that a link inside the entry `from` may mean, the likeliest first. A markdown
// link is relative to the entry's folder, then to the tree's root. The list is empty for anything that could
// name a place outside of the tree: absolute paths, home and drive paths, addresses, backslashes and "..",
// also behind percent escapes, which only a markdown link may have. A path may begin with the name of another
// tree, see [format.CutTree].
func Meanings(from string, form format.Form, raw string) []string {
	if len(raw) > MaxPath {
		return nil
	}
	if name, inner, ok := format.CutTree(raw); ok {
		if inner, ok = InTree(inner); ok {
			return []string{name + ":" + inner}
		}
		return nil
	}
	if name, inner, ok := format.CutTree(from); ok { // a path in another tree is relative to that tree
		ways := Meanings(inner, form, raw)
		for i := range ways {
			ways[i] = name + ":" + ways[i]
		}
		return ways
	}
	if form == format.FormWiki && strings.HasPrefix(raw, "../") {
		raw = path.Join(format.FolderOf(from), raw)
	}
	if form != format.FormMarkdown {
		if p, ok := InTree(raw); ok {
			return []string{p}
		}
		return nil
	}
	raw = format.Mention{Form: form, Raw: raw}.Path()
	if strings.ContainsAny(raw, "\\:%\x00") {
		return nil
	}
	rel := path.Join(format.FolderOf(from), raw)
	if strings.HasPrefix(raw, "/") {
		rel = path.Clean(strings.TrimLeft(raw, "/"))
		if inTree, ok := strings.CutPrefix(rel, FromProject); ok {
			rel, raw = inTree, inTree
		}
	}
	var out []string
	for _, p := range []string{rel, path.Clean(raw)} {
		if p == "." || Climbs(p) || strings.HasPrefix(p, "/") || slices.Contains(out, p) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// Outlink is a Markdown link of an entry that leads to no entry.
type Outlink struct {
	format.Mention
	Ways []string // the paths of the project that it can mean, the likeliest first
}

// Outlinks lists the Markdown links of an entry that lead to no entry. A path can start at the entry's folder, at the folder of the
// imported file or, as agents write it, at the top of the project. Links that leave the project are left out.
func Outlinks(s *Snapshot, e *format.Entry) (out []Outlink) {
	im, imported := format.ImportedBy(e)
	source, _ := im.Source()
	leaves := func(p string) bool { return p == "." || p[0] == '/' || Climbs(p) }
	for _, m := range e.Relations {
		to, home := m.Path(), 0
		if m.Form != format.FormMarkdown || strings.ContainsAny(to, ":\x00") || s.Resolve(e.Path, m.Form, m.Raw).Target != "" {
			continue
		}
		ways := []string{path.Join(FromProject, format.FolderOf(e.Path), to), path.Clean(to)}
		if rooted, ok := strings.CutPrefix(to, "/"); ok {
			ways = []string{path.Clean(rooted)}
		} else if imported {
			ways, home = slices.Insert(ways, 1, path.Join(path.Dir(source), to)), 1
		}
		if !leaves(ways[home]) {
			out = append(out, Outlink{m, slices.DeleteFunc(ways, leaves)})
		}
	}
	return out
}

// FromProject is the prefix that turns a tree path into a path of the project.
const FromProject = ".brv/" + Dir + "/"

// GivenPath removes the parts that people and models put around a tree path: blanks, back-ticks, @, ./ and
// the tree's own path in the project. Backslashes become slashes.
func GivenPath(p string) string {
	p = strings.TrimLeft(strings.ReplaceAll(strings.Trim(p, " \t\r\n`"), `\`, "/"), "@")
	return strings.TrimPrefix(strings.TrimPrefix(p, "./"), FromProject)
}

// Climbs reports whether a cleaned path leads above where it starts.
func Climbs(p string) bool { return p == ".." || strings.HasPrefix(p, "../") }

// InTree cleans a tree path; ok is false for a path that could name a place outside of the tree.
func InTree(raw string) (string, bool) {
	if strings.ContainsAny(raw, "\\:%\x00") || strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, "~") {
		return "", false
	}
	for seg := range strings.SplitSeq(raw, "/") {
		if seg == ".." {
			return "", false
		}
	}
	return strings.Trim(path.Clean(raw), "/"), true
}

// lookUp finds the entry or folder that a path names.
func (in resolver) lookUp(p string) (r Resolution, exact bool) {
	key, isFile := strings.CutSuffix(format.Fold(p), ".md")
	at, ok := in.s.places.Get(key)
	if !ok {
		return Resolution{}, false
	}
	if in.form == format.FormWiki && !strings.Contains(p, "/") && len(at.files) == 0 { // a name alone means a note before a folder
		if r = in.named(p); r.Target != "" {
			return r, false
		}
	}
	ways := []string{p}
	if !isFile {
		ways = []string{p, p + ".md", p + "/context.md"}
	}
	for _, way := range ways {
		if _, ok := in.s.Entry(way); ok {
			return Resolution{Target: way}, true
		}
	}
	if len(at.files) > 0 {
		return one(at.files), false
	}
	return in.folder(at.folders), slices.Contains(at.folders, p)
}

// folder returns the entries meant by a topic's path: its context.md, or its files if
// it has none.
func (in resolver) folder(dirs []string) Resolution {
	var overviews, held []string
	for _, dir := range dirs {
		if _, ok := in.s.Entry(dir + "/context.md"); ok {
			overviews = append(overviews, dir+"/context.md")
			continue
		}
		n, _ := in.s.Node(dir)
		for _, p := range n.Entries {
			if format.RoleOf(p) == format.RoleEntry {
				held = append(held, p)
			}
		}
	}
	if len(overviews) > 0 {
		return one(overviews)
	}
	return one(held)
}

// named resolves a name alone, or the end of a path.
func (in resolver) named(name string) Resolution {
	at, ok := in.s.places.Get(KeyOf(path.Base(name)))
	if !ok {
		return Resolution{}
	}
	return one(slices.DeleteFunc(slices.Clone(at.named), func(p string) bool {
		return strings.Contains(name, "/") && !strings.HasSuffix(KeyOf(p), "/"+KeyOf(name))
	}))
}

// stub finds the stub of an archived entry.
func (in resolver) stub(p string) Resolution {
	if at, ok := in.s.places.Get(stubKey(KeyOf(p))); ok && len(at.files) > 0 {
		return one(at.files)
	}
	if in.form == format.FormWiki && !strings.Contains(p, "/") {
		if at, ok := in.s.places.Get(KeyOf(p) + ".stub"); ok {
			return one(slices.DeleteFunc(slices.Clone(at.named), func(q string) bool { return !format.Archived(q) }))
		}
	}
	return Resolution{}
}

// one turns a list of matches into a resolution.
func one(paths []string) Resolution {
	switch len(paths) {
	case 0:
		return Resolution{}
	case 1:
		return Resolution{Target: paths[0]}
	}
	return Resolution{Candidates: slices.Clone(paths)}
}

// keysAsked lists the keys that an entry's relations are looked up by, sorted.
func keysAsked(e *format.Entry) []string {
	if e == nil || !e.Role.Relates() {
		return nil
	}
	var keys []string
	for _, r := range e.Relations {
		if to := format.LinkOf(e, r.Raw); to != "" {
			keys = append(keys, KeyOf(to))
			continue
		}
		for _, p := range Meanings(e.Path, r.Form, r.Raw) {
			keys = append(keys, KeyOf(p))
			if domain, _, ok := strings.Cut(p, "/"); ok && (r.Form == format.FormAt || r.Form == format.FormWiki) {
				keys = append(keys, KeyOf(domain), KeyOf(path.Base(p))) // such a path counts only while the domain exists
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Twin returns the path of an existing entry or folder that some file systems
// cannot tell from p: equal but for letter case or Unicode form.
func (s *Snapshot) Twin(p string) (string, bool) {
	if twins := s.Twins(p); len(twins) > 0 {
		return twins[0], true
	}
	return "", false
}

// Twins lists the entries, then the folders, that are p but for letter case or
// Unicode form.
func (s *Snapshot) Twins(p string) []string {
	var found []string
	look := func(among []string) {
		for _, q := range among {
			if q != p && format.FoldCase(q) == format.FoldCase(p) {
				found = append(found, q)
			}
		}
	}
	if at, ok := s.places.Get(KeyOf(p)); ok {
		look(at.files)
	}
	if at, ok := s.places.Get(format.Fold(p)); ok {
		look(at.folders)
	}
	return found
}

// KindOf returns the kind of a tree path: a folder, an entry or a summary. The root is none of them.
func (s *Snapshot) KindOf(p string) (format.Kind, bool) {
	if e, ok := s.Entry(p); ok {
		if e.Role == format.RoleSummary {
			return format.KindSummary, true
		}
		return format.KindContext, true
	}
	if n, ok := s.Node(p); ok && p != "" {
		return n.Kind, true
	}
	return 0, false
}

// FreePath returns the first free path for an entry of that title in a folder. A path is taken if it, or a
// path that some systems cannot tell from it, exists, or if a folder has its name without .md, since a
// relation could mean that folder. The second path that is tried ends with _2, and so on.
func (s *Snapshot) FreePath(dir, title string) string {
	name := format.Slug(title)
	for n := 1; ; n++ {
		suffix := ""
		if n > 1 {
			suffix = "_" + strconv.Itoa(n)
		}
		stem := name
		for len(stem)+len(suffix) > format.MaxNameBytes {
			_, size := utf8.DecodeLastRuneInString(stem)
			stem = stem[:len(stem)-size]
		}
		p := path.Join(dir, stem+suffix) + ".md"
		at, known := s.places.Get(KeyOf(p))
		if !s.Taken(p) && (!known || len(at.folders) == 0) {
			return p
		}
	}
}

// Taken reports whether p is in use: by a file, read or not, or by a twin.
func (s *Snapshot) Taken(p string) bool {
	if _, ok := s.KindOf(p); ok || len(s.Twins(p)) > 0 {
		return true
	}
	return slices.ContainsFunc(s.skipped, func(k Skipped) bool { return format.FoldCase(k.Path) == format.FoldCase(p) })
}
