package workspace

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
)

// FileCheck tells of the files that one answer names whether they are still there. The
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
// A FileCheck is for one goroutine.
type FileCheck struct {
	view     *View
	known    map[string]bool
	paths    []string // may have changed
	many     bool     // any may have
	gitAsked bool     // whether git works
}

// FileCheck is for the files of one answer from the view.
func (v *View) FileCheck() *FileCheck { return &FileCheck{view: v, known: map[string]bool{}} }

// Has reports whether the file, by its workspace path, is there: open, or on disk.
func (s *FileCheck) Has(p string) bool {
	if _, open := s.view.buffers[p]; open {
		return true
	}
	there, looked := s.known[p]
	if !looked {
		there = !s.suspect(p) || s.exists(p)
		s.known[p] = there
	}
	return there
}

// suspect reports whether the file is to be looked at.
func (s *FileCheck) suspect(p string) bool {
	if len(s.known) < freeLooks {
		return true
	}
	if !s.gitAsked {
		s.gitAsked = true
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

// exists looks at the disk. What cannot be looked at is taken to be there.
func (s *FileCheck) exists(p string) bool {
	_, err := s.view.ws.root.Lstat(p)
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
