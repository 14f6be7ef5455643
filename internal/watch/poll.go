package watch

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// stamps is the result of a poll: the time and size of each followed path.
type stamps map[string]stamp

type stamp struct {
	size int64
	mod  time.Time
	kind fs.FileMode
}

// none stands for a system that has no watch left at all.
type none struct{}

func (none) Add(string) error    { return errLimit }
func (none) Remove(string) error { return nil }
func (none) Close() error        { return nil }

// fail records that something could not be watched. If the system's limit is the reason, polling begins.
func (w *Watcher) fail(pending *Batch, err error) {
	if err == nil {
		return
	}
	if errors.Is(err, errLimit) {
		if w.polled != nil {
			return
		}
		w.polled = w.stamps()
	}
	if pending.Err == nil {
		pending.Err = err
	}
}

// lose records that the watched folder is no longer at its path. Another one may be there already.
func (w *Watcher) lose(pending *Batch) {
	w.drop(".")
	pending.Rescan, w.removed = true, true
	w.regain(pending)
}

// regain watches the folder again if it exists.
func (w *Watcher) regain(pending *Batch) {
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		return
	}
	switch err := w.add(".", nil); {
	case err == nil || errors.Is(err, errLimit):
		w.removed, pending.Rescan = false, true
		w.fail(pending, err)
	case !errors.Is(err, fs.ErrNotExist):
		w.fail(pending, err)
	}
}

// look finds changes that the system does not report.
func (w *Watcher) look(pending *Batch) {
	switch {
	case w.removed:
		w.regain(pending)
	case !w.stands():
		w.lose(pending)
	}
	if w.polled == nil {
		return
	}
	last := w.polled
	w.polled = w.stamps()
	report := w.report(pending)
	for path, now := range w.polled {
		if before, ok := last[path]; !ok || before != now && !now.kind.IsDir() {
			report(path)
		}
	}
	for path := range last {
		if _, ok := w.polled[path]; !ok {
			report(path)
		}
	}
}

// stamps collects the stamps of all followed files.
func (f *folders) stamps() stamps {
	found := stamps{}
	f.stampFolder(".", found)
	for name, path := range f.outside {
		found.note(path, name)
	}
	for path := range f.files {
		found.note(path, f.absolute(path))
	}
	return found
}

func (f *folders) stampFolder(folder string, found stamps) {
	entries, err := os.ReadDir(f.absolute(folder))
	if err != nil {
		return // gone or unreadable: nothing to follow
	}
	for _, entry := range entries {
		path := entry.Name()
		if folder != "." {
			path = folder + "/" + path
		}
		if entry.IsDir() && f.ignore(path) {
			continue
		}
		found.note(path, f.absolute(path))
		if entry.IsDir() {
			f.stampFolder(path, found)
		}
	}
}

func (s stamps) note(path, name string) {
	if info, err := os.Lstat(name); err == nil {
		s[path] = stamp{info.Size(), info.ModTime(), info.Mode().Type()}
	}
}
