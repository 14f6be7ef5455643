// Package discover finds the files of a folder that belong to the repo map, says
// which of them nobody wrote by hand, and which changed since they were read.
//
// [Walk] reads the folder once, on several goroutines, and gives the same result
// each time. A file belongs to the map when
//
//   - it is code (isCode), or matches Options.Include if there are such patterns;
//   - no pattern of Options.Exclude matches it or a folder above it;
//   - no folder above it has an excluded name: version control, dependencies,
//     build output, tool caches (specification "Discovery");
//   - git would not ignore it: `.gitignore` files in each folder and in those above
//     it in the repository, info/exclude, and the user's own core.excludesFile, with
//     git's own rules (gitignore.go, [glob.Git]), which the tests compare with
//     `git check-ignore` and `git ls-files`;
//   - or it has no extension, may be run, and its first line names a program that is known;
//   - or git tracks it all the same (its index, tracked.go), in a folder that is ignored
//     or called as build output often is too;
//   - it is a regular file of at most Options.MaxFileSize bytes.
//
// Links are never followed, and pipes, sockets and devices are never opened. Found.Skipped lists such files,
// and those that could not be read, each with the reason. Everything is read through [jail.Root].
//
// A folder with a `.git` of its own inside a repository is another repository: a submodule, a linked working
// tree or a clone. Git lists it as one entry, so it is not entered but listed in Found.Skipped. To map it,
// open it as a folder of its own. If the top folder is not a repository, as one with several clones side by
// side, each clone is entered, and only its own ignore files apply to it.
//
// The [Filter] that a walk leaves decides about single paths later, so that a
// change of one file needs no walk.
//
// Limits: rules that lie outside the folder are read once in a walk, and a change of them starts no new walk.
// Only the user's own git configuration can name a file of rules, not the repository's or the machine's. If
// the rules of an outer folder ignore the opened folder, they do not apply. The index is read once in a walk,
// and only if it names objects by SHA-1. A script that only its first line identifies is recognised only if
// it is executable. Names are case-sensitive unless `.git` says that the file system does not tell cases
// apart (git's own test).
package discover

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	gitrepo "github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// DefaultMaxFileSize, in bytes, leaves out generated code and data, and keeps
// hand-written files such as net/http's server.go, which 100 KB (specification
// "Discovery") would not.
const DefaultMaxFileSize = 1 << 20

// The limits of a walk. They stop a walk that has left every reasonable source tree: the largest public ones
// have some 100,000 folders and 500,000 files. Files beyond them are missing in the result, and Found.Skipped
// has the first folder left out.
const (
	maxFolders = 200_000
	maxFiles   = 1_000_000
)

// The limits of configuration and ignore files, in bytes. A compilation database
// has a command for each source file: at 300 bytes a command, 16 MiB are 55,000
// files.
const (
	maxConfigSize   = 1 << 20
	maxDatabaseSize = 16 << 20
)

// MaxConfigSize returns how many bytes of a configuration file are read.
func MaxConfigSize(p string) int64 {
	if path.Base(p) == "compile_commands.json" {
		return maxDatabaseSize
	}
	return maxConfigSize
}

// Options configure a walk. The zero value finds all code.
type Options struct {
	Include     []string // glob patterns with "**" of slash paths; none: isCode decides
	Exclude     []string // further patterns, of files and folders to leave out
	MaxFileSize int64    // bytes; DefaultMaxFileSize if not positive
	// Config reports for a path whether Found.Configs should have the file's text; nil: none.
	Config func(path string) bool
	// Progress is called after each folder with the numbers of folders and files so far, from one goroutine
	// at a time.
	Progress func(folders, files int)
	Top      bool // walk the folder itself only, none below, without git's index

	maxFolders, maxFiles, maxSteps int // for tests; the constants if zero
}

// Found is the result of a walk. The same folder gives the same result.
type Found struct {
	Filter  *Filter
	Files   []File            // sorted by path
	Configs map[string]string // texts by path, whether or not they are code
	Skipped map[string]string // files that belong to the map but are not read: reason by path
}

// File is one file as listed by its folder.
type File struct {
	Path    string
	Size    int64 // bytes
	ModTime time.Time
	Changed time.Time // of the record itself, which no program can set back; zero where unknown
	Inode   uint64    // 0 where unknown
	// Blob identifies the content in the repository if git's index has it without reading the file, see
	// [git.Index.Blob]; else "".
	Blob string
}

// IsBinary reports whether git calls a file of this text binary.
func IsBinary[T string | []byte](text T) bool { return gitrepo.IsBinary(text) }

// Indexed reports whether git's index has this text.
func (f File) Indexed(text []byte) bool {
	return f.Blob != "" && gitrepo.BlobHash(text, len(f.Blob)) == f.Blob
}

// Same reports whether two records of one path describe the same, unchanged file:
// size, both times and inode are equal, as in git's index. See [File.Racy].
func (f File) Same(g File) bool {
	return f.Size == g.Size && f.Inode == g.Inode && f.ModTime.Equal(g.ModTime) && f.Changed.Equal(g.Changed)
}

// racyWindow is the coarsest step of a file system's clock in use: FAT counts in
// two seconds.
const racyWindow = 2 * time.Second

// Racy reports whether the record cannot prove that the content is still the one read at the given time: a
// file that changed less than [racyWindow] before it was read may change again with the same times and size.
// A caller that keeps a file's content must then compare it, as git does for entries of its index that are
// not older than the index. A time in the future is racy too.
func (f File) Racy(read time.Time) bool {
	last := f.ModTime
	if f.Changed.After(last) {
		last = f.Changed
	}
	return last.Add(racyWindow).After(read)
}

// Stat describes the file at a path as a walk would. [jail.ErrNotRegular] if it is
// a link, folder, pipe or device, [fs.ErrNotExist] if there is none.
func Stat(root *jail.Root, p string) (File, error) {
	info, err := root.Lstat(p)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, jail.ErrNotRegular
	}
	return newFile(p, jail.RecordOf(info)), nil
}

func newFile(p string, r jail.Record) File {
	return File{Path: p, Size: r.Size, ModTime: r.ModTime, Changed: r.Changed, Inode: r.Inode}
}

// Reason describes in a few words why a file or folder was not read.
func Reason(err error) string {
	switch {
	case errors.Is(err, jail.ErrTooLarge):
		return "too large"
	case errors.Is(err, jail.ErrNotRegular):
		return "not a regular file"
	case errors.Is(err, jail.ErrEscapes):
		return "points outside the folder"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return err.Error()
}

// dirOf is path.Dir with "" for the top.
func dirOf(p string) string {
	return p[:max(strings.LastIndexByte(p, '/'), 0)]
}

func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}
