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
	// worthWriting is 1 / the share of new contents from which the file is written again. Writing takes 4 ms of
	// CPU for each megabyte (BenchmarkSave), which is some 250 contents; parsing a 64th of them takes as long.
	worthWriting = 64

	// stampWorth is how many paths with a new stamp count as one new content. For each, the next process has to
	// read the file, which takes a small part of the time for parsing it.
	stampWorth = 16
)

// Save writes new records if there are enough, together with the present content of the file. Then it forgets
// them, even if writing fails, since they can be made again. live reports whether a file belongs to the folder's
// code now. Data without such a file are kept for two weeks, as long as they are not larger than the data with
// one. They help when a branch is switched back.
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

// worth reports whether enough is new to write the file.
func worth(old *table, files map[string]*row, fresh int) bool {
	stamps := 0
	for p, r := range files {
		if was, ok := old.files[p]; !ok || was.stamp != r.stamp || was.stamp.doubtful(was.read) && !r.stamp.doubtful(r.read) {
			stamps++
		}
	}
	return fresh+stamps/stampWorth > len(old.contents)/worthWriting
}

// merge merges the content of the file and the new records. For each path, the record that was read later counts.
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

// keep marks live records as used now, and drops those that are too old or too many.
func (m *table) keep(live func(path string) bool, used map[[sha256.Size]byte]bool, now int64, limit int) {
	for h, c := range m.contents {
		if c.used = min(c.used, now-1); used[h] { // now stands for live records, so others must be below; the clock may have been set back
			c.used = now
		}
		m.contents[h] = c
	}
	room := 0 // reserved for the rows of live files, so that contents do not take all of it
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

// fit drops contents until the rest takes at most limit bytes, and contents without a file take at most as much as
// those with one. It returns the unused part of limit.
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
