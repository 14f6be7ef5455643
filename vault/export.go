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
// all stands where the tree has it.
func Export(t *tree.Snapshot, scope string, d Dialect) []File {
	all := exported(t, scope)
	taken := map[string]bool{} // as file systems compare names
	for _, e := range all {
		taken[format.FoldCase(e.Path)] = true // is its own, whatever another entry states
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
			if key := format.FoldCase(p); safe(p) && (!taken[key] || p == e.Path) {
				f.Path, taken[key] = p, true
				break
			}
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// safe reports whether a path that an entry states lies in the folder that is written, and is that of a note: what an
// entry states may be a stranger's.
func safe(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".markdown", ".html":
	default:
		return false
	}
	return fs.ValidPath(p) && p != "." && !format.Hidden(p) && !strings.Contains(p, "\\") && !strings.ContainsFunc(p, unicode.IsControl)
}

func exported(t *tree.Snapshot, scope string) (out []*format.Entry) {
	for _, e := range t.At(scope) {
		if e.Role == format.RoleOverview && made(t, e) {
			continue
		}
		if (e.Role == format.RoleEntry || e.Role == format.RoleOverview || e.Role == format.RoleConflict) && !format.Archived(e.Path) {
			out = append(out, e)
		}
	}
	return out
}

// made reports whether the description of a folder came with entries that were imported, none of which was it.
func made(t *tree.Snapshot, e *format.Entry) bool {
	if _, ok := format.ImportedBy(e); ok {
		return false
	}
	return !slices.ContainsFunc(t.At(format.FolderOf(e.Path)), func(o *format.Entry) bool {
		_, ok := format.ImportedBy(o)
		return !ok && o.Role == format.RoleEntry
	})
}
