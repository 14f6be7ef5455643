package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// logFormat makes git write, for each commit, two NULs, the header, NUL, the
// message and NUL. Messages and paths cannot hold a NUL, and a path is never empty:
// so an empty field ends the list of changes and nothing in it can pass for a commit.
//
// A commit's fields are thus: "", "", header, message, and with changes "\nSTATUS",
// path, STATUS, path, … where a rename or copy has two paths; then at least one "".
const logFormat = "format:%x00%x00%H %ct %P%x00%B%x00"

const (
	maxHeader = 1 << 20 // bytes; a merge of 15,000 commits
	maxStatus = 256     // bytes; two modes, two hashes and a letter take 145
	maxPath   = 4096    // bytes; the longest that Linux takes. Longer ones are left out
)

// errCut: the output ends inside a commit.
var errCut = errors.New("git log ended inside a commit")

// fields reads git's output field by field, keeping a bounded part of each.
type fields struct {
	from *bufio.Reader
	buf  []byte
}

// next returns the field up to the next NUL: at most keep bytes of it, and its full length. At the end it returns
// io.EOF. The last field need not end in NUL.
func (f *fields) next(keep int) (text []byte, length int, err error) {
	f.buf = f.buf[:0]
	for {
		part, err := f.from.ReadSlice(0)
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		length += len(part)
		if free := keep - len(f.buf); free > 0 {
			f.buf = append(f.buf, part[:min(free, len(part))]...)
		}
		switch {
		case ended:
			return f.buf, length, nil
		case err == io.EOF && length > 0:
			return f.buf, length, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, 0, err
		}
	}
}

// parseLog reads the output of git log and emits its commits.
func parseLog(out io.Reader, prefix string, opts LogOptions, emit func(Commit) error) error {
	in := &fields{from: bufio.NewReaderSize(out, 64<<10)}
	for {
		text, length, err := in.next(maxHeader)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if length == 0 {
			continue
		}
		c, err := parseHeader(string(text))
		if err != nil {
			return err
		}
		if err := in.commit(&c, prefix, opts); err != nil {
			return err
		}
		if err := emit(c); err != nil {
			return err
		}
	}
}

// commit reads the fields after a header.
func (f *fields) commit(c *Commit, prefix string, opts LogOptions) error {
	text, _, err := f.next(opts.MaxMessage)
	if err != nil {
		return inside(err)
	}
	c.Message = string(text)
	for {
		status, _, err := f.next(maxStatus)
		if err == io.EOF || err == nil && len(status) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		kind, blobs := strings.TrimPrefix(string(status), "\n"), sides{}
		if words := strings.Fields(kind); opts.Blobs && len(words) == 5 && isHash(words[2]) && isHash(words[3]) {
			kind, blobs = words[4], sides{before: hashOrNone(words[2]), after: hashOrNone(words[3])}
		}
		if kind == "" || !strings.Contains("ACDMRTUX", kind[:1]) {
			return fmt.Errorf("git log: %q is not a kind of change", kind)
		}
		change, err := f.change(kind[0], prefix)
		if err != nil {
			return inside(err)
		}
		change.Before, change.After = blobs.before, blobs.after
		c.Total++
		if change.Path != "" && len(c.Changes) < opts.MaxChanges {
			c.Changes = append(c.Changes, change)
		}
	}
}

// change reads the path or paths of one change; Path is "" if it is outside prefix.
func (f *fields) change(kind byte, prefix string) (Change, error) {
	first, err := f.path(prefix)
	if err != nil || kind != 'R' && kind != 'C' {
		return Change{Path: first}, err
	}
	second, err := f.path(prefix)
	switch {
	case err != nil:
		return Change{}, err
	case second == "" && kind == 'R': // moved out of the folder
		return Change{Path: first}, nil
	case kind == 'C':
		return Change{Path: second}, nil
	}
	return Change{Path: second, From: first}, nil
}

func (f *fields) path(prefix string) (string, error) {
	text, length, err := f.next(maxPath)
	if err != nil {
		return "", err
	}
	if length == 0 {
		return "", errors.New("git log: a change has no path")
	}
	rest, ok := strings.CutPrefix(string(text), prefix)
	if !ok || length > maxPath {
		return "", nil
	}
	return rest, nil
}

func inside(err error) error {
	if err == io.EOF {
		return errCut
	}
	return err
}

// cut splits at the first space.
func cut(s string) (before, after string) {
	before, after, _ = strings.Cut(s, " ")
	return before, after
}

// clip shortens a text for an error message.
func clip(s string) string { return s[:min(len(s), 60)] }
