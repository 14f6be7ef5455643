package workspace

import (
	"errors"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"
)

// freeLooks is how many files of an answer are looked at on disk whatever is known: one
// look takes some 20 µs, so that they cost no answer a millisecond. It is also how many
// changed files are remembered by name.
const freeLooks = 16

// unrestTime is how long after the last sign of it a change on disk may still be going
// on: what the system tells of 1,000 files takes a quarter of a second to read.
const unrestTime = 2 * time.Second

// unrest is what is known of changes on disk that no view shows yet.
type unrest struct {
	mu    sync.Mutex // guards the rest
	last  time.Time  // the last sign
	paths []string   // at most freeLooks of them
	many  bool       // or any other
	blind bool       // the folder is to be watched, and not yet is
}

// noticed says that files, or folders with all they hold, may have changed on disk; nil
// that any may have.
func (d *changeState) noticed(paths []string) {
	w := d.w
	u, now := &w.changes.unrest, w.opts.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over(now) && !d.behind() {
		u.paths, u.many = nil, false
	}
	u.last = now
	if u.many = u.many || paths == nil || len(u.paths)+len(paths) > freeLooks; u.many {
		u.paths = nil
		return
	}
	u.paths = append(u.paths, paths...)
}

// unseen says whether changes on disk go unnoticed.
func (d *changeState) unseen(blind bool) {
	w := d.w
	w.changes.unrest.mu.Lock()
	defer w.changes.unrest.mu.Unlock()
	w.changes.unrest.blind = blind
}

func (u *unrest) over(now time.Time) bool { return now.Sub(u.last) > unrestTime }

// moving returns the files and folders that may have changed, or whether any may have.
func (d *changeState) moving() (paths []string, many bool) {
	w := d.w
	u := &w.changes.unrest
	u.mu.Lock()
	defer u.mu.Unlock()
	if d.behind() || !u.over(w.opts.Now()) {
		paths, many = u.paths, u.many
	}
	return paths[:len(paths):len(paths)], many || u.blind
}

// behind reports whether changes wait for a refresh, or are in one.
func (d *changeState) behind() bool {
	w := d.w
	w.changes.mu.Lock()
	defer w.changes.mu.Unlock()
	return w.changes.all || len(w.changes.paths) > 0 || w.changes.taken
}

// Standing tells of the files that one answer names whether they are still there. The
// view of an answer is older than the disk by the time that changes are collected, which
// during a checkout of git is all of it; a place in a file that is gone would open an
// error.
//
// All files of a short answer are looked at, of a long one only those of which a change
// is known, and all while git works, more than some files change, or the folder is not yet
// watched: a quiet folder costs an answer at most freeLooks looks. So a named file was there when the answer was
// made; but one that goes before the answer is read, or beyond the first freeLooks of an answer before the
// system told of it, is named.
//
// A Standing is for one goroutine.
type Standing struct {
	view  *View
	known map[string]bool
	paths []string // may have changed
	many  bool     // any may have
	asked bool     // whether git works
}

// Standing is for the files of one answer from the view.
func (v *View) Standing() *Standing { return &Standing{view: v, known: map[string]bool{}} }

// Has reports whether the file, by its workspace path, is there: open, or on disk.
func (s *Standing) Has(p string) bool {
	if _, open := s.view.buffers[p]; open {
		return true
	}
	there, looked := s.known[p]
	if !looked {
		there = !s.suspect(p) || s.view.ws.changes.has(p)
		s.known[p] = there
	}
	return there
}

// suspect reports whether the file is to be looked at.
func (s *Standing) suspect(p string) bool {
	if len(s.known) < freeLooks {
		return true
	}
	if !s.asked {
		s.asked = true
		s.paths, s.many = s.view.ws.changes.moving()
		s.many = s.many || s.view.ws.commits.gitBusy()
	}
	if s.many {
		return true
	}
	for _, changed := range s.paths {
		if p == changed || strings.HasPrefix(p, changed+"/") {
			return true
		}
	}
	return false
}

// has looks at the disk. What cannot be looked at is taken to be there.
func (d *changeState) has(p string) bool {
	w := d.w
	_, err := w.root.Lstat(p)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
