package texts

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// disk is a folder in memory that counts how often its files are read.
type disk struct {
	texts map[string]string
	reads int
}

func (d *disk) read(p string) (string, error) {
	d.reads++
	text, ok := d.texts[p]
	if !ok {
		return "", errors.New("no such file")
	}
	return text, nil
}

func get(t testing.TB, c *Cache, p, want string) {
	t.Helper()
	if got, err := c.Get(p); err != nil || got != want {
		t.Errorf("%s: %.40q, %v; want %.40q", p, got, err, want)
	}
}

func TestFileIsReadOnce(t *testing.T) {
	d := &disk{texts: map[string]string{"a/b.go": "b", "b.go": "other"}}
	c := New(d.read, Options{})
	for _, name := range []string{"a/b.go", "./a/b.go", "a//b.go", "a/./b.go", "a/x/../b.go", "a/b.go/"} {
		get(t, c, name, "b")
	}
	if want := (Stats{Hits: 5, Misses: 1, Entries: 1, Bytes: cost("a/b.go", "b")}); c.Stats() != want || d.reads != 1 {
		t.Errorf("%+v after %d reads, want %+v", c.Stats(), d.reads, want)
	}
	get(t, c, "b.go", "other")
	if _, err := c.Get("A/b.go"); err == nil {
		t.Error("names that differ in case are one file")
	}
}

func TestTextIsServedForItsTime(t *testing.T) {
	for _, c := range []struct {
		age   time.Duration
		ttl   time.Duration
		reads int
	}{
		{0, 0, 1}, {ttl - 1, 0, 1}, {ttl, 0, 2}, {ttl + 1, 0, 2}, {-1, 0, 2},
		{time.Second - 1, time.Second, 1}, {time.Second, time.Second, 2},
	} {
		d, now := &disk{texts: map[string]string{"a": "text"}}, start
		cache := New(d.read, Options{TTL: c.ttl, Now: func() time.Time { return now }})
		get(t, cache, "a", "text")
		now = now.Add(c.age)
		get(t, cache, "a", "text")
		if d.reads != c.reads {
			t.Errorf("at an age of %v of %v: read %d times, want %d", c.age, c.ttl, d.reads, c.reads)
		}
	}
}

// TestServingDoesNotProlong: the time counts from when the text was read.
func TestServingDoesNotProlong(t *testing.T) {
	d, now := &disk{texts: map[string]string{"a": "text"}}, start
	c := New(d.read, Options{TTL: 10 * time.Second, Now: func() time.Time { return now }})
	for range 21 {
		get(t, c, "a", "text")
		now = now.Add(time.Second)
	}
	if d.reads != 3 {
		t.Errorf("read %d times, want 3", d.reads)
	}
}

func TestLargeEntriesAreNotKept(t *testing.T) {
	for _, limit := range []int{0, 1000, 1001, entryCost} {
		half := limit / 2
		if limit == 0 {
			half = maxBytes / 2
		}
		for size, kept := range map[int]bool{half: true, half + 1: false} {
			text := strings.Repeat("x", max(size-cost("a", ""), 0))
			kept = kept && size >= cost("a", "")
			c := New((&disk{texts: map[string]string{"a": text}}).read, Options{MaxBytes: limit})
			get(t, c, "a", text)
			if got := c.Stats().Entries == 1; got != kept {
				t.Errorf("an entry of %d bytes of %d: kept %t", cost("a", text), limit, got)
			}
		}
	}
}

