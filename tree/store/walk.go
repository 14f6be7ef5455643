package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// folder is the `.brv` folder, which the parts of a store share.
type folder struct {
	root    *jail.Root // without links
	disk    txn.FS     // root, where files are changed
	journal *txn.Journal
	seal    *seal.Folder
	now     func() time.Time

	maxState int64 // bytes of a state file
}

// within reports whether a file with that time changed less than a given time ago.
func (f *folder) within(d time.Duration, mod time.Time) bool { return f.now().Sub(mod).Abs() < d }

// file is one markdown file of the tree as its folder lists it.
type file struct {
	path string
	stamp
}

// walk is one look at the folder on disk. Links are never followed.
type walk struct {
	ctx    context.Context
	root   *jail.Root
	lists  map[string][]fs.DirEntry // of folders above touched paths
	scopes map[string]bool          // the scopes that were walked, with everything below

	quota   quota
	files   []file
	skipped []tree.Skipped
}

// maxTouched is the number of touched paths above which a complete walk is cheaper.
const maxTouched = 1000

// run looks at the touched paths, at everything if there are none.
func (w *walk) run(touched []string) error {
	var paths []string
	for _, p := range touched {
		paths = append(paths, path.Clean(p))
	}
	if len(paths) == 0 || len(paths) > maxTouched || slices.Contains(paths, ".") {
		w.scopes[""] = true
		return w.descend([]string{""})
	}
	slices.Sort(paths) // folders before what they hold
	var dirs []string
	for _, p := range paths {
		if !fs.ValidPath(p) || format.Hidden(p) || w.looked(p) {
			continue
		}
		dir, err := w.find(p)
		if err != nil {
			return err
		}
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return w.descend(dirs)
}

// looked reports whether a path lies in what is looked at.
func (w *walk) looked(p string) bool {
	for ; p != ""; p = format.FolderOf(p) {
		if w.scopes[p] {
			return true
		}
	}
	return w.scopes[""]
}

// find looks for a touched path, from the root down, so that no link is followed. If a folder on the way is
// missing, all below it is gone, unless the system knows the name in another letter case or Unicode form:
// then find continues under that name. It returns the path that it found if that is a folder.
func (w *walk) find(p string) (dir string, err error) {
	names := strings.Split(p, "/")
	for i, name := range names {
		here := strings.Join(names[:i+1], "/")
		list, err := w.list(format.FolderOf(here))
		if err != nil {
			return "", err
		}
		j, ok := slices.BinarySearchFunc(list, name, func(d fs.DirEntry, name string) int { return strings.Compare(d.Name(), name) })
		if ok && i+1 < len(names) && list[j].IsDir() {
			continue
		}
		w.scopes[here] = true
		if ok && w.consider(here, list[j]) {
			return here, nil
		}
		if j = slices.IndexFunc(list, func(d fs.DirEntry) bool { return format.FoldCase(d.Name()) == format.FoldCase(name) }); !ok &&
			j >= 0 {
			names[i] = list[j].Name()
			if p = strings.Join(names, "/"); !w.looked(p) {
				return w.find(p)
			}
		}
		return "", nil
	}
	return "", nil
}

// list reads a folder once.
func (w *walk) list(dir string) ([]fs.DirEntry, error) {
	if list, ok := w.lists[dir]; ok {
		return list, nil
	}
	list, err := w.root.ReadDir(path.Join(tree.Dir, dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && dir == "" {
		return nil, err
	}
	w.lists[dir] = list // an unreadable folder counts as empty
	return list, nil
}

// descend lists folders and all below them, level by level.
func (w *walk) descend(dirs []string) error {
	type listed struct {
		entries []fs.DirEntry
		err     error
	}
	for len(dirs) > 0 {
		lists := make([]listed, len(dirs))
		tree.Each(len(dirs), 8, func(i int) {
			if w.ctx.Err() == nil {
				lists[i].entries, lists[i].err = w.root.ReadDir(path.Join(tree.Dir, dirs[i]))
			}
		})
		if err := w.ctx.Err(); err != nil {
			return err
		}
		var below []string
		for i, dir := range dirs {
			err := lists[i].err
			switch {
			case err == nil || errors.Is(err, fs.ErrNotExist): // deleted since it was listed, or there is no tree yet
			case dir == "":
				return err
			default:
				w.skipped = append(w.skipped, tree.Skipped{Path: dir, Reason: strings.TrimPrefix(err.Error(), tree.Dir+"/")})
			}
			for _, d := range lists[i].entries {
				if p := path.Join(dir, d.Name()); w.consider(p, d) {
					below = append(below, p)
				}
			}
		}
		dirs = below
	}
	return nil
}

// consider records one entry of a folder's list; it returns true if that is a folder to descend into.
func (w *walk) consider(p string, d fs.DirEntry) bool {
	name := d.Name()
	link := d.Type()&fs.ModeSymlink != 0
	skip := func(reason string) {
		w.skipped = append(w.skipped, tree.Skipped{Path: strings.ToValidUTF8(p, "\ufffd"), Reason: reason, Link: link})
	}
	switch {
	case strings.HasPrefix(name, "."):
	case link:
		skip("symbolic links are not followed")
	case !d.IsDir() && !strings.HasSuffix(name, ".md"):
	case !utf8.ValidString(name):
		skip("the name is not UTF-8")
	case !sanitize.Plain(p):
		skip(sanitize.NotPlain)
	case d.IsDir():
		return true
	case !d.Type().IsRegular():
		skip("not a regular file")
	case w.quota.take(p):
		info, err := d.Info()
		if err == nil {
			w.files = append(w.files, file{p, stamp{size: info.Size(), mod: info.ModTime()}})
		} else if !errors.Is(err, fs.ErrNotExist) {
			skip(err.Error())
		}
	}
	return false
}

// A tree of any size opens. If it holds too many files, only the first ones are read. The others are
// reported, each folder once, and are read when a change names them. The files that were read can be
// searched, every change can be undone, and entries can be archived and deleted until all files are read
// again. A change that would add files is refused.

// maxFiles bounds the files that are read of a tree, so that a huge one does not take the machine's memory. Generated
// files and the archive do not count.
const maxFiles = 100_000

// maxUncounted bounds the files read that do not count, for each that does. An entry has at most the
// summaries of three folders and the two files of its archive.
const maxUncounted = 5

// counts reports whether a file counts towards the limit.
func counts(p string) bool {
	role := format.RoleOf(p)
	return role != format.RoleSummary && role != format.RoleStub && !format.Archived(p)
}

// quota counts the files of a look at a tree against the limit.
type quota struct {
	most      int
	counted   int                // files that count, read or not
	uncounted int                // the other files
	left      map[string]*unread // unread files, by folder
}

// unread are the files of a folder that are not read.
type unread struct {
	first string
	files int
}

// take reports whether one more file may be read, and records a file that may not.
func (q *quota) take(p string) bool {
	if counts(p) {
		if q.counted++; q.counted <= q.most {
			return true
		}
	} else if q.uncounted++; q.uncounted <= q.most*maxUncounted {
		return true
	}
	if q.left == nil {
		q.left = map[string]*unread{}
	}
	dir := format.FolderOf(p)
	if q.left[dir] == nil {
		q.left[dir] = &unread{first: p}
	}
	q.left[dir].files++
	return false
}

// unread is the number of files that are not read.
func (q *quota) unread() (n int) {
	for _, of := range q.left {
		n += of.files
	}
	return n
}

// skipped reports the unread files, each folder by its first file.
func (q *quota) skipped() (out []tree.Skipped) {
	for _, of := range q.left {
		more := ""
		if of.files > 1 {
			more = "; " + words.Counted(of.files-1, "other file", "other files") + " of this folder were skipped too"
		}
		out = append(out, tree.Skipped{Path: of.first, Reason: fmt.Sprintf("the tree has more than %d files%s; "+
			"archive or delete entries that are not needed", q.most, more)})
	}
	return out
}

// racy is the time between a file's time and its reading within which a later write may still give the file
// the same time: FAT counts in steps of 2 s, the coarsest of common file systems.
const racy = 2 * time.Second

// stamp shows whether a file is unchanged since it was read.
type stamp struct {
	size int64
	mod  time.Time
	read time.Time // when it was read
}

// same reports whether a file with a new stamp still has the same content.
func (s stamp) same(now stamp) bool {
	return s.size == now.size && s.mod.Equal(now.mod) && !s.doubtful()
}

// doubtful reports whether the file may have been written again after it was
// read and have kept its size and time.
func (s stamp) doubtful() bool { return s.mod.Add(racy).After(s.read) }

// look holds the data about a file besides its entry.
type look struct {
	stamp
	skipped string // the reason why it is not an entry, "" if it is one
}

// maxState bounds the size of a state file, in bytes.
const maxState = 64 << 20

// unreadable returns the reason why a file's bytes are not an entry, "" if they are one.
func unreadable(data []byte) string {
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return "it contains NUL bytes; if it is a text file, save it as UTF-8"
	case !utf8.Valid(data):
		return "not UTF-8; save the file as UTF-8"
	}
	return ""
}

// foreign is the ending of the new name of a state file that this user did not write and that was in the way.
const foreign = ".foreign"

// setAside renames a state file so that it no longer counts: it cannot be read, or it has the number of a
// batch that is about to be made. The result is "" if there is no file. The lock is held.
func (f *folder) setAside(at string) (name string, err error) {
	if _, err := f.root.Lstat(at); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	name = at + foreign
	for n := 2; ; n++ {
		if err = f.disk.RenameNew(at, name); !errors.Is(err, fs.ErrExist) {
			break
		}
		name = fmt.Sprintf("%s%s.%d", at, foreign, n)
	}
	if err != nil {
		return "", fmt.Errorf("%s is in the way and was not written by you: %w", at, err)
	}
	return name, nil
}

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
