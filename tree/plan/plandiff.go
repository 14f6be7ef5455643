package plan

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
)

// diffOf is the unified diff between two snapshots, as `patch -p1` takes it inside
// the context tree; among names the files to look at.
func diffOf(before, after *tree.Snapshot, among []string) string {
	var b strings.Builder
	for _, at := range among {
		oldName, newName := "a/"+at, "b/"+at
		if strings.Contains(at, " ") { // a tab ends the name
			oldName, newName = oldName+"\t", newName+"\t"
		}
		var oldText, newText string
		if e, ok := before.Entry(at); ok {
			oldText = e.Text
		} else {
			oldName = markdown.NoFile
		}
		if e, ok := after.Entry(at); ok {
			newText = e.Text
		} else {
			newName = markdown.NoFile
		}
		b.WriteString(markdown.Unified(oldName, oldText, newName, newText))
	}
	return b.String()
}

// Moved returns the new path of each file that is gone, "" for a file that was removed. A new file with the
// same text counts as its new place.
func Moved(before, after *tree.Snapshot, files []string) map[string]string {
	come, out := map[string]string{}, map[string]string{}
	for _, at := range files {
		if _, was := before.Entry(at); !was {
			come[tree.TextAt(after, at)] = at
		}
	}
	for _, at := range files {
		if _, is := after.Entry(at); !is {
			out[at] = come[tree.TextAt(before, at)]
		}
	}
	return out
}

// NowDangling lists the relations that led to one of the files and lead nowhere
// now that it is gone.
func NowDangling(before, after *tree.Snapshot, files []string) (out []string) {
	for _, at := range files {
		if _, there := after.Entry(at); there {
			continue
		}
		for _, b := range before.Backlinks(at) {
			e, ok := after.Entry(b.From)
			if ok && e.Text == tree.TextAt(before, b.From) && after.Resolve(b.From, b.Form, b.Raw).Target == "" {
				out = append(out, mentionAt(e, b.Mention))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
