// Package git reads the history of a repository that may be hostile.
//
// A repository comes from whoever cloned or unpacked it, and its configuration
// names programs: a file system monitor, a pager, a signature checker, external
// diffs, hooks, the transport of a promisor remote. None of it counts here. The
// object store and HEAD are found and read in plain Go; the git program then runs
// in a private, empty git folder of our own with a configuration of our own, and
// sees of the repository its objects only. So there is no command, remote,
// replacement, graft, attribute or include of the repository for git to follow.
//
// One call reads the repository's configuration, [Repository.Hooks], since only that says where hooks are looked for: it
// prints one value, for a user who installs a hook.
//
// What is trusted: the git program itself (found in PATH, never below the
// repository) and its parsing of objects. Its output, time and, on Linux, memory
// are bounded.
//
// Which folders are read:
//   - `.git`, a real folder at the opened folder or the nearest one above it.
//   - A `.git` file of a linked worktree, if the folder it names points back at it,
//     and of a submodule, if the folder lies in the git folder of the repository
//     around it. Any other `.git` file or link could lead to another repository of
//     the user, and is refused (errForeign); so is `git init --separate-git-dir`.
//   - objects/info/alternates: as git does, since clones made with --reference need
//     it. Objects are named by their content, so nothing is read there that HEAD's
//     own history does not name. Network paths are refused.
//
// A bare repository has no files to speak of, and counts as none. Reference tables
// (the "reftable" format) are not read (errUnsupported). Missing objects are not
// fetched: a clone without blobs is read in full, one without trees is an error.
package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Reasons for a missing history; test with [errors.Is].
var (
	// ErrNone: neither the folder nor one above it is a repository with files.
	ErrNone = errors.New("not a git repository")
	// errForeign: `.git` leads to a folder that does not belong to this one.
	errForeign = errors.New("the folder that .git points to does not belong to this working tree. For a linked worktree, run " +
		"`git worktree repair`; brv-lsp does not support `git init --separate-git-dir`")
	// errUnsupported: the repository stores its references in a form not known here.
	errUnsupported = errors.New("this repository uses a storage format that brv-lsp cannot read")
	// ErrNoProgram: there is no git program in PATH that can be trusted.
	ErrNoProgram = errors.New("PATH has no usable git")
	// errTooMuch: git wrote more than any reasonable history needs.
	errTooMuch = errors.New("git printed too much output")
	// errStalled: git wrote nothing for too long.
	errStalled = errors.New("git printed no output for too long")
)

// Repository is the repository around one folder. It holds no open files, and is
// safe for concurrent use.
type Repository struct {
	top    string // the folder with `.git`, links resolved
	prefix string // the opened folder inside top: "" or "sub/folder/"
	dir    string // HEAD of this worktree
	common string // objects and references, which all worktrees share
	limits limits
}

// Open finds the repository that folder root belongs to. It runs no program.
func Open(root string) (*Repository, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, err
	}
	at, err := find(abs)
	if err != nil {
		return nil, err
	}
	inside, err := filepath.Rel(at.top, abs)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if inside != "." {
		prefix = filepath.ToSlash(inside) + "/"
	}
	r := &Repository{top: at.top, prefix: prefix, dir: at.dir, common: at.common, limits: defaults}
	if err := checkAlternates(r.objects(), 0); err != nil {
		return nil, err
	}
	return r, nil
}

// Prefix returns the opened folder as a slash path inside the repository: "", or with a slash at its end.
func (r *Repository) Prefix() string { return r.prefix }

// Dir returns git's folder of this worktree as an absolute path, with HEAD, its log and the index. For a worktree
// or submodule it is not below the opened folder.
func (r *Repository) Dir() string { return r.dir }

// Busy reports whether a git process holds the index lock, so that files are about to change.
func (r *Repository) Busy() bool {
	_, err := os.Lstat(filepath.Join(r.dir, "index.lock"))
	return err == nil
}

func (r *Repository) objects() string { return filepath.Join(r.common, "objects") }

// maxSmall bounds the small files that are read whole (bytes). A packed-refs file
// of 200,000 references has about 16 MB.
const maxSmall = 64 << 20

// readIn reads a small regular file of folder dir; links that leave dir are refused.
func readIn(dir, name string) ([]byte, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.ReadFile(name, maxSmall)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// same reports whether two paths lead to the same file or folder.
func same(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}
