package discover

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	gitrepo "github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// isRepository reports whether a folder has a .git that git would accept: a
// folder with a HEAD, or a file that says where it is.
func isRepository(root *jail.Root, d *jail.Dir, dir string, entries []jail.Entry) bool {
	e, ok := find(entries, ".git")
	if !ok {
		return false
	}
	if e.Type.IsDir() {
		_, err := root.Lstat(path.Join(dir, ".git/HEAD"))
		return err == nil
	}
	const maxGitFile = 64 << 10 // a path and a few bytes; far more than any system's paths
	text, err := d.ReadFile(".git", maxGitFile)
	return err == nil && strings.HasPrefix(string(text), "gitdir: ")
}

// repositoryRules returns the rules at the top of a repository: those of outer folders do not count, except
// those that git reads from outside of the repository. If these ignore the folder itself, it was opened on
// purpose, and they are dropped.
func repositoryRules(root *jail.Root, skipped map[string]string, dir string) *ignoreStack {
	outside := gitrepo.Around(filepath.Join(root.Dir(), filepath.FromSlash(dir)))
	bare := &ignoreStack{file: ignoreFile{dir: dir, fold: outside.Fold}}
	first := bare
	for _, o := range outside.Ignore {
		file := parseIgnore(o.Path, dir, o.Text, outside.Fold)
		file.above = o.Above
		first = first.with(file)
	}
	if first.ignoresAbove(outside.Prefix) {
		first = bare
	}
	exclude := path.Join(dir, ".git/info/exclude")
	if info, err := root.Lstat(exclude); err != nil || !info.Mode().IsRegular() {
		return first.with(ignoreFile{})
	}
	b, err := root.ReadFile(exclude, maxConfigSize)
	return first.with(ignores(skipped, dir, exclude, b, err, outside.Fold))
}

// ignoresAbove reports whether rules from outside ignore their folder, which is at prefix in its repository.
func (s *ignoreStack) ignoresAbove(prefix string) bool {
	m := &meter{left: stepsOne}
	for k := range prefix {
		for t := s; t != nil && prefix[k] == '/'; t = t.parent {
			n := k - len(prefix) + len(t.file.above)
			if n <= 0 {
				continue
			} else if ignored, decided := t.file.decide(t.file.above[:n], true, m); ignored {
				return true
			} else if decided {
				break
			}
		}
	}
	return false
}

// Ignored reports which files of a folder git ignores, by the present ignore files inside the folder. A
// folder with a .git of its own has rules of its own. Rules that need more steps than a walk allows are
// ignored. It is not safe for concurrent use.
func Ignored(root *jail.Root) func(p string) bool {
	skipped, m := map[string]string{}, &meter{left: stepsAll}
	type ruled struct {
		rules   *ignoreStack
		ignored bool
	}
	known := map[string]ruled{}
	var of func(dir string) ruled
	of = func(dir string) (r ruled) {
		if r, ok := known[dir]; ok {
			return r
		}
		if _, err := root.Lstat(path.Join(dir, ".git")); err == nil || dir == "" {
			r.rules = repositoryRules(root, skipped, dir)
		} else {
			r = of(dirOf(dir))
			r.ignored = r.ignored || r.rules.ignores(dir, true, m)
		}
		file := path.Join(dir, ".gitignore")
		if info, err := root.Lstat(file); err == nil && info.Mode().IsRegular() && !r.ignored {
			text, err := root.ReadFile(file, maxConfigSize)
			r.rules = r.rules.with(ignores(skipped, dir, file, text, err, r.rules.folds()))
		}
		known[dir] = r
		return r
	}
	return func(p string) bool {
		m.left += stepsEach
		r := of(dirOf(p))
		return r.ignored || r.rules.ignores(p, false, m)
	}
}

// ignores adds an ignore file that was read. If it exists but cannot be read, it has no rules and is listed
// as skipped.
func ignores(skipped map[string]string, dir, p string, text []byte, err error, fold bool) ignoreFile {
	switch {
	case err == nil:
		return parseIgnore(p, dir, string(text), fold)
	case !vanished(err) && !errors.Is(err, jail.ErrNotRegular):
		skipped[p] = Reason(err)
	}
	return ignoreFile{}
}

func find(entries []jail.Entry, name string) (jail.Entry, bool) {
	i, ok := slices.BinarySearchFunc(entries, name, func(e jail.Entry, name string) int {
		return strings.Compare(e.Name, name)
	})
	if !ok {
		return jail.Entry{}, false
	}
	return entries[i], true
}

// vanished reports that a listed folder no longer exists.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
