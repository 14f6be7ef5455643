package tree

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// noFile is the name that patches give to a file that does not exist.
const noFile = "/dev/null"

// Diff is the unified diff of one text that changed, "" if it did not. A name that is
// "" stands for a text that was not there.
func Diff(oldName, before, newName, after string) string {
	named := func(name string) string {
		if name == "" {
			return noFile
		}
		return name
	}
	return string(diff.Diff(named(oldName), []byte(before), named(newName), []byte(after)))
}

// diffOf is the unified diff between two snapshots, as `patch -p1` takes it inside
// the context tree; among names the files to look at.
func diffOf(before, after *Snapshot, among []string) string {
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
			oldName = noFile
		}
		if e, ok := after.Entry(at); ok {
			newText = e.Text
		} else {
			newName = noFile
		}
		b.Write(diff.Diff(oldName, []byte(oldText), newName, []byte(newText)))
	}
	return b.String()
}
