package vault

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// importer plans one import.
type importer struct {
	Plan
	tree   *tree.Snapshot
	notes  []*note
	index  index
	taken  map[string]bool          // paths given to notes, case folded
	known  map[string]*format.Entry // the entries from earlier imports of this folder, also those that wait for approval, by path
	others map[string]bool          // paths and names of files that are not notes
	files  map[string]bool          // paths of all notes, including those that are not imported
	tops   map[string]bool          // first segments of these paths
	has    func(path string) bool   // whether the project has a file or folder; nil if that is not known
}

// Import plans the import of a folder into a tree.
func Import(f Folder, t *tree.Snapshot, o Options) (*Plan, error) {
	im := &importer{tree: t, taken: map[string]bool{}}
	im.Dialect, im.Root, im.Others = o.Dialect, f.Root, len(f.Others)
	im.others, im.files, im.tops, im.has = map[string]bool{}, map[string]bool{}, map[string]bool{}, f.Has
	for _, file := range f.Files {
		im.files[file.Path] = true
		top, _, _ := strings.Cut(file.Path, "/")
		im.tops[format.FoldCase(top)] = true
	}
	for _, p := range f.Others {
		im.others[p], im.others[path.Base(p)] = true, true
	}
	if im.Dialect == "" {
		im.Dialect = detect(f)
	}
	if !slices.Contains(Dialects, im.Dialect) {
		return nil, fmt.Errorf("unknown dialect %q; the dialects are %s", im.Dialect, strings.Trim(fmt.Sprint(Dialects), "[]"))
	}
	places, err := newPlaces(f, im.Dialect, o.Map)
	if err != nil {
		return nil, err
	}
	all := t.Update(o.waiting(t))
	known := knownAs(all, f)
	im.known = importedAlready(all, f, known)
	if outside(f.Root) { // a place outside of the project is private to the user
		im.Root = known
	}
	im.Base = map[string]string{}
	im.follow(f)
	settled := im.settled()
	counts, there := map[[2]string]int{}, map[string]bool{}
	for _, file := range f.Files {
		there[file.Path] = true
		n := &note{File: file, was: im.known[file.Path]}
		if why := im.refused(file); why != "" {
			im.Left = append(im.Left, Left{file.Path, why})
			if n.was == nil {
				continue
			}
			n.same = true
		}
		from := path.Dir(file.Path)
		dir := places.of(from)
		if im.Dialect == ByteRover && path.Base(file.Path) == "context.md" && format.CheckName(from) == nil && len(o.Map) == 0 {
			dir = from // it describes a domain
		}
		if to, ok := settled[from]; ok && len(o.Map) == 0 {
			dir = to
		}
		if n.was != nil {
			n.at, dir = n.was.Path, path.Dir(n.was.Path)
		} else if n.at = im.free(dir, path.Base(file.Path)); n.at == "" {
			im.Left = append(im.Left, Left{file.Path, "the folder already has a description"})
			continue
		}
		n.entry = format.Parse(n.at, file.Text)
		im.notes = append(im.notes, n)
		if !n.same {
			for _, p := range n.entry.Problems {
				if p.Code == format.CodeFrontmatter {
					line := 1 + strings.Count(file.Text[:p.At.Start], "\n")
					im.Unread = append(im.Unread, Left{file.Path, fmt.Sprintf("line %d: %s", line, p.Message)})
					break
				}
			}
			counts[[2]string{from, dir}]++
		}
	}
	for from, e := range im.known {
		if !there[from] && !im.waits(e) {
			im.Gone = append(im.Gone, e.Path)
		}
	}
	slices.Sort(im.Gone)
	for k, n := range counts {
		im.Folders = append(im.Folders, Mapping{k[0], k[1], n})
	}
	slices.SortFunc(im.Folders, func(a, b Mapping) int { return strings.Compare(a.From, b.From) })
	im.write()
	slices.SortStableFunc(im.Ops, func(a, b plan.Op) int { // an overview comes before operations that would create it
		first := func(op plan.Op) string { return strings.TrimSuffix(op.Path, "context.md") }
		return cmp.Or(long(a)-long(b), strings.Compare(first(a), first(b)))
	})
	return &im.Plan, nil
}

