package records

import (
	"bytes"
	"os"
	"testing"
	"time"
)

func TestOneFileIsSaved(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	p.save(s, all)
	if _, err := os.Stat(p.dir); err == nil {
		t.Error("a folder was made for nothing")
	}
	put(s, 0, 0, 1)
	p.save(s, all)
	if a, _ := has(t, p.open(), 0, 0, 1); a != 1 {
		t.Errorf("%d found", a)
	}
}

func TestSavedAgainOnlyWhenMuchIsNew(t *testing.T) {
	const files = 640
	for _, c := range []struct {
		what    string
		change  func(s *Store)
		written bool
	}{
		{"nothing", func(*Store) {}, false},
		{"the same again", func(s *Store) { put(s, 0, 0, files) }, false},
		{"a 64th", func(s *Store) { put(s, 1, 0, 10) }, false},
		{"more than a 64th", func(s *Store) { put(s, 1, 0, 11) }, true},
		{"other stamps of some", func(s *Store) { touch(s, 160) }, false},
		{"other stamps of a quarter", func(s *Store) { touch(s, 176) }, true},
	} {
		p := newPlace(t)
		s := p.open()
		put(s, 0, 0, files)
		p.save(s, all)
		before, err := os.Stat(s.paths.Path())
		if err != nil {
			t.Fatal(err)
		}
		c.change(s)
		p.save(s, all)
		after, err := os.Stat(s.paths.Path())
		if err != nil {
			t.Fatal(err)
		}
		if os.SameFile(before, after) == c.written {
			t.Errorf("%s: written %t", c.what, !c.written)
		}
	}
}

func touch(s *Store, n int) {
	for i := range n {
		r := record(i, 0)
		r.Stamp.ModTime++
		s.Put(r)
	}
}

// TestStoresAddToEachOther: of two that opened at once and save one after the other,
// nothing is lost, and of a file the later reading counts.
func TestStoresAddToEachOther(t *testing.T) {
	for _, laterFirst := range []bool{false, true} {
		p := newPlace(t)
		a, b := p.open(), p.open()
		put(a, 0, 0, 100)  // 70..99 read at first
		put(b, 1, 70, 100) // and by another later
		put(b, 0, 100, 150)
		if laterFirst {
			a, b = b, a
		}
		p.save(a, all)
		p.save(b, all)
		s := p.open()
		if byStamp, byContent := has(t, s, 0, 0, 150); byStamp != 120 || byContent != 150 {
			t.Errorf("first texts: %d found by stamp, want 120; %d by content, want 150", byStamp, byContent)
		}
		if byStamp, byContent := has(t, s, 1, 70, 100); byStamp != 30 || byContent != 30 {
			t.Errorf("second texts: %d found by stamp, %d by content, want 30", byStamp, byContent)
		}
	}
}

// TestBranchSwitchedBackIsFound: contents that no file has are kept for two weeks.
func TestBranchSwitchedBackIsFound(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	put(s, 0, 0, 200)
	p.save(s, all)
	for _, c := range []struct {
		after time.Duration
		n     int
		found int
	}{
		{time.Hour, 1, 100}, {keepFor - 2*time.Hour, 2, 100}, {3 * time.Hour, 3, 0},
	} {
		p.add(c.after)
		put(s, c.n, 0, 100) // another branch, on which the rest is the same
		p.save(s, all)
		if _, got := has(t, p.open(), 0, 0, 100); got != c.found {
			t.Errorf("text %d: %d of the first texts found by content, want %d", c.n, got, c.found)
		}
		if got, _ := has(t, p.open(), 0, 100, 200); got != 100 {
			t.Errorf("text %d: %d of the files that stayed found, want 100", c.n, got)
		}
	}
}

func TestFilesThatAreGoneAreForgotten(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	put(s, 0, 0, 200)
	p.save(s, all)
	here := map[string]bool{}
	for i := 100; i < 300; i++ {
		here[record(i, 0).Path] = true
	}
	live := func(path string) bool { return here[path] }
	p.add(keepFor)
	put(s, 0, 200, 250)
	p.save(s, live)
	if byStamp, byContent := has(t, p.open(), 0, 0, 250); byStamp != 250 || byContent != 250 {
		t.Errorf("after two weeks %d found by stamp, %d by content", byStamp, byContent)
	}
	p.add(2 * time.Second)
	put(s, 0, 250, 300)
	p.save(s, live)
	if byStamp, byContent := has(t, p.open(), 0, 0, 300); byStamp != 200 || byContent != 200 {
		t.Errorf("then %d found by stamp, %d by content, want the 200 that are there", byStamp, byContent)
	}
}

func TestSizeIsBounded(t *testing.T) {
	big := func(i int) Record {
		r := record(i, 0)
		r.Data = bytes.Repeat([]byte{byte(i)}, 1000)
		return r
	}
	cost := contentSize + 1000 + rowSize + len(big(100).Path)
	for _, c := range []struct {
		what        string
		files, live int
		limit, want int
	}{
		{"all fit", 100, 100, 101 * cost, 100},
		{"some do not", 200, 200, 100 * cost, 89},
		{"what no file has is as much as what files have", 200, 80, 1000 * cost, 160},
		{"and goes first", 200, 80, 100 * cost, 102},
	} {
		p := newPlace(t)
		s := p.open()
		s.limit = c.limit
		for i := 100; i < 100+c.files; i++ {
			s.Put(big(i))
		}
		live := map[string]bool{}
		for i := 100; i < 100+c.live; i++ {
			live[big(i).Path] = true
		}
		p.save(s, func(p string) bool { return live[p] })
		got, gone := 0, 0
		saved := p.open()
		for i := 100; i < 100+c.files; i++ {
			if _, ok := saved.ByContent("x", big(i).Hash); ok {
				got++
			} else if live[big(i).Path] {
				gone++
			}
		}
		info, err := os.Stat(s.file.Path())
		if err != nil || info.Size() > int64(c.limit)+headerRoom {
			t.Errorf("%s: the file has %d bytes, %v", c.what, info.Size(), err)
		}
		if got < c.want-2 || got > c.want+2 || c.live < c.files && gone > 0 {
			t.Errorf("%s: %d contents kept, want about %d; %d live ones gone", c.what, got, c.want, gone)
		}
	}
}
