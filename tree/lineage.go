package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// maxRecent bounds the changes that a snapshot remembers, and the paths of one. Callers ask again between two
// keystrokes, so they are only a few changes behind.
const maxRecent = 32

// delta is the difference between a snapshot and the one that it was made from.
type delta struct {
	from  uint64 // the edition of that one
	paths []string
}

// remember adds a change to the history of a snapshot. A change that is too large restarts the history.
func remember(recent []delta, from uint64, steps []step) []delta {
	if len(steps) > maxRecent {
		return nil
	}
	c := delta{from: from, paths: make([]string, len(steps))}
	for i := range steps {
		c.paths[i] = steps[i].path
	}
	kept := recent[max(0, len(recent)+1-maxRecent):]
	return append(append(make([]delta, 0, len(kept)+1), kept...), c)
}

// Since lists, sorted, the paths that may have changed since an older snapshot. ok is false if that is
// unknown: this snapshot was not made from it, or too many changes ago.
func (s *Snapshot) Since(old *Snapshot) (paths []string, ok bool) {
	if old == nil {
		return nil, false
	}
	return s.since(old.edition)
}

func (s *Snapshot) since(edition uint64) (paths []string, ok bool) {
	if s.edition == edition {
		return nil, true
	}
	for i := len(s.recent) - 1; i >= 0; i-- {
		paths = append(paths, s.recent[i].paths...)
		if s.recent[i].from == edition {
			slices.Sort(paths)
			return slices.Compact(paths), true
		}
	}
	return nil, false
}

// hash makes the fingerprint: of 10,000 entries it takes a millisecond or two.
func (s *Snapshot) hash() string {
	h, line := sha256.New(), []byte(nil)
	for _, e := range s.list {
		line = append(append(append(append(line[:0], e.Path...), 0), e.Hash...), '\n')
		h.Write(line)
	}
	sum := sha256.Sum256(h.Sum(nil))
	return hex.EncodeToString(sum[:])
}