// long is 1 for a page that comes after all others, since it links to many of them: each entry that is added looks
// again at all links of the pages with a link to it.
func long(op plan.Op) int {
	if format.RoleOf(op.Path) == format.RoleOverview || strings.Count(op.Text, "[[")+strings.Count(op.Text, "](") < 50 {
		return 0
	}
	return 1
}

// refused returns why a file is not imported, "" if it is.
func (im *importer) refused(f File) string {
	role := format.RoleOf(f.Path)
	was := im.known[f.Path]
	switch {
	case was != nil && im.waits(was):
		return Waits
	case was != nil && edited(was) && original(was) == f.Text:
		return Already
	case was != nil && stated(was) == format.SourceHash(f.Text) && (im.cameFrom(was, f) || edited(was)):
		return Already
	case was != nil && edited(was):
		return "the note and its entry both changed since the import; the entry was kept: " + was.Path
	case !sanitize.Plain(f.Path):
		return sanitize.NotPlain
	case im.Dialect == ByteRover && (role == format.RoleSummary || role == format.RoleAbstract || format.Archived(f.Path)):
		return "generated by the other program"
	case strings.TrimSpace(f.Text) == "":
		return "empty"
	case len(f.Text) > format.MaxFileSize:
		return fmt.Sprintf("%d bytes; an entry can have at most %d", len(f.Text), format.MaxFileSize)
	}
	for _, c := range format.Conflicts(f.Text) {
		return fmt.Sprintf("it has a merge conflict on line %d", 1+strings.Count(f.Text[:c.At.Start], "\n"))
	}
	return ""
}

// waiting returns the entries that wait for a review and that are not in the tree.
func (o Options) waiting(t *tree.Snapshot) map[string]*format.Entry {
	out := map[string]*format.Entry{}
	for _, e := range o.Waiting {
		if _, ok := t.Entry(e.Path); !ok {
			out[e.Path] = e
		}
	}
	return out
}

// waits reports whether an entry is not in the tree yet.
func (im *importer) waits(e *format.Entry) bool {
	_, ok := im.tree.Entry(e.Path)
	return !ok
}

// knownAs returns the root under which the tree knows a folder. It is the folder's own root if anything was
// imported from there. Otherwise it may be another root whose notes are in this folder too, most of them
// unchanged. If that root has another name, most of its notes must be here. Two folders that both exist in the
// project are never the same.
func knownAs(t *tree.Snapshot, f Folder) string {
	texts := map[string]string{}
	for _, file := range f.Files {
		texts[file.Path] = file.Text
	}
	same, other, all := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range t.Entries() {
		im, ok := format.ImportedBy(e)
		text, there := texts[im.From]
		switch {
		case ok && im.Root == f.Root:
			return f.Root
		case !ok || !f.mayBe(im.Root):
			continue
		case !there:
		case format.SourceHash(text) == im.Hash:
			same[im.Root]++
		default:
			other[im.Root]++
		}
		all[im.Root]++
	}
	best := ""
	for root, n := range same {
		namesake := outside(root) && outside(f.Root) && base(root) == base(f.Root)
		switch {
		case n <= other[root], !namesake && 2*n <= all[root]:
		case n > same[best], n == same[best] && root < best:
			best = root
		}
	}
	return cmp.Or(best, f.Root)
}

// mayBe reports whether the folder may be the one that was imported from another root. Two folders that both exist
// in the project are different.
func (f Folder) mayBe(root string) bool {
	return root != "" && (outside(root) || outside(f.Root) || f.Has == nil || !f.Has(root))
}

