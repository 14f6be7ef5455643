package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Moment is a commit with its time.
type Moment struct {
	Hash string
	Time int64 // committed, seconds since 1970 by the committer's clock
}

// Mainline returns head and its first parents, newest first, at most limit of them. These are the states that the
// branch itself had.
func (r *Repository) Mainline(ctx context.Context, head string, limit int) ([]Moment, error) {
	if !isHash(head) {
		return nil, fmt.Errorf("git rev-list: %q is not a hash", head)
	}
	var line []Moment
	read := func(out io.Reader) error {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			seconds, hash := cut(lines.Text())
			at, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil || !isHash(hash) {
				return fmt.Errorf("git rev-list: unexpected output %q", clip(lines.Text()))
			}
			line = append(line, Moment{hash, at})
		}
		return lines.Err()
	}
	err := r.run(ctx, call{hashLen: len(head), read: read},
		"rev-list", "--first-parent", "--timestamp", "-n", strconv.Itoa(limit), head, "--")
	return line, err
}

// Place is a path of the opened folder in a commit.
type Place struct{ Commit, Path string }

// Object is the content of a place in the repository. The zero value means no content.
type Object struct {
	Hash   string
	Folder bool
	Size   int64 // bytes, of a file
}

// Objects returns the object at each place. A place counts as empty if its path is empty, has a line end or
// points outside the folder.
func (r *Repository) Objects(ctx context.Context, places []Place) ([]Object, error) {
	found := make([]Object, len(places))
	var names []string
	var asked []int
	hashLen := 40
	for i, p := range places {
		if !isHash(p.Commit) || !plainPath(p.Path) {
			continue
		}
		hashLen = len(p.Commit)
		asked, names = append(asked, i), append(names, p.Commit+":"+r.prefix+p.Path)
	}
	if len(asked) == 0 {
		return found, nil
	}
	all, err := objectsOf(ctx, r, hashLen, names)
	for i, o := range all {
		found[asked[i]] = o
	}
	return found, err
}

// objectsOf returns the objects with those names, in order.
func objectsOf(ctx context.Context, r *Repository, hashLen int, names []string) (found []Object, err error) {
	read := func(out io.Reader) error {
		in := bufio.NewReader(out)
		for range names {
			// git answers a request for a missing object with the request itself, of any length.
			line, err := in.ReadString('\n')
			if err != nil {
				return inside(err)
			}
			found = append(found, parseObject(line))
		}
		return nil
	}
	err = r.run(ctx, call{hashLen: hashLen, input: strings.Join(names, "\n") + "\n", read: read}, "cat-file", "--batch-check")
	return found, err
}

// plainPath reports whether git's batch form can request a path.
func plainPath(p string) bool {
	return p != "" && len(p) <= maxPath && !strings.ContainsAny(p, "\n\x00") && !strings.HasPrefix(p, "/") &&
		p != ".." && !strings.HasPrefix(p, "../") && !strings.HasPrefix(p, "./")
}

// parseObject reads "hash type size"; any other text is a missing object.
func parseObject(line string) Object {
	fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(fields) != 3 || !isHash(fields[0]) {
		return Object{}
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	switch {
	case err != nil:
		return Object{}
	case fields[1] == "blob":
		return Object{Hash: fields[0], Size: size}
	case fields[1] == "tree":
		return Object{Hash: fields[0], Folder: true}
	}
	return Object{}
}

// Contents passes the contents of files, by their hashes, to emit, in order; missing ones, and files larger
// than limit bytes, are skipped. Ask [Repository.Objects] for the sizes first: large files are read before
// they are skipped. The text is valid until emit returns.
func (r *Repository) Contents(ctx context.Context, hashes []string, limit int64, emit func(hash string, text []byte)) error {
	if len(hashes) == 0 {
		return nil
	}
	for _, h := range hashes {
		if !isHash(h) {
			return fmt.Errorf("git cat-file: %q is not a hash", clip(h))
		}
	}
	read := func(out io.Reader) error {
		in := bufio.NewReaderSize(out, 64<<10)
		var text []byte
		for _, h := range hashes {
			var err error
			if text, err = readContent(in, h, limit, text, emit); err != nil {
				return inside(err)
			}
		}
		return nil
	}
	return r.run(ctx, call{hashLen: len(hashes[0]), input: strings.Join(hashes, "\n") + "\n", read: read}, "cat-file", "--batch")
}

// readContent reads "hash type size", a line end, the bytes and another line end. It returns room for the next text.
func readContent(in *bufio.Reader, hash string, limit int64, room []byte, emit func(string, []byte)) ([]byte, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) == 2 && fields[1] == "missing" {
		return room, nil
	}
	if len(fields) != 3 || fields[0] != hash {
		return nil, fmt.Errorf("git cat-file: unexpected output %q", clip(line))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return nil, fmt.Errorf("git cat-file: unexpected output %q", clip(line))
	}
	if size > limit || fields[1] != "blob" {
		_, err := io.CopyN(io.Discard, in, size+1)
		return room, err
	}
	text := slices.Grow(room[:0], int(size)+1)[:size+1]
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, err
	}
	emit(hash, text[:size])
	return text, nil
}

