package main

// A checkout is a private copy of one repository's files, moved from commit to commit.
// Objects are read from the repository with plumbing commands that write nothing there:
// no index, no reference, no lock. The copy has a git folder of its own, which borrows the
// repository's objects and whose only reference is a detached HEAD at the commit: what
// reads history there cannot see a later one.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/mirror"
)

// emptyTree is the tree without files, which git knows in every repository.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// checkout is the copy.
type checkout struct {
	gitDir string
	dir    string
	root   *os.Root // of dir: no path of a tree leads out of it
	at     string   // commit, or the empty tree
	blobs  *blobs
	notes  []string // files that could not be brought
}

// newCheckout makes an empty copy. Close removes it.
func newCheckout(ctx context.Context, gitDir string) (*checkout, error) {
	dir, err := os.MkdirTemp("", "brv-bench-checkout-")
	if err != nil {
		return nil, err
	}
	c := &checkout{gitDir: gitDir, dir: dir, at: emptyTree}
	if c.root, err = os.OpenRoot(dir); err == nil {
		err = c.borrow()
	}
	if err == nil {
		c.blobs, err = openBlobs(ctx, gitDir)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// borrow makes the copy's git folder.
func (c *checkout) borrow() error {
	return errors.Join(c.root.MkdirAll(".git/refs", 0o755), c.root.MkdirAll(".git/objects/info", 0o755),
		c.root.WriteFile(".git/HEAD", []byte("ref: refs/heads/main\n"), 0o644), // until the first move
		c.root.WriteFile(".git/objects/info/alternates", []byte(filepath.Join(c.gitDir, "objects")+"\n"), 0o644))
}

// Close removes the copy.
func (c *checkout) Close() error {
	var err error
	if c.blobs != nil {
		err = c.blobs.Close()
	}
	if c.root != nil {
		err = errors.Join(err, c.root.Close())
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// plumbing makes a git command that reads a repository. Neither the user's nor the system's
// configuration is read, and what is missing is not fetched.
func plumbing(ctx context.Context, gitDir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + gitDir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_NO_LAZY_FETCH=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

// change is one path that differs between two commits.
type change struct {
	path    string
	mode    string // in the second commit; 000000 if it is gone
	blob    string
	oldMode string
}

// regular reports whether a mode is that of a plain file; links and submodules are left
// out of the copy, as they are out of the map.
func regular(mode string) bool { return mode == "100644" || mode == "100755" || mode == "100664" }

// move brings the copy to a commit and returns the paths that changed, sorted.
func (c *checkout) move(ctx context.Context, commit string) ([]string, error) {
	out, err := plumbing(ctx, c.gitDir, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff", c.at,
		commit).Output()
	if err != nil {
		return nil, fmt.Errorf("git diff-tree %s %s: %w%s", c.at, commit, err, mirror.Stderr(err))
	}
	changes, err := parseChanges(string(out))
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, ch := range changes { // first what goes: a file may become a folder
		paths = append(paths, ch.path)
		if !regular(ch.mode) && regular(ch.oldMode) {
			if err := c.remove(ch.path); err != nil {
				return nil, err
			}
		}
	}
	for _, ch := range changes {
		if regular(ch.mode) {
			if err := c.write(ch); err != nil {
				return nil, err
			}
		}
	}
	c.at = commit
	slices.Sort(paths)
	return paths, c.root.WriteFile(".git/HEAD", []byte(commit+"\n"), 0o644)
}

// parseChanges reads git's raw form: ":mode mode blob blob status", NUL, path, NUL.
func parseChanges(out string) ([]change, error) {
	var all []change
	for out != "" {
		head, rest, ok1 := strings.Cut(out, "\x00")
		p, rest, ok2 := strings.Cut(rest, "\x00")
		fields := strings.Fields(strings.TrimPrefix(head, ":"))
		if !ok1 || !ok2 || len(fields) != 5 {
			return nil, fmt.Errorf("git diff-tree: unexpected %q", head)
		}
		all = append(all, change{path: p, oldMode: fields[0], mode: fields[1], blob: fields[3]})
		out = rest
	}
	return all, nil
}

// remove deletes a file and the folders that it leaves empty.
func (c *checkout) remove(p string) error {
	if err := c.root.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if c.root.Remove(dir) != nil {
			break // not empty
		}
	}
	return nil
}

// write brings one file. If the repository lacks its content, the file is left out with
// a note.
func (c *checkout) write(ch change) error {
	data, err := c.blobs.read(ch.blob)
	if errors.Is(err, errMissing) {
		c.notes = append(c.notes, ch.path+" at "+ch.blob[:10]+": not in the repository, left out")
		return c.remove(ch.path)
	}
	if err != nil {
		return err
	}
	if err := c.root.MkdirAll(path.Dir(ch.path), 0o755); err != nil {
		return err
	}
	return c.root.WriteFile(ch.path, data, 0o644)
}

// errMissing says that a repository does not hold a content.
var errMissing = errors.New("missing")

// blobs reads contents through one running git.
type blobs struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

func openBlobs(ctx context.Context, gitDir string) (*blobs, error) {
	b := &blobs{cmd: plumbing(ctx, gitDir, "cat-file", "--batch")}
	b.cmd.Stderr = &b.err
	in, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.in, b.out = in, bufio.NewReaderSize(out, 1<<16)
	return b, b.cmd.Start()
}

// read returns a content: git answers "name type size", a line end, the bytes and
// another line end.
func (b *blobs) read(name string) ([]byte, error) {
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return nil, fmt.Errorf("git cat-file: %w: %s", err, b.err.String())
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w: %s", err, b.err.String())
	}
	fields := strings.Fields(head)
	if len(fields) == 2 && fields[1] == "missing" {
		return nil, errMissing
	}
	if len(fields) != 3 {
		return nil, fmt.Errorf("git cat-file: unexpected %q", head)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, fmt.Errorf("git cat-file: unexpected %q", head)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return data[:size], nil
}

// Close ends the running git.
func (b *blobs) Close() error {
	b.in.Close()
	return b.cmd.Wait()
}
