package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/relink"
)

// Inputs hold all that a plan depends on besides the tree and the batch. They are plain data: the same
// inputs make the same plan, on any machine.
type Inputs struct {
	Now time.Time // in UTC, to the millisecond
	// Unsaved are the texts of tree files that are open in an editor and not on the disk, by path. A
	// change of such a file to any other text is refused, since the user's next save would undo it, or
	// be in conflict with it.
	Unsaved map[string]string
	// Marks are the comments of code that name entries. They matter to plans that may take an entry
	// away, see [TakesAway].
	Marks []tree.CodeMark
	// Pages are the links of documents to entries and folders, by the tree path of these. They matter as Marks do.
	Pages map[string][]relink.PageLink
	// Beside are the files of the tree that are no entries and that links of entries lead to, by their paths in the project.
	Beside map[string]bool
}

// PageLinks lists the links of documents to the files of the tree, which lies in a folder, as [Inputs.Pages].
func PageLinks(pages []*format.Entry, folder string) map[string][]relink.PageLink {
	out := map[string][]relink.PageLink{}
	for _, e := range pages {
		for _, f := range e.Files {
			if at, ok := strings.CutPrefix(f.Path, folder); ok {
				out[at] = append(out[at], relink.PageLink{Page: e.Path, Text: e.Text, At: f.At, To: f.Path})
			}
		}
	}
	return out
}

// isUnsaved reports whether a file is open with unsaved text that is not next.
func (in Inputs) isUnsaved(at, next string) bool {
	text, open := in.Unsaved[at]
	return open && text != next
}

// CheckSaved refuses a change of files if one of them is open with unsaved changes. The arguments are their
// new texts, "" for a file that is removed.
func (in Inputs) CheckSaved(next map[string]string) error {
	for _, at := range slices.Sorted(maps.Keys(next)) {
		if in.isUnsaved(at, next[at]) {
			return Failed(FailConflict, "%s has unsaved changes: save it first", at)
		}
	}
	return nil
}

// TakesAway reports whether operations may remove or move files.
func TakesAway(ops []Op) bool {
	return slices.ContainsFunc(ops, func(op Op) bool {
		switch op.Type.Normal() {
		case OpDelete, OpMerge, OpMove, OpArchive, OpRestore:
			return true
		}
		return false
	})
}

// Stranded finds the comments of code and the links of documents that meant entries in one state of a tree
// and no longer mean the same entries, or their successors, in the next. went has, for each entry that is
// gone, the path of its successor, "" for none. The result is in order of path and line.
func (in Inputs) Stranded(before, after *tree.Snapshot, went map[string]string) (out []Comment) {
	if len(went) == 0 {
		return nil
	}
	for _, mark := range in.Marks {
		meant, _, _ := before.Meant(mark.Target)
		concerned := false
		for i, entry := range meant {
			if to, gone := went[entry]; gone {
				meant[i], concerned = to, true
			}
		}
		now, _, _ := after.Meant(mark.Target)
		if !concerned || len(now) > 0 && !slices.ContainsFunc(now, func(entry string) bool { return !slices.Contains(meant, entry) }) {
			continue // of a topic, what is left of it counts
		}
		c := Comment{Path: mark.Path, Line: mark.Line, Text: tree.MarkSign + mark.Target}
		if instead, ok := tree.Remark(before, after, mark.Target, went); ok {
			c.Instead = tree.MarkSign + instead
		}
		out = append(out, c)
	}
	for at, links := range in.Pages {
		to, gone := went[at]
		if was, _, _ := before.Meant(at); !gone && len(was) > 0 {
			now, _, _ := after.Meant(at)
			to, _ = tree.Remark(before, after, at, went)
			gone = len(now) == 0
		}
		if !gone {
			continue
		}
		for _, l := range links {
			c := Comment{Path: l.Page, Line: markdown.CountLines(l.Text).At(l.At.Start), Text: sanitize.OneLine(l.At.Of(l.Text))}
			if to != "" {
				c.Instead, _ = l.Leading(strings.TrimSuffix(l.To, at) + to)
			}
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Comment) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line) })
	return out
}
