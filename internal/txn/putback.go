package txn

import (
	"errors"
	"io/fs"
	"path"
)

// putBack puts the edit at name back in the place of file i. If that place has a newer edit, it stays, and the
// older one is saved.
func (a *attempt) putBack(i int, name string) error {
	p := a.rec.Changes[i].Path
	a.kept[p] = true
	a.dirty[path.Dir(p)] = true
	for range maxTries {
		f, err := a.j.look(p, a.limit)
		if err != nil {
			return err
		}
		back := false
		switch {
		case f.kind == absent:
			err = a.j.fsys.RenameNew(name, p)
			back = err == nil
			if missing(err) { // the folder is gone too
				return a.save(i, name)
			}
		case a.knows(i, f):
			back, err = a.takeOut(i, name)
		default:
			return a.save(i, name)
		}
		if back || err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return a.save(i, name)
}

// takeOut exchanges our own file for the edit at name. back is false if something changed meanwhile, and another
// try is needed.
func (a *attempt) takeOut(i int, name string) (back bool, err error) {
	p := a.rec.Changes[i].Path
	err = a.j.fsys.Exchange(name, p)
	if errors.Is(err, errors.ErrUnsupported) {
		return false, a.renameOut(i)
	}
	if missing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	f, err := a.j.look(name, a.limit)
	if err != nil || a.knows(i, f) {
		return err == nil, err
	}
	if err := a.j.fsys.Exchange(name, p); err != nil && !missing(err) { // that was a newer edit
		return false, err
	}
	return false, nil
}

// renameOut is takeOut for systems that cannot exchange names. It leaves the place free.
func (a *attempt) renameOut(i int) error {
	p, out := a.rec.Changes[i].Path, a.slot(i)+outSuffix
	a.hold(i, out)
	if err := a.j.fsys.RenameNew(p, out); err != nil {
		if errors.Is(err, fs.ErrExist) { // it is a known name, as for displace
			return a.j.remove(out)
		}
		if missing(err) {
			return nil
		}
		return err
	}
	f, err := a.j.look(out, a.limit)
	if err != nil || a.knows(i, f) {
		return err
	}
	if err := a.j.fsys.RenameNew(out, p); err != nil { // that was a newer edit, and now there is an even newer one
		if errors.Is(err, fs.ErrExist) || missing(err) {
			return a.save(i, out)
		}
		return err
	}
	return nil
}

// save keeps an edit whose place has a newer one.
func (a *attempt) save(i int, name string) error {
	return a.j.moveNew(name, a.j.saved, savedName(name, a.rec.Changes[i].Path))
}
