package codebase

import (
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
)

// sightings remember what files were like when they were read, so that a walk through
// an unchanged folder reads none. It is safe for concurrent use.
type sightings struct {
	mu    sync.Mutex
	files map[string]sighting // by path; guarded by mu
}

// sighting is a file's record, a time before it was read and the hash of what was read.
type sighting struct {
	file discover.File
	read time.Time
	hash [32]byte
}

// retrySlow is after how long a file is parsed again whose parse took too long: the
// machine may be less busy then.
const retrySlow = time.Minute

func (s *sightings) add(f discover.File, read time.Time, hash [32]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]sighting{}
	}
	s.files[f.Path] = sighting{f, read, hash}
}

// unchanged returns the chunk of a file that is, by its record, as it was when prev's
// chunk of it was made; nil if that is not sure.
func (s *sightings) unchanged(f discover.File, prev *RepoMap, now time.Time) *Chunk {
	if prev == nil {
		return nil
	}
	c, ok := prev.Chunk(f.Path)
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok := s.files[f.Path]
	if !ok || last.hash != c.rec.hash || !f.Same(last.file) || last.file.Racy(last.read) || c.rec.slow && now.Sub(last.read) > retrySlow {
		return nil
	}
	return c
}
