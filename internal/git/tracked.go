package git

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Index holds the entries of git's index in one folder. The zero value is empty.
type Index struct {
	files   []staged // in the order of their paths in the folder
	written time.Time
}

// IndexOf reads the index of the working tree that a folder belongs to. It runs no program. The result is
// empty without a repository, with one that [Open] refuses, or if the index cannot be parsed.
func IndexOf(folder string) (x Index) {
	r, err := Open(folder)
	if err != nil {
		return x
	}
	info, err := os.Lstat(filepath.Join(r.dir, "index")) // before the index is read: a newer index has newer files
	if err != nil {
		return x
	}
	data, err := readIn(r.dir, "index")
	if err != nil {
		return x
	}
	all, err := entries(r, data)
	if err != nil {
		return x
	}
	last, files := "", all[:0]
	for _, f := range all {
		if !fs.ValidPath(strings.TrimSuffix(f.path, "/")) || f.path < last {
			return Index{}
		}
		last = f.path
		if in, ok := strings.CutPrefix(f.path, r.prefix); ok && in != "" {
			f.path = in
			files = append(files, f)
		}
	}
	return Index{files: files, written: info.ModTime()}
}

// Paths returns the sorted paths. away has those without a file of their own: files that a sparse checkout leaves
// out, and submodules. Paths of folders in a sparse index end with a slash.
func (x Index) Paths() (paths []string, away map[string]bool) {
	const submodule = 0o160000
	paths, away = make([]string, 0, len(x.files)), map[string]bool{}
	for _, f := range x.files {
		paths = append(paths, f.path)
		if f.skipped || f.mode == submodule {
			away[strings.TrimSuffix(f.path, "/")] = true
		}
	}
	return paths, away
}

// Blob names the content of a file, as [BlobHash] does, if its record is the one in the index: by git's own
// rule the file need not be read then. It is "" if that is not certain. The file on disk may be a conversion
// of the content, such as of line ends. The repository may write anything into its index: its names are valid
// within the repository only.
func (x Index) Blob(path string, now jail.Record) string {
	i, found := slices.BinarySearchFunc(x.files, path, func(f staged, p string) int { return strings.Compare(f.path, p) })
	if !found {
		return ""
	}
	f, stamp := x.files[i], func(t time.Time) [2]uint32 { return [2]uint32{uint32(t.Unix()), uint32(t.Nanosecond())} }
	switch {
	case !isText(f.mode), f.conflict, f.intended, f.ignored, f.seconds == 0, !now.ModTime.Before(x.written), uint32(now.Size) != f.size,
		stamp(now.ModTime) != [2]uint32{f.seconds, f.nanos}, !now.Changed.IsZero() && stamp(now.Changed) != f.changed,
		now.Inode != 0 && uint32(now.Inode) != f.inode:
		return ""
	}
	return f.hash
}

// Shared identifies the parts that the working trees of a repository share: the common git folder, found and
// confirmed as in [Open], and the folder's place in its working tree. It is "" without a repository.
func Shared(folder string) string {
	r, err := Open(folder)
	if err != nil {
		return ""
	}
	return resolved(r.common) + "\x00" + r.prefix
}

// WorkTrees lists the working trees according to the repository, for a folder of one of them the same folder
// in each, the main one first. They need not exist or belong to it: [Shared] confirms that.
func WorkTrees(folder string) iter.Seq[string] {
	return func(yield func(string) bool) {
		r, err := Open(folder)
		if err != nil {
			return
		}
		common, inside := resolved(r.common), filepath.FromSlash(r.prefix)
		if !yield(filepath.Join(filepath.Dir(common), inside)) {
			return
		}
		linked, _ := os.ReadDir(filepath.Join(common, "worktrees"))
		for _, e := range linked {
			dot, err := readPath(filepath.Join(common, "worktrees", e.Name()), "gitdir", "")
			if err == nil && !yield(filepath.Join(resolved(filepath.Dir(dot)), inside)) {
				return
			}
		}
	}
}

// Ignored returns those of the given paths in the opened folder that git leaves out of commits: an ignore file of
// the repository, or the user's own, matches them, and git does not track them. The paths need not exist.
func (r *Repository) Ignored(ctx context.Context, paths []string) (ignored []string, err error) {
	c := call{hashLen: r.hashLen()}
	if c.index, _, _, err = r.checkedIndex(); err != nil {
		return nil, err
	}
	if c.exclude, err = readIn(r.common, "info/exclude"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, p := range paths {
		if plainPath(p) {
			c.input += r.prefix + p + "\x00"
		}
	}
	var out []byte
	c.read = func(from io.Reader) (err error) { out, err = io.ReadAll(from); return err }
	err = r.run(ctx, c, "--no-literal-pathspecs", "--work-tree="+r.top, "-c", "core.excludesFile="+userExcludes(r.dir),
		"check-ignore", "-z", "--stdin")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil, nil // none is ignored
	}
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p, ok := strings.CutPrefix(p, r.prefix); ok && p != "" {
			ignored = append(ignored, p)
		}
	}
	return ignored, err
}
