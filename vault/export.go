package vault

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Export is the entries of a tree, or of a folder of it, as files of another program, sorted by path. In [Markdown]
// what was imported comes out where it stood in its folder, as it came in; for the reference system
// all stands where the tree has it.
func Export(t *tree.Snapshot, scope string, d Dialect) []File {
	taken := map[string]bool{}
	var out []File
	for _, e := range exported(t, scope) {
		f := File{Path: e.Path, Text: e.Text}
		original, imported := format.OriginalOf(e)
		switch from, _ := format.ImportedBy(e); {
		case !imported:
		case d == Markdown && safe(from.From) && (from.Root != "" || !strings.Contains(from.From, "#")):
			f = File{from.From, original}
		default:
			if f.Text = original; IsTopic(original) {
				f.Path = strings.TrimSuffix(f.Path, ".md") + ".html"
			}
		}
		if root, _ := format.ImportedBy(e); taken[f.Path] { // of two folders with the same names the second stands by its own
			f.Path = path.Join(root.Root, f.Path)
		}
		if taken[f.Path] {
			f.Path = e.Path
		}
		taken[f.Path] = true
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// safe reports whether a path that an entry states lies in the folder that is written.
func safe(p string) bool {
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

// Single is the entries of a tree, or of a folder of it, as one text to read: by folder, each under its title, with
// its own headings below that.
func Single(t *tree.Snapshot, scope string) string {
	var out strings.Builder
	folder := ""
	for _, e := range exported(t, scope) {
		if e.Role == format.RoleOverview {
			continue
		}
		if dir := format.FolderOf(e.Path); dir != folder {
			folder = dir
			out.WriteString("# " + dir + "\n\n")
		}
		out.WriteString("## " + format.OneLine(e.Title) + "\n\n")
		body := e.Body.Of(e.Text)
		for l := range markdown.Lines(body) {
			line := l.At.Of(body)
			level, title := markdown.Heading(line)
			switch {
			case l.Fence != markdown.FenceNone || level == 0:
				out.WriteString(line + "\n")
			case level == 1 && title == e.Title:
			default:
				out.WriteString(strings.Repeat("#", min(level+2, 6)) + " " + title + "\n")
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}