// importedAlready returns the entries of a folder's files, by path. These are the entries that were made from
// files of a root, and entries that were made from the same file as a part of another folder. They also include
// other entries with the text of a file, at the path where an export writes them.
func importedAlready(t *tree.Snapshot, f Folder, root string) map[string]*format.Entry {
	out, others := map[string]*format.Entry{}, map[string][]*format.Entry{}
	files := map[string]*format.Entry{}
	for _, e := range t.Entries() {
		im, ok := format.ImportedBy(e)
		if ok {
			files[path.Join(im.Root, im.From)] = e
		}
		switch {
		case ok && im.Root == root:
			out[im.From] = e
		case !ok || f.mayBe(im.Root):
			for _, p := range []string{im.From, path.Join(base(im.Root), im.From), e.Path} {
				others[p] = append(others[p], e)
			}
		}
	}
	for _, file := range f.Files {
		if e := files[path.Join(f.Root, file.Path)]; e != nil && out[file.Path] == nil {
			out[file.Path] = e
		}
		for _, e := range others[file.Path] {
			if out[file.Path] == nil && (original(e) == file.Text || stated(e) == format.SourceHash(file.Text)) {
				out[file.Path] = e
			}
		}
	}
	return out
}

// follow assigns existing entries to notes that were renamed or moved since their import, and are otherwise
// unchanged.
func (im *importer) follow(f Folder) {
	there, to, from := map[string]bool{}, map[string][]string{}, map[string][]string{} // new and gone paths by hash
	for _, file := range f.Files {
		there[file.Path] = true
		if hash := format.SourceHash(file.Text); im.known[file.Path] == nil {
			to[hash] = append(to[hash], file.Path)
		}
	}
	for p, e := range im.known {
		if hash := stated(e); !there[p] {
			from[hash] = append(from[hash], p)
		}
	}
	for hash, gone := range from {
		if now := to[hash]; len(gone) == 1 && len(now) == 1 {
			im.known[now[0]] = im.known[gone[0]]
			delete(im.known, gone[0])
		}
	}
}

// settled returns, for each folder, the tree folder of most of its imported notes.
func (im *importer) settled() map[string]string {
	out, count := map[string]string{}, map[[2]string]int{}
	for from, e := range im.known {
		count[[2]string{path.Dir(from), path.Dir(e.Path)}]++
	}
	for k, n := range count {
		dir, to := k[0], k[1]
		if most := count[[2]string{dir, out[dir]}]; n > most || n == most && to < out[dir] {
			out[dir] = to
		}
	}
	return out
}

// stated returns the hash of the file from which an entry was made.
func stated(e *format.Entry) string {
	im, _ := format.ImportedBy(e)
	return im.Hash
}

// cameFrom reports whether an entry states that it was made from a file at the file's present path.
func (im *importer) cameFrom(e *format.Entry, f File) bool {
	from, _ := format.ImportedBy(e)
	switch {
	case path.Join(from.Root, from.From) == path.Join(im.Root, f.Path):
		return true
	case from.Root != im.Root: // a folder outside of the project may be known by another root
		return outside(im.Root)
	}
	return false
}

// original returns the text of an entry as an export writes it.
func original(e *format.Entry) string {
	if text, ok := format.OriginalOf(e); ok {
		return text
	}
	return e.Text
}

// edited reports whether an entry's text differs from the file from which it was made.
func edited(e *format.Entry) bool { return format.SourceHash(original(e)) != stated(e) }

// free returns an unused path for a note, or "" if the only possible path is taken.
func (im *importer) free(dir, name string) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	described := im.Dialect == ByteRover && name == "context.md"
	if !described && (im.Dialect != ByteRover || format.CheckName(stem) != nil) { // its names are those of the tree
		stem = format.Slug(stem)
	}
	for n := 1; ; n++ {
		at := dir + "/" + stem + ".md"
		if n > 1 {
			at = fmt.Sprintf("%s/%s_%d.md", dir, stem, n)
		}
		r := im.tree.Resolve("", format.FormRelated, at)
		switch key := tree.KeyOf(at); {
		case !im.taken[key] && r.Target == "" && len(r.Candidates) == 0:
			im.taken[key] = true
			return at
		case described:
			return ""
		}
	}
}

