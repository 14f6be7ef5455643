package store

import (
	"io/fs"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// This file is for trees so large that questions are answered while they are still being read: the part read
// so far, and single files looked up on disk.

// firstPart is the number of files in the first part of a large tree; each next part has partGrowth times as
// many. A snapshot of the first takes some 20 ms, and all of them together a third of the time of the whole
// one.
const (
	firstPart  = 1000
	partGrowth = 4
)

// Nearby lists the files that an entry's relations name in full, and the descriptions of their folders: at
// most so many, by place.
func Nearby(e *format.Entry, most int) []string {
	var out []string
	seen := map[string]bool{}
	add := func(p string) {
		if len(out) < most && !seen[p] && len(p) <= tree.MaxPath && !format.Hidden(p) {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, r := range e.Relations {
		if len(out) >= most {
			break
		}
		for _, p := range tree.Meanings(e.Path, r.Form, r.Raw) {
			if strings.HasSuffix(p, ".md") {
				add(p)
			} else {
				add(p + ".md")
				add(p + "/context.md")
			}
			for dir := format.FolderOf(p); dir != ""; dir = format.FolderOf(dir) {
				add(dir + "/context.md")
			}
		}
	}
	return out
}

// ReadOne reads one file of the tree in a folder of root like a store does, following no links. ok is false
// if it is not an entry.
func ReadOne(root *jail.Root, dir, p string) (e *format.Entry, ok bool) {
	if !fs.ValidPath(p) || format.Hidden(p) || !strings.HasSuffix(p, ".md") {
		return nil, false
	}
	names := strings.Split(p, "/")
	for i := range names {
		info, err := root.Lstat(path.Join(dir, path.Join(names[:i+1]...)))
		if err != nil || i+1 < len(names) && !info.IsDir() || i+1 == len(names) && !info.Mode().IsRegular() {
			return nil, false
		}
	}
	data, err := root.ReadFile(path.Join(dir, p), format.MaxFileSize)
	if err != nil || unreadable(data) != "" {
		return nil, false
	}
	return format.Parse(p, string(data)), true
}
