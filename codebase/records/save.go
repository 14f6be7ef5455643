package records

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
)

const (
	// worthKeeping is from how many contents there is a file: fewer are parsed in less
	// than a tenth of a second, at about a millisecond each.
	worthKeeping = 64

	// worthWriting is which part of the contents must be new for the file to be written
	// again. Writing takes 4 ms of CPU a megabyte (BenchmarkSave), which is some 250
	// contents: a 64th of them take as long to parse.
	worthWriting = 64

	// stampWorth is how many paths with a new stamp count as one new content: each costs
	// the next process the reading of the file, which takes a small part of parsing it.
	stampWorth = 16
)

// Save writes what was put if that is much, together with what the file holds by now,
// and forgets what was put then, also where writing fails: it can be made again. Live
// reports whether a file belongs to the folder's code as of now. What belongs to no
// such file is kept for two weeks, as long as it is not larger than what does; it
// serves when a branch is switched back.
func (s *Store) Save(live func(path string) bool) error {
	if s == nil {
		return nil
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	old := s.table()
	s.mu.RLock()
	files, fresh, used := maps.Clone(s.files), maps.Clone(s.fresh), maps.Clone(s.used)
	s.mu.RUnlock()
	if !worth(old, files, len(fresh)) {
		return nil
	}
	m := merge(s.read(), files, fresh)
	m.keep(live, used, s.now().Unix(), s.limit)
	var err error
	if len(fresh) > 0 {
		err = s.file.Write(s.version, m.blocks()...)
		if err == nil && s.origin != "" {
			err = s.clones().Write(s.version, cachefile.Block{[]byte(s.file.Name())})
		}
	}
	if len(files) > 0 {
		err = errors.Join(err, s.paths.Write(s.version, m.rows()))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = nil
	maps.DeleteFunc(s.files, func(p string, r *row) bool { return r == files[p] })
	maps.DeleteFunc(s.fresh, func(h [sha256.Size]byte, c *content) bool { return c == fresh[h] })
	return err
}

// worth reports whether so much is new that the file is to be written.
func worth(old *table, files map[string]*row, fresh int) bool {
	if len(old.contents) == 0 {
		return fresh >= worthKeeping
	}
	stamps := 0
	for p, r := range files {
		if was, ok := old.files[p]; !ok || was.stamp != r.stamp || was.stamp.doubtful(was.read) && !r.stamp.doubtful(r.read) {
			stamps++
		}
	}
	return fresh+stamps/stampWorth > len(old.contents)/worthWriting
}

// merge puts together what the file holds and what was put. Of a path the one that
// was read later counts.
func merge(t *table, files map[string]*row, fresh map[[sha256.Size]byte]*content) *table {
	m := &table{files: make(map[string]row, len(t.files)+len(files))}
	m.contents = make(map[[sha256.Size]byte]content, len(t.contents)+len(fresh))
	maps.Copy(m.files, t.files)
	maps.Copy(m.contents, t.contents)
	for p, r := range files {
		if was, ok := m.files[p]; !ok || was.read <= r.read {
			m.files[p] = *r
		}
	}
	for h, c := range fresh {
		put := *c
		if put.blob == ([sha256.Size]byte{}) {
			put.blob = m.contents[h].blob
		}
		m.contents[h] = put
	}
	return m
}

// keep marks what is live as used now, and drops what is too old or too much.
func (m *table) keep(live func(path string) bool, used map[[sha256.Size]byte]bool, now int64, limit int) {
	for h, c := range m.contents {
		if c.used = min(c.used, now-1); used[h] { // below, now means live; and the clock may have been set back
			c.used = now
		}
		m.contents[h] = c
	}
	room := 0 // for the rows of live files, so that contents do not take it all
	for p, r := range m.files {
		r.used = min(r.used, now-1)
		if live(p) {
			room += rowSize + len(p)
			r.used = now
			if c, ok := m.contents[r.hash]; ok {
				c.used = now
				m.contents[r.hash] = c
			}
		}
		m.files[p] = r
	}
	oldest := now - int64(keepFor.Seconds())
	maps.DeleteFunc(m.contents, func(_ [sha256.Size]byte, c content) bool { return c.used < oldest })
	room = min(room, limit/4)
	left := m.fit(now, limit-room) + room
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		r := m.files[p]
		_, known := m.contents[r.hash]
		if cost := rowSize + len(p); known && r.used >= oldest && cost <= left {
			left -= cost
			continue
		}
		delete(m.files, p)
	}
}

// fit drops contents until the rest takes at most limit bytes, and what no file has
// at most as much as what files have. It returns what is left of the limit.
func (m *table) fit(now int64, limit int) (left int) {
	order := slices.SortedFunc(maps.Keys(m.contents), func(a, b [sha256.Size]byte) int {
		return cmp.Or(cmp.Compare(m.contents[b].used, m.contents[a].used), bytes.Compare(a[:], b[:]))
	})
	left = limit
	inUse, unused := 0, 0
	for _, h := range order {
		c := m.contents[h]
		cost := contentSize + len(c.data)
		switch {
		case cost > left, c.used < now && unused+cost > inUse:
			delete(m.contents, h)
			continue
		case c.used < now:
			unused += cost
		default:
			inUse += cost
		}
		left -= cost
	}
	return left
}
