package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxRecent bounds the changes that a snapshot remembers, and the paths of one: what is
// asked again between two keystrokes is some changes behind at most.
const maxRecent = 32

// delta is the difference between a snapshot and the one that it was made from.
type delta struct {
	from  uint64 // the edition of that one
	paths []string
}

// remember adds a change to those that made a snapshot; one of too much is a new beginning.
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

// Since lists, sorted, the paths that may hold something else than they did in an older
// snapshot. ok is false where that is not known: this one was not made from it, or long ago.
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

// The fingerprint is a hash over the hashes of stretches of the sorted list of entries, so
// that an edit costs the hash of one stretch. Where one begins depends on the paths alone:
// equal trees have equal stretches, however they came about.

// stretch is a part of the list, from one path up to where the next stretch begins.
type stretch struct {
	first string // "" for the first stretch
	sum   [sha256.Size]byte
}

// stretchesOf are the stretches of a snapshot.
type stretchesOf struct {
	edition uint64
	list    []stretch
}

// meanStretch is how many entries a stretch has on average: a list of 10,000 has some 150.
const meanStretch = 64

func beginsStretch(p string) bool { return crc32.ChecksumIEEE([]byte(p))%meanStretch == 0 }

// fingerprints are shared by snapshots that were made from one another: the last stretches
// that were made.
type fingerprints struct{ last atomic.Pointer[stretchesOf] }

func (s *Snapshot) hash() string {
	h := sha256.New()
	for _, r := range s.sums.stretches(s) {
		h.Write(r.sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stretches makes those of a snapshot, from the last ones where it is known what changed since.
func (f *fingerprints) stretches(s *Snapshot) []stretch {
	last := f.last.Load()
	if last == nil {
		last = &stretchesOf{}
	}
	paths, ok := s.since(last.edition)
	next := &stretchesOf{edition: s.edition}
	if ok && last.list != nil {
		next.list = rebuild(s.list, last.list, paths)
	} else {
		next.list = appendStretches(nil, "", s.list)
	}
	f.last.Store(next)
	return next.list
}

// rebuild makes those stretches of a list anew in which a path changed. Where the path that begins one
// is gone, it is a part of the one before.
func rebuild(list []*format.Entry, old []stretch, changed []string) (next []stretch) {
	dirty := make([]bool, len(old))
	for _, p := range changed {
		i := sort.Search(len(old), func(i int) bool { return old[i].first > p }) - 1
		dirty[i] = true
		if _, there := position(list, p); !there && i > 0 && old[i].first == p {
			dirty[i-1] = true
		}
	}
	for i := 0; i < len(old); i++ {
		if !dirty[i] {
			next = append(next, old[i])
			continue
		}
		first := old[i].first
		from, _ := position(list, first)
		for i+1 < len(old) && dirty[i+1] {
			i++
		}
		to := len(list)
		if i+1 < len(old) {
			to, _ = position(list, old[i+1].first)
		}
		next = appendStretches(next, first, list[from:to])
	}
	return next
}

// appendStretches appends the stretches of a part of the list, which begins with that of first.
func appendStretches(to []stretch, first string, list []*format.Entry) []stretch {
	h, lines, open := sha256.New(), []byte(nil), true
	end := func() {
		r := stretch{first: first}
		h.Reset()
		h.Write(lines)
		h.Sum(r.sum[:0])
		to, lines, open = append(to, r), lines[:0], false
	}
	for _, e := range list {
		if beginsStretch(e.Path) && e.Path != first {
			if open {
				end()
			}
			first, open = e.Path, true
		}
		lines = append(append(append(append(lines, e.Path...), 0), e.Hash...), '\n')
	}
	if open {
		end()
	}
	return to
}
