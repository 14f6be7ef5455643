package vault

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Export is the entries of a tree, or of a folder of it, as files of another program, sorted by path. In [Markdown]
// what was imported comes out where it stood in its folder, as it came in; for the reference system
// all stands where the tree has it. An entry is left out where refused says so of its own path; of another path for it,
// the next that it may have is taken. It refuses nothing if nil.
func Export(t *tree.Snapshot, scope string, d Dialect, refused func(p, entry string) bool) []File {
	all := exported(t, scope)
	taken := occupied{files: map[string]bool{}, folders: map[string]bool{}}
	for _, e := range all {
		taken.add(e.Path) // is its own, whatever another entry states
	}
	var out []File
	for _, e := range all {
		f := File{Path: e.Path, Text: original(e)}
		from, imported := format.ImportedBy(e)
		var at []string // the first that nobody has
		switch {
		case !imported:
		case d == Markdown && (from.Root != "" || !strings.Contains(from.From, "#")):
			at = []string{from.From, path.Join(base(from.Root), from.From)} // of two folders with the same names the second stands by its own
		case IsTopic(f.Text):
			at = []string{strings.TrimSuffix(e.Path, ".md") + ".html"}
		}
		for _, p := range at {
			if safe(p) && (p == e.Path || taken.free(p)) && (refused == nil || !refused(p, e.Path)) {
				f.Path = p
				taken.add(p)
				break
			}
		}
		if f.Path != e.Path || refused == nil || !refused(e.Path, e.Path) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// occupied are the names of files and of the folders above them, as file systems compare names.
type occupied struct{ files, folders map[string]bool }

func (o occupied) add(p string) {
	p = format.FoldCase(p)
	o.files[p] = true
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		o.folders[dir] = true
	}
}

// free reports whether a file can be at a path beside the others.
func (o occupied) free(p string) bool {
	p = format.FoldCase(p)
	if o.files[p] || o.folders[p] {
		return false
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if o.files[dir] {
			return false
		}
	}
	return true
}

// maxName is the longest name that common file systems take, in bytes.
const maxName = 255

// safe reports whether a path that an entry states lies in the folder that is written, and is that of a note: what an
// entry states may be a stranger's.
func safe(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".html":
	default:
		return false
	}
	if slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool { return len(name) > maxName }) {
		return false
	}
	return fs.ValidPath(p) && p != "." && !format.Hidden(p) && !strings.Contains(p, "\\") && !strings.ContainsFunc(p, unicode.IsControl)
}

func exported(t *tree.Snapshot, scope string) (out []*format.Entry) {
	for _, e := range t.At(scope) {
		if e.Role == format.RoleOverview && !format.Searchable(e) {
			continue
		}
		if (e.Role == format.RoleEntry || e.Role == format.RoleOverview || e.Role == format.RoleConflict) && !format.Archived(e.Path) {
			out = append(out, e)
		}
	}
	return out
}