// TestOldestMakesRoom: three entries of a third fit exactly, one byte more does not.
func TestOldestMakesRoom(t *testing.T) {
	const third = 400
	text := strings.Repeat("x", third-cost("a", ""))
	for _, c := range []struct {
		limit, evicted int
		last           bool // whether the entry that was used last is still there
	}{{3 * third, 0, true}, {3*third - 1, 1, true}, {2 * third, 1, true}} {
		d := &disk{texts: map[string]string{"a": text, "b": text, "c": text}}
		cache := New(d.read, Options{MaxBytes: c.limit})
		for _, p := range []string{"a", "b", "a", "c"} {
			get(t, cache, p, text)
		}
		if s := cache.Stats(); s.Evicted != c.evicted || s.Bytes > c.limit {
			t.Errorf("limit %d: %+v", c.limit, s)
		}
		reads := d.reads
		get(t, cache, "a", text)
		if d.reads == reads != c.last {
			t.Errorf("limit %d: the entry used last is kept: %t", c.limit, !c.last)
		}
	}
}

func TestManyEmptyTextsAreBounded(t *testing.T) {
	c := New(func(string) (string, error) { return "", nil }, Options{MaxBytes: 100 * cost("0000", "")})
	for i := range 1000 {
		get(t, c, fmt.Sprintf("%04d", i), "")
	}
	if s := c.Stats(); s.Entries != 100 || s.Evicted != 900 {
		t.Errorf("%+v", s)
	}
}

func TestChangedFileIsReadAgain(t *testing.T) {
	d := &disk{texts: map[string]string{"a": "old", "b": "same"}}
	c := New(d.read, Options{})
	get(t, c, "a", "old")
	get(t, c, "b", "same")
	d.texts["a"] = "new"
	get(t, c, "a", "old")
	c.Invalidate("x/../a")
	get(t, c, "a", "new")
	get(t, c, "b", "same")
	if d.reads != 3 {
		t.Errorf("read %d times, want 3", d.reads)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	d := &disk{texts: map[string]string{}}
	c := New(d.read, Options{})
	for range 2 {
		if _, err := c.Get("a"); err == nil {
			t.Error("no error")
		}
	}
	d.texts["a"] = "there"
	get(t, c, "a", "there")
	if s := c.Stats(); s.Misses != 3 || s.Entries != 1 {
		t.Errorf("%+v", s)
	}
}

// slow is a file whose reading takes until it is let go; each reading gives another
// text.
type slow struct {
	reads atomic.Int32
	gate  chan struct{}
}

func (s *slow) read(string) (string, error) {
	n := s.reads.Add(1)
	<-s.gate
	return fmt.Sprint("reading ", n), nil
}

// TestReadingFromBeforeAChangeIsNotServedAfterIt: who asks after the change starts
// another reading, and only that one's text is kept.
func TestReadingFromBeforeAChangeIsNotServedAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{gate: make(chan struct{})}
		c := New(s.read, Options{})
		go get(t, c, "a", "reading 1")
		synctest.Wait()
		c.Invalidate("a")
		go get(t, c, "a", "reading 2")
		synctest.Wait()
		close(s.gate)
		synctest.Wait()
		get(t, c, "a", "reading 2")
		if n := s.reads.Load(); n != 2 {
			t.Errorf("%d readings", n)
		}
	})
}

// TestSafeForConcurrentUse: one goroutine changes the files and must see each change,
// while others read.
func TestSafeForConcurrentUse(t *testing.T) {
	var version atomic.Int64
	c := New(func(string) (string, error) { return fmt.Sprint(version.Load()), nil }, Options{MaxBytes: 2000})
	var tasks sync.WaitGroup
	for g := range 6 {
		tasks.Go(func() {
			for i := range 300 {
				p := fmt.Sprint("f", (i*7+g)%20)
				least := int64(0)
				if g == 0 {
					least = version.Add(1)
					c.Invalidate(p)
				}
				text, err := c.Get(p)
				if n, _ := strconv.ParseInt(text, 10, 64); err != nil || n < least {
					t.Errorf("version %q, %v; want %d or later", text, err, least)
				}
			}
		})
	}
	tasks.Wait()
	if s := c.Stats(); s.Hits+s.Misses != 1800 || s.Bytes > 2000 {
		t.Errorf("%+v", s)
	}
}