// write makes the operations of all notes.
func (im *importer) write() {
	im.index = newIndex(im.Dialect, im.notes)
	after := map[string]*format.Entry{}
	for _, n := range im.notes {
		if !n.same {
			after[n.at] = n.entry
		}
		for dir := path.Dir(n.at); dir != "."; dir = path.Dir(dir) {
			overview := dir + "/context.md"
			if _, there := im.tree.Node(dir); !there && after[overview] == nil { // the plan makes it
				after[overview] = format.Parse(overview, "")
			}
		}
	}
	joined := im.tree.Update(after)
	for _, n := range im.notes {
		if n.same {
			continue
		}
		from := format.Imported{From: n.Path, Root: im.Root}
		if n.was != nil && im.cameFrom(n.was, n.File) {
			from, _ = format.ImportedBy(n.was)
		}
		from.Hash, from.Links = format.SourceHash(n.Text), im.links(n, joined)
		text, err := from.Into(n.at, n.Text)
		if err != nil && len(from.Links) > 0 { // the links are too many for the frontmatter
			from.Links = nil
			text, err = from.Into(n.at, n.Text)
		}
		if err != nil {
			im.Left = append(im.Left, Left{n.Path, "it is not a valid entry"})
			continue
		}
		op := plan.Op{Type: plan.OpAdd, Path: n.at, Text: text, Reason: "imported from " + path.Join(im.Root, n.Path)}
		if n.was != nil {
			op.Type, im.Base[n.at] = plan.OpUpdate, n.was.Hash
			im.Changed++
		}
		im.Ops = append(im.Ops, op)
	}
}

// links returns the links of a note that the tree would resolve differently. It counts links that lead somewhere,
// and records those that lead nowhere.
func (im *importer) links(n *note, joined *tree.Snapshot) map[string]string {
	out, lines := map[string]string{}, markdown.CountLines(n.Text)
	for _, m := range n.entry.Relations {
		to := im.index.find(n, m)
		switch {
		case to == nil && im.dangles(n, m) && im.leavesFor(n, m):
			im.Outside++
			continue
		case to == nil && im.dangles(n, m):
			im.Broken = append(im.Broken, Link{n.Path, lines.At(m.At.Start), m.Raw})
			continue
		case to == nil:
			continue
		}
		im.Links++
		if joined.Resolve(n.at, m.Form, m.Raw).Target != to.at {
			out[m.Raw] = to.at
		}
	}
	return out
}

// leavesFor reports whether a link to no note leads to a file that is not imported, or out of the folder. If the
// folder is outside of the project, its surroundings are not examined.
func (im *importer) leavesFor(n *note, m format.Mention) bool {
	raw := m.Path()
	if m.Form == format.FormWiki {
		return false
	}
	relative := path.Join(path.Dir(n.Path), raw)
	if outside(im.Root) {
		return im.files[relative] || relative == ".." || strings.HasPrefix(relative, "../")
	}
	return im.files[relative] || im.has != nil && (im.has(path.Join(im.Root, relative)) ||
		strings.HasPrefix(raw, "/") && im.has(path.Clean(raw[1:])))
}

// dangles reports whether a link to no note was meant to lead to one: it names no other file.
func (im *importer) dangles(n *note, m format.Mention) bool {
	raw := m.Path()
	ext := strings.ToLower(path.Ext(raw))
	if im.others[path.Join(path.Dir(n.Path), raw)] || im.others[strings.TrimPrefix(path.Clean(raw), "/")] {
		return false
	}
	if m.Form == format.FormWiki {
		embedded := strings.HasSuffix(n.Text[:m.At.Start], "![[")
		return !im.others[path.Base(raw)] && !(embedded && ext != "" && ext != ".md")
	}
	top, _, _ := strings.Cut(raw, "/")
	return ext == ".md" && m.Form != format.FormAt || m.Form == format.FormRelated || m.Form == format.FormAt && im.tops[format.FoldCase(top)]
}
