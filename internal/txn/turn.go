package txn

import (
	"errors"
	"io/fs"
	"path"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// applyChange makes the change of one file, whose new content is staged. If someone's edit is there instead of
// from, it stays.
func (a *attempt) applyChange(i int, from, to *Image) error {
	a.dirty[path.Dir(a.rec.Changes[i].Path)] = true
	switch {
	case to == nil:
		_, err := a.displace(i, from)
		return err
	case from == nil:
		return a.place(i, to)
	}
	return a.swap(i, from, to)
}

// settle completes the change of one file, at whatever step an earlier attempt was interrupted.
func (a *attempt) settle(i int, from, to *Image) error {
	c := a.rec.Changes[i]
	a.dirty[path.Dir(c.Path)] = true
	displaced, err := a.restore(i)
	if err != nil {
		return err
	}
	f, err := a.j.look(c.Path, a.limit)
	switch {
	case err != nil || f.is(to):
		return err
	case f.kind == absent && displaced && to != nil: // interrupted between the two renames
		return a.fillGap(i, to)
	case !f.is(from):
		a.kept[c.Path] = true
		return nil
	}
	if to != nil {
		if err := a.ready(i, to); err != nil {
			return err
		}
	}
	return a.applyChange(i, from, to)
}

// fillGap puts a file in the place of one that was renamed away. The evidence for that rename must stay until the
// gap is filled, or be the file that fills it.
func (a *attempt) fillGap(i int, to *Image) error {
	for _, aside := range []bool{false, true} {
		old := a.slotAt(i, aside) + oldSuffix
		f, err := a.j.look(old, a.limit)
		if err != nil {
			return err
		}
		if f.kind == regular && f.is(to) {
			err := a.j.fsys.RenameNew(old, a.rec.Changes[i].Path)
			if err == nil || !errors.Is(err, fs.ErrExist) && !missing(err) {
				return err
			}
		}
	}
	f, err := a.j.look(a.slot(i), a.limit)
	if err != nil {
		return err
	}
	if !f.is(to) {
		if err := errors.Join(a.j.remove(a.slot(i)), a.stage(i, to)); err != nil {
			return err
		}
	}
	return a.place(i, to)
}

// restore puts back edits that an earlier attempt removed and could not compare any more. displaced reports
// whether the file itself was renamed away.
func (a *attempt) restore(i int) (displaced bool, err error) {
	for _, h := range a.held {
		if h.file != i {
			continue
		}
		f, err := a.j.look(h.name, a.limit)
		if err != nil {
			return false, err
		}
		if f.kind == absent || f.kind == unreachable {
			continue
		}
		if a.knows(i, f) {
			displaced = displaced || path.Ext(h.name) == oldSuffix
			continue
		}
		if err := a.putBack(i, h.name); err != nil {
			return false, err
		}
	}
	return displaced, nil
}

// ready makes sure that the new content is staged. It may be in its slot, or renamed away; otherwise it is staged
// again.
func (a *attempt) ready(i int, to *Image) error {
	slot := a.slot(i)
	for _, name := range []string{slot, slot + oldSuffix} {
		f, err := a.j.look(name, a.limit)
		if err != nil {
			return err
		}
		if f.kind == regular && f.is(to) {
			if name == slot {
				return nil
			}
			return a.j.fsys.Rename(name, slot)
		}
	}
	if err := a.j.remove(slot); err != nil {
		return err
	}
	return a.stage(i, to)
}

// swap replaces one file by exchanging names.
func (a *attempt) swap(i int, from, to *Image) error {
	p := a.rec.Changes[i].Path
	for range maxTries {
		slot := a.slot(i)
		err := a.j.fsys.Exchange(slot, p)
		switch {
		case err == nil:
			return a.check(i, slot, from)
		case errors.Is(err, errors.ErrUnsupported):
			return a.swapInTwo(i, from, to)
		case errors.Is(err, jail.ErrOtherDevice) && !a.aside[i]:
			a.aside[i] = true
		case missing(err):
			if f, err := a.j.look(p, a.limit); err != nil {
				return err
			} else if f.kind == absent {
				a.kept[p] = true // someone deleted it
				return nil
			}
		default:
			return err
		}
		if err := a.ready(i, to); err != nil {
			return err
		}
	}
	a.kept[p] = true // it keeps appearing and disappearing
	return nil
}

// swapInTwo replaces one file on systems that cannot exchange names.
func (a *attempt) swapInTwo(i int, from, to *Image) error {
	aside := a.aside[i]
	out, err := a.displace(i, from)
	if err != nil {
		return err
	}
	if !out {
		a.kept[a.rec.Changes[i].Path] = true
		return nil
	}
	if a.aside[i] != aside {
		if err := a.ready(i, to); err != nil {
			return err
		}
	}
	return a.place(i, to)
}

// displace renames a file away. out reports that the file is gone and had the expected content.
func (a *attempt) displace(i int, from *Image) (out bool, err error) {
	p := a.rec.Changes[i].Path
	for range maxTries {
		old := a.slot(i) + oldSuffix
		a.hold(i, old)
		err = a.j.fsys.RenameNew(p, old)
		switch {
		case err == nil:
			err := a.check(i, old, from)
			return err == nil && !a.kept[p], err
		case errors.Is(err, jail.ErrOtherDevice) && !a.aside[i]:
			a.aside[i] = true
		case errors.Is(err, fs.ErrExist): // from an earlier attempt; restore has examined it
			if err := a.j.remove(old); err != nil {
				return false, err
			}
		case missing(err):
			return false, nil
		default:
			return false, err
		}
	}
	return false, err
}

// place puts a new file where there is none.
func (a *attempt) place(i int, to *Image) error {
	p := a.rec.Changes[i].Path
	var err error
	for range maxTries {
		if err := a.makeParents(path.Dir(p)); err != nil {
			return err
		}
		err = a.j.fsys.RenameNew(a.slot(i), p)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			a.kept[p] = true
			return nil
		case errors.Is(err, jail.ErrOtherDevice) && !a.aside[i]:
			a.aside[i] = true
		case !missing(err):
			return err
		}
		if err := a.ready(i, to); err != nil {
			return err
		}
	}
	return err
}

// makeParents makes a folder and those above it.
func (a *attempt) makeParents(dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := a.j.fsys.Lstat(dir); !missing(err) {
		return err
	}
	if err := a.makeParents(path.Dir(dir)); err != nil {
		return err
	}
	a.dirty[path.Dir(dir)] = true
	if err := a.j.fsys.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// check compares a replaced file with its expected content, and puts it back if it is someone's edit. It returns
// an error, so that the change is taken back, if someone was saving a file that seemed empty.
func (a *attempt) check(i int, name string, from *Image) error {
	a.hold(i, name)
	f, err := a.j.look(name, a.limit)
	switch {
	case err != nil:
		return err
	case a.isSaved(f, from):
		return &ConflictError{[]string{a.rec.Changes[i].Path}}
	case !f.is(from):
		return a.putBack(i, name)
	}
	return nil
}