// model is what the cache does, in the simplest way.
type model struct {
	limit   int
	ttl     time.Duration
	entries []modelEntry // the one used last at the end
	stats   Stats
}

type modelEntry struct {
	path, text string
	at         time.Time
}

func (m *model) find(p string) int {
	return slices.IndexFunc(m.entries, func(e modelEntry) bool { return e.path == p })
}

func (m *model) bytes() (n int) {
	for _, e := range m.entries {
		n += cost(e.path, e.text)
	}
	return n
}

func (m *model) get(d *disk, name string, now time.Time) (string, bool) {
	p := path.Clean(name)
	if i := m.find(p); i >= 0 {
		e := m.entries[i]
		m.entries = slices.Delete(m.entries, i, i+1)
		if age := now.Sub(e.at); age >= 0 && age < m.ttl {
			m.entries = append(m.entries, e)
			m.stats.Hits++
			return e.text, true
		}
	}
	m.stats.Misses++
	text, ok := d.texts[p]
	if !ok || 2*cost(p, text) > m.limit {
		return text, ok
	}
	m.entries = append(m.entries, modelEntry{p, text, now})
	for m.bytes() > m.limit {
		m.entries = m.entries[1:]
		m.stats.Evicted++
	}
	return text, true
}

// FuzzModel does what bytes say, to the cache and to the model: each pair is an
// operation and a file.
func FuzzModel(f *testing.F) {
	f.Add([]byte("\x00a\x00b\x01a\x00a\x02\x00\x00a"), uint16(1000))
	f.Add([]byte(strings.Repeat("\x00a\x00b\x00c\x00d\x00e\x03\x10", 20)), uint16(700))
	f.Add([]byte("\x00a\x00\xff\x04b\x00b\x05b\x00b\x03\xff\x00a\x03\x00\x00a"), uint16(2047))
	f.Fuzz(func(t *testing.T, ops []byte, limit uint16) {
		now := start
		d := &disk{texts: map[string]string{}}
		c := New(d.read, Options{MaxBytes: int(limit), TTL: time.Minute, Now: func() time.Time { return now }})
		m := &model{limit: int(limit), ttl: time.Minute}
		if limit == 0 {
			m.limit = maxBytes
		}
		for ; len(ops) >= 2; ops = ops[2:] {
			p := fmt.Sprintf("d/../f%d", ops[1]%16)
			switch ops[0] % 8 {
			case 1:
				c.Invalidate(p)
				if i := m.find(path.Clean(p)); i >= 0 {
					m.entries = slices.Delete(m.entries, i, i+1)
				}
			case 3:
				now = now.Add(time.Duration(int8(ops[1])) * time.Second)
			case 4:
				d.texts[path.Clean(p)] = strings.Repeat("x", 7*int(ops[1]))
			case 5:
				delete(d.texts, path.Clean(p))
			default:
				want, ok := m.get(d, p, now)
				if got, err := c.Get(p); got != want || ok != (err == nil) {
					t.Fatalf("%s: %d bytes, %v; want %d", p, len(got), err, len(want))
				}
			}
			want := m.stats
			want.Entries, want.Bytes = len(m.entries), m.bytes()
			if c.Stats() != want || want.Bytes > m.limit || want.Misses != d.reads {
				t.Fatalf("%+v after %d reads, want %+v", c.Stats(), d.reads, want)
			}
		}
	})
}

// A file that changed is read again though nobody told.
func TestOtherStampIsReadAgain(t *testing.T) {
	d := &disk{texts: map[string]string{"a.go": "old"}}
	stamp := 1
	c := New(d.read, Options{Stamp: func(string) any { return stamp }})
	get(t, c, "a.go", "old")
	d.texts["a.go"] = "new"
	get(t, c, "a.go", "old")
	stamp++
	get(t, c, "a.go", "new")
	get(t, c, "a.go", "new")
	if d.reads != 2 {
		t.Errorf("%d reads, want 2", d.reads)
	}
}