// Grep returns the files of a commit, below the opened folder, that contain one of the words as a whole word. It
// returns at most limit files, in git's order.
func (r *Repository) Grep(ctx context.Context, commit string, words []string, limit int) ([]string, error) {
	if !isHash(commit) {
		return nil, fmt.Errorf("git grep: %q is not a hash", clip(commit))
	}
	args := []string{"grep", "-I", "-l", "-z", "-w", "-F", "--full-name", "--no-color", "--no-textconv"}
	asked := 0
	for _, w := range words {
		if w != "" && len(w) <= maxWord && !strings.ContainsAny(w, "\n\x00") {
			args, asked = append(args, "-e", w), asked+1
		}
	}
	if asked == 0 {
		return nil, nil
	}
	args = append(args, commit, "--")
	if r.prefix != "" {
		args = append(args, r.prefix)
	}
	var found []string
	read := func(out io.Reader) error {
		in := &fields{from: bufio.NewReaderSize(out, 64<<10)}
		for len(found) < limit {
			text, length, err := in.next(maxPath + len(commit) + 1)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			name, ok := strings.CutPrefix(string(text), commit+":"+r.prefix)
			if ok && length == len(text) {
				found = append(found, name)
			}
		}
		return nil
	}
	err := r.run(ctx, call{hashLen: len(commit), read: read}, args...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return nil, nil // no file contains one
	}
	return found, err
}

// File is a file of a commit.
type File struct {
	Path, Hash string
	Size       int64 // bytes; -1 for a link or submodule
}

// Files returns at most limit files of a commit below the opened folder, in git's order.
func (r *Repository) Files(ctx context.Context, commit string, limit int) ([]File, error) {
	if !isHash(commit) {
		return nil, fmt.Errorf("git ls-tree: %q is not a hash", clip(commit))
	}
	args := []string{"ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--"}
	if r.prefix != "" {
		args = append(args, r.prefix)
	}
	var found []File
	read := func(out io.Reader) error {
		in := &fields{from: bufio.NewReaderSize(out, 64<<10)}
		for len(found) < limit {
			text, length, err := in.next(maxStatus + maxPath)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			about, path, ok := strings.Cut(string(text), "\t")
			words := strings.Fields(about)
			if !ok || len(words) != 4 || !isHash(words[2]) {
				return fmt.Errorf("git ls-tree: unexpected output %q", clip(string(text)))
			}
			f := File{Hash: words[2], Size: -1}
			if strings.HasPrefix(words[0], "100") {
				if f.Size, err = strconv.ParseInt(words[3], 10, 64); err != nil {
					return fmt.Errorf("git ls-tree: unexpected output %q", clip(about))
				}
			}
			if f.Path, ok = strings.CutPrefix(path, r.prefix); ok && length == len(text) && len(path) <= maxPath {
				found = append(found, f)
			}
		}
		return nil
	}
	return found, r.run(ctx, call{hashLen: len(commit), read: read}, args...)
}

// maxWord bounds the length of a word for Grep, in bytes.
const maxWord = 256
