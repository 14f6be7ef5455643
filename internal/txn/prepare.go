package txn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"syscall"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// found is the present content of a path.
type found struct {
	kind kind
	data []byte
	info fs.FileInfo
	why  error // for foreign and unreachable
}

type kind int

const (
	absent kind = iota
	regular
	foreign     // a folder, link or device, a file larger than the images, or one without permission to read
	unreachable // behind a link that leads out, or in a folder without permission to read
)

// is reports whether the content equals the image; nil means no file.
func (f *found) is(i *Image) bool {
	if i == nil {
		return f.kind == absent
	}
	return f.kind == regular && bytes.Equal(f.data, i.Data)
}

// look reads the file at a path. Only the first limit bytes matter.
func (j *Journal) look(p string, limit int) (found, error) {
	f, err := j.lookOnce(p, limit)
	if err == nil && errors.Is(f.why, fs.ErrPermission) { // tried twice, since it makes the file count as someone else's
		return j.lookOnce(p, limit)
	}
	return f, err
}

func (j *Journal) lookOnce(p string, limit int) (found, error) {
	info, err := j.fsys.Lstat(p)
	switch {
	case missing(err):
		return found{}, nil
	case errors.Is(err, jail.ErrEscapes), errors.Is(err, fs.ErrPermission):
		return found{kind: unreachable, why: err}, nil
	case err != nil:
		return found{}, err
	case !info.Mode().IsRegular():
		return found{kind: foreign, why: fmt.Errorf("%s: %w", p, jail.ErrNotRegular)}, nil
	case info.Size() > int64(limit):
		return found{kind: foreign, why: jail.ErrTooLarge}, nil
	}
	data, err := j.fsys.ReadFile(p, int64(limit))
	switch {
	case missing(err):
		return found{}, nil
	case errors.Is(err, jail.ErrTooLarge), errors.Is(err, jail.ErrNotRegular), errors.Is(err, jail.ErrEscapes),
		errors.Is(err, fs.ErrPermission):
		return found{kind: foreign, why: err}, nil
	case err != nil:
		return found{}, err
	}
	return found{kind: regular, data: data, info: info}, nil
}

// prepare compares the files with the state that the changes expect, and returns the record that makes the
// changes. The record has no changes if nothing would change.
func (j *Journal) prepare(id int, meta any, changes []Change) (*Record, error) {
	if id > maxID {
		return nil, fmt.Errorf("the journal is full: it has %d changes; to start a new one, move .brv/state away", maxID)
	}
	kept, err := marshalMeta(meta)
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return same(c.Before, c.After) })
	if err := j.allow(changes); err != nil {
		return nil, err
	}
	var conflicts []string
	for i, c := range changes {
		f, err := j.look(c.Path, size(c.Before))
		if err == nil && f.why != nil && !errors.Is(f.why, jail.ErrTooLarge) {
			err = f.why
		}
		if err != nil {
			return nil, fileError(c.Path, err)
		}
		if !f.is(c.Before) || f.kind == regular && j.IsEmptied(f.info) {
			conflicts = append(conflicts, c.Path)
			continue
		}
		changes[i] = complete(c, f)
		if a := changes[i].After; changes[i].mayRun() {
			changes[i].After = &Image{Data: a.Data, Mode: a.Mode &^ 0o111, ModTime: a.ModTime}
		}
	}
	if len(conflicts) > 0 {
		return nil, &ConflictError{conflicts}
	}
	made, err := j.missingFolders(changes)
	if err != nil {
		return nil, err
	}
	r := &Record{Header: Header{ID: id, Time: storable(j.now()), Meta: kept}, Changes: changes, made: made}
	for _, c := range changes {
		r.Files = append(r.Files, File{c.Path, hash(c.Before), hash(c.After)})
	}
	return r, nil
}

// complete returns the change with the file's mode and time on disk.
func complete(c Change, f found) Change {
	if c.Before != nil {
		mode := f.info.Mode().Perm()
		c.Before = &Image{Data: f.data, Mode: mode, ModTime: f.info.ModTime()}
		if c.After != nil && c.After.Mode == 0 {
			after := *c.After
			after.Mode = mode
			c.After = &after
		}
	}
	return c
}

// missingFolders lists the folders that new files need, parents first.
func (j *Journal) missingFolders(changes []Change) ([]string, error) {
	var made []string
	for _, c := range changes {
		if c.After == nil || c.Before != nil {
			continue
		}
		var missed []string
		for dir := path.Dir(c.Path); dir != "." && !slices.Contains(made, dir); dir = path.Dir(dir) {
			info, err := j.fsys.Lstat(dir)
			if err == nil && info.Mode().IsRegular() {
				return nil, fmt.Errorf("%s: %w", dir, syscall.ENOTDIR)
			}
			if err == nil {
				break
			}
			if !missing(err) {
				return nil, err
			}
			missed = append(missed, dir)
		}
		slices.Reverse(missed)
		made = append(made, missed...)
	}
	return made, nil
}

func same(a, b *Image) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Data, b.Data)
}

func size(i *Image) int {
	if i == nil {
		return 0
	}
	return len(i.Data)
}

func hash(i *Image) string {
	if i == nil {
		return ""
	}
	return sha(i.Data)
}
