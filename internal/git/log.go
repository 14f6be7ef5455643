package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Commit is one commit of a log.
type Commit struct {
	Hash    string
	Parents int
	Time    int64  // committed, seconds since 1970 by the committer's clock
	Message string // at most LogOptions.MaxMessage bytes, any bytes but NUL
	// Changes are the files below the opened folder, at most LogOptions.MaxChanges of them, in git's order. A
	// merge or a first commit has none, unless [LogOptions] asks for them.
	Changes []Change
	Total   int // files of the whole commit, including those outside the folder
}

// Change is a file that a commit changed. Paths have slashes, are relative to the
// opened folder, and can hold any byte but NUL.
type Change struct {
	Path string
	From string // the former path of a file that was moved; "" if it was not

	// The hashes of the file's contents, if [LogOptions.Blobs] is set; "" for a missing file.
	Before, After string
}

// Renames determines how thoroughly a log follows moved files.
type Renames string

// Ways to follow renames, in order of cost.
const (
	NoRenames      Renames = "--no-renames" // a removed and an added file
	ExactRenames   Renames = "-M100%"       // moved without a change; compares hashes only
	SimilarRenames Renames = "-M"           // half of the file is the same; reads the files
)

// LogOptions selects the commits of a log and the data about them.
type LogOptions struct {
	Head       string  // the newest commit; required
	Since      string  // leave out this commit and all before it; "" for all
	MaxMessage int     // bytes of a message that are kept
	MaxChanges int     // changes of a commit that are kept
	Renames    Renames // "" is NoRenames
	// FirstParent follows only the first parent of merges, and shows the changes of a merge as its own.
	FirstParent bool
	Messages    bool   // without changes, which take most of the time, and without merges
	MaxCommits  int    // 0: all
	Only        string // kinds of changes as in git's --diff-filter, such as "D"; "" for all
	Blobs       bool   // give the hashes of changed files, and the files of a first commit
	// Paths, if any, restricts the log to changes of these files. Renames are then not recognised, since that
	// needs both names.
	Paths []string
}

// ErrEnough, returned by the function that takes a log's commits, ends the log
// without an error.
var ErrEnough = errors.New("enough")

// Log calls emit with the commits that are reachable from Head and not from Since, newest first by commit time. An
// error of emit ends the log and is returned. If git fails on the way, as on a damaged pack, the earlier commits
// have been emitted.
func (r *Repository) Log(ctx context.Context, opts LogOptions, emit func(Commit) error) error {
	if !isHash(opts.Head) {
		return fmt.Errorf("git log: %q is not a hash", opts.Head)
	}
	args := []string{"log", "-z", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-show-signature", "--no-mailmap", "--no-notes", "--no-decorate",
		"--no-rename-empty", "--format=" + logFormat, string(opts.Renames)}
	if opts.Renames == "" {
		args[len(args)-1] = string(NoRenames)
	}
	if opts.FirstParent {
		args = append(args, "--first-parent", "-m")
	}
	switch {
	case opts.Messages:
		args = append(args, "--no-patch", "--no-merges")
	case opts.Blobs:
		args = append(args, "--raw", "--no-abbrev", "--root")
	default:
		args = append(args, "--name-status")
	}
	if opts.MaxCommits > 0 {
		args = append(args, "-n", strconv.Itoa(opts.MaxCommits))
	}
	if opts.Only != "" {
		args = append(args, "--diff-filter="+opts.Only)
	}
	args = append(args, opts.Head)
	if opts.Since != "" {
		if !isHash(opts.Since) {
			return fmt.Errorf("git log: %q is not a hash", opts.Since)
		}
		args = append(args, "^"+opts.Since)
	}
	args = append(args, "--")
	for _, p := range opts.Paths {
		args = append(args, r.prefix+p)
	}
	// The newest commit is held back until the next one begins or git ends without an error. If git fails inside a
	// list of changes, the list only seems complete.
	var held *Commit
	one := func(c Commit) error {
		before := held
		held = &c
		if before == nil {
			return nil
		}
		return emit(*before)
	}
	read := func(out io.Reader) error { return parseLog(out, r.prefix, opts, one) }
	err := r.run(ctx, call{hashLen: len(opts.Head), read: read}, args...)
	if err == nil && held != nil {
		err = emit(*held)
	}
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// parseHeader reads the first part of a commit: "hash seconds parent parent".
func parseHeader(text string) (Commit, error) {
	var c Commit
	field, rest := cut(text)
	if !isHash(field) {
		return c, fmt.Errorf("git log: %q is not a commit", clip(text))
	}
	c.Hash = field
	field, rest = cut(rest)
	seconds, err := strconv.ParseInt(field, 10, 64)
	if err != nil {
		return c, fmt.Errorf("git log: %q has no time", clip(text))
	}
	c.Time = seconds
	c.Parents = len(strings.Fields(rest))
	return c, nil
}
