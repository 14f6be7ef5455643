package txn

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// A file that a change replaces or removes is moved to state/saved. Its name there has the number of the
// change, the attempt, the index of the file, and the file's own name:
//
//	0000000012-d3adb33fd3ad0123456789ab.0-jwt.md
//
// A program that opened the file before writes into it there. A file that differs from the record holds
// somebody's text, and stays until they remove it. A file that does not differ is removed when no program can
// be expected to write into it any more.

// The limits on files in state/saved that do not differ from their records.
const (
	// savedFor is how long such a file is kept after its change. Programs that empty a file before they write it
	// need milliseconds; a network drive that reconnects needs some ten seconds.
	savedFor = time.Minute
	// savedFiles and savedBytes bound these files before that time has passed. Examining as many took 33 ms on a
	// busy machine (BenchmarkSaved), and 64 MiB are as many entries at their limit (package tree).
	savedFiles = 256
	savedBytes = 64 << 20
	// savedBase bounds the part of the name that comes from the file's own name, in bytes; file systems allow 255.
	savedBase = 200
)

// emptiedFor is how long we leave an emptied file alone, since many programs empty a file before they write it. A
// busy machine or a network drive may need seconds between the two.
const emptiedFor = 10 * time.Second

// IsEmptied reports whether a file is empty and changed in the last ten seconds, so that somebody is saving it.
func (j *Journal) IsEmptied(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && info.Size() == 0 && j.now().Sub(info.ModTime()).Abs() < emptiedFor
}

// isSaved reports whether a file that seemed empty was just being emptied, which its state after the change shows.
// On ext4, the emptying is visible before the file's time changes. But once the file is renamed, for which the
// kernel waits, the time is right; the program may even have written the file by then.
func (a *attempt) isSaved(f found, from *Image) bool {
	same := func() bool { return f.is(from) && storable(f.info.ModTime()).Equal(storable(from.ModTime)) }
	return !a.back && len(from.Data) == 0 && !same()
}

// Saved is a text that is neither in its place nor in a record: someone wrote it into a file that a change had
// removed from its place, or in the moment of the change.
type Saved struct {
	Name    string // in the folder state/saved
	ID      int    // of the change
	Path    string // the file for which it was written; "" if the journal does not know the change
	Data    []byte
	ModTime time.Time
}

// savedName returns the name in state/saved for one of a file's own names.
func savedName(slot, file string) string {
	return strings.TrimPrefix(path.Base(slot), hidden) + "-" + baseOf(file)
}

func baseOf(file string) string {
	base := path.Base(file)
	return base[:min(len(base), savedBase)]
}

// savedOf splits a name in state/saved into the change and the index of its file. ok is false if somebody else
// made the name.
func (j *Journal) savedOf(name string) (id, file int, base string, ok bool) {
	digits := len(recordName(0))
	if len(name) <= digits || name[digits] != '-' {
		return 0, 0, "", false
	}
	id, ok = recordID(name[:digits])
	token, rest, dotted := strings.Cut(name[digits+1:], ".")
	number, base, named := strings.Cut(rest, "-")
	number = strings.TrimSuffix(strings.TrimSuffix(number, oldSuffix), outSuffix)
	file, err := strconv.Atoi(number)
	return id, file, base, ok && dotted && named && err == nil && file >= 0 && j.isToken(token)
}

// retires reports whether a found file was moved out of its place by the change. Such a file is moved to
// state/saved when the record is filed, since a program that has it open may still write into it. It cannot be
// moved from another device.
func (a *attempt) retires(h holder, f found) bool {
	before := a.rec.Changes[h.file].Before
	return !a.back && before != nil && f.is(before) && path.Dir(h.name) == a.j.txn
}

// retire moves the replaced and removed files to state/saved. If that fails, the next recovery does it.
func (a *attempt) retire() {
	for _, h := range a.out {
		_ = a.j.retire(h.name, a.rec.Changes[h.file].Path)
	}
}

// retire moves a file of state/txn to state/saved.
func (j *Journal) retire(slot, file string) error {
	to := path.Join(j.saved, savedName(slot, file))
	err := j.fsys.RenameNew(slot, to)
	if missing(err) {
		if _, err := j.makeAll(j.saved); err != nil {
			return err
		}
		err = j.fsys.RenameNew(slot, to)
	}
	return err
}

// discard removes a staged file that belongs to no change. A file of a finished change is moved to
// state/saved instead, since a power cut may bring back the name of a file that the change replaced.
func (j *Journal) discard(name string) {
	slot := path.Join(j.txn, name)
	if id, file, _, ok := j.savedOf(name + "-"); ok {
		if h, err := j.header(id); err == nil && file < len(h.Files) && j.retire(slot, h.Files[file].Path) == nil {
			return
		}
	}
	_ = j.remove(slot) // repeated the next time
}

