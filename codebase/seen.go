package codebase

import (
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/discover"
)

// sightings remembers the state of files when they were read, so that walking an unchanged folder reads no file.
// It is safe for concurrent use.
type sightings struct {
	mu    sync.Mutex
	files map[string]sighting // by path; guarded by mu
}

// sighting holds a file's record, a time before it was read, and the hash of its content.
type sighting struct {
	file discover.File
	read time.Time
	hash [32]byte
}

// retrySlow is the time after which a file whose parse took too long is parsed again, since the machine may be
// less busy then.
const retrySlow = time.Minute

func (s *sightings) add(f discover.File, read time.Time, hash [32]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]sighting{}
	}
	s.files[f.Path] = sighting{f, read, hash}
}

// unchanged returns prev's chunk of a file if the file's record shows that it has not changed since. It is nil if
// that is not certain.
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