// Saved lists texts that somebody wrote and that are neither in their place nor in a record, oldest change
// first. It waits for nothing and writes nothing. An empty file does not count. latest is the time of the
// newest change into whose files a program may still write, zero if there is none.
func (j *Journal) Saved() (texts []Saved, latest time.Time, err error) {
	names, err := j.list(j.saved)
	if err != nil || len(names) == 0 {
		return nil, latest, err
	}
	underWay, _, err := j.underWay()
	if err != nil {
		return nil, latest, err
	}
	j.heads.Lock()
	defer j.heads.Unlock()
	headers := map[int]*headerJSON{}
	defer func() { j.heads.of = headers }()
	for _, name := range names {
		id, _, _, ok := j.savedOf(name)
		if h := j.heads.of[id]; h != nil {
			headers[id] = h
		}
		if !ok || slices.Contains(underWay, id) { // the running change will decide about it
			continue
		}
		s, owned, err := j.inspect(name, headers, false)
		if err != nil {
			return nil, latest, err
		}
		if owned {
			texts = append(texts, s)
		} else if h := headers[id]; h != nil && h.Time.After(latest) && j.now().Sub(h.Time) < savedFor {
			latest = h.Time
		}
	}
	return texts, latest, nil
}

// inspect examines a file in state/saved. owned means that it contains somebody's text: it differs from the
// content that the change found or made, and it did not reach its place in another way. Unless thorough is set, a
// file with the old size and time counts as unchanged.
func (j *Journal) inspect(name string, headers map[int]*headerJSON, thorough bool) (s Saved, owned bool, err error) {
	id, file, base, _ := j.savedOf(name)
	s = Saved{Name: name, ID: id}
	info, err := j.fsys.Lstat(path.Join(j.saved, name))
	if missing(err) || err == nil && (!info.Mode().IsRegular() || info.Size() == 0) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	h, err := j.headerOf(id, headers)
	if err != nil {
		return s, false, err
	}
	s.ModTime = info.ModTime()
	known := h != nil && file < len(h.Files) && strings.HasPrefix(base, baseOf(h.Files[file].Path))
	if known && !thorough && h.Files[file].Before.isStamped(info) {
		return s, false, nil
	}
	if s.Data, err = j.fsys.ReadFile(path.Join(j.saved, name), maxRecord); err != nil {
		return s, false, err
	}
	if !known {
		return s, true, nil // the change was taken back, and another may have its id
	}
	f := h.Files[file]
	s.Path = f.Path
	sum := sha(s.Data)
	for _, image := range []*imageJSON{f.Before, f.After} {
		if image != nil && image.SHA256 == sum {
			return s, false, nil
		}
	}
	now, err := j.look(s.Path, len(s.Data))
	return s, err == nil && !now.is(&Image{Data: s.Data}), err
}

// isStamped reports whether a file has the size and the time of an image.
func (d *imageJSON) isStamped(info fs.FileInfo) bool {
	return d != nil && int64(d.Size) == info.Size() && d.ModTime.Equal(storable(info.ModTime()))
}

// headerOf returns the header of a change, nil if there is no readable one.
func (j *Journal) headerOf(id int, read map[int]*headerJSON) (*headerJSON, error) {
	if h, ok := read[id]; ok {
		return h, nil
	}
	h, err := j.header(id)
	if errors.Is(err, ErrNoRecord) { // it may be so old that its images were removed
		var lines [][]byte
		if lines, err = j.auditLines(); err == nil {
			for _, line := range lines {
				if old, bad := j.decodeHeader(line); bad == nil && old.ID == id {
					h = old
				}
			}
		}
	}
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrForeign) || errors.Is(err, jail.ErrTooLarge) {
		h, err = nil, nil
	}
	read[id] = h
	return h, err
}

// clearSaved removes files from state/saved that are no longer needed; the caller holds the lock. It is not part
// of a change: if it fails, the next change repeats it.
func (j *Journal) clearSaved() {
	names, err := j.list(j.saved)
	if err != nil || len(names) == 0 {
		return
	}
	files, bytes := 0, int64(0)
	sizes := map[string]int64{}
	for _, name := range names {
		if info, err := j.fsys.Lstat(path.Join(j.saved, name)); err == nil {
			sizes[name] = info.Size()
			files, bytes = files+1, bytes+info.Size()
		}
	}
	headers := map[int]*headerJSON{}
	for _, name := range names { // ids rise, so these are the oldest
		id, _, _, ok := j.savedOf(name)
		if !ok {
			continue
		}
		h, err := j.headerOf(id, headers)
		if err != nil {
			return
		}
		if h != nil && files <= savedFiles && bytes <= savedBytes && j.now().Sub(h.Time) < savedFor {
			return
		}
		if _, owned, err := j.inspect(name, headers, true); err != nil || owned {
			continue
		}
		if j.remove(path.Join(j.saved, name)) == nil {
			files, bytes = files-1, bytes-sizes[name]
		}
	}
}
