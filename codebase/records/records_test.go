package records

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// start is the time of the tests, and old a time of files that is no reason to doubt.
var (
	start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	old   = start.Add(-time.Hour).UnixNano()
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// place is a cache folder for one project.
type place struct {
	t   testing.TB
	dir string
	*clock
}

func newPlace(t testing.TB) place {
	return place{t, filepath.Join(t.TempDir(), "cache"), &clock{now: start}}
}

func (p place) open() *Store {
	return open(p.dir, Project{Root: "/project", Repository: "/repository"}, "v1", p.time)
}

func (p place) save(s *Store, live func(string) bool) {
	p.t.Helper()
	if err := s.Save(live); err != nil {
		p.t.Fatal(err)
	}
}

func all(string) bool { return true }

// record is that of the i-th file with the n-th text.
func record(i, n int) Record {
	text := fmt.Sprintf("text %d of file %d", n, i)
	return Record{
		Path:  fmt.Sprintf("d%d/f%d.go", i%7, i),
		Stamp: Stamp{Size: int64(len(text)), ModTime: old + int64(n), Change: old + int64(n), Inode: uint64(i)},
		Read:  start.UnixNano() + int64(n),
		Hash:  Sum("go", []byte(text)),
		Data:  []byte("read of " + text),
	}
}

func put(s *Store, n, from, to int) {
	for i := from; i < to; i++ {
		s.Put(record(i, n))
	}
}

func equal(a, b Record) bool {
	return a.Path == b.Path && a.Stamp == b.Stamp && a.Read == b.Read && a.Hash == b.Hash && bytes.Equal(a.Data, b.Data)
}

// has counts the files from one to before another whose n-th text a store knows.
func has(t testing.TB, s *Store, n, from, to int) (byStamp, byContent int) {
	t.Helper()
	for i := from; i < to; i++ {
		want := record(i, n)
		if got, ok := s.ByStamp(want.Path, want.Stamp); ok {
			byStamp++
			if !equal(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		if got, ok := s.ByContent("another/path", want.Hash); ok {
			byContent++
			if got.Path != "another/path" || got.Hash != want.Hash || !bytes.Equal(got.Data, want.Data) || got.Stamp != (Stamp{}) {
				t.Errorf("%+v, want the data of %+v", got, want)
			}
		}
	}
	return byStamp, byContent
}

func TestWhatIsPutIsFoundBeforeAndAfterItIsSaved(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	put(s, 0, 0, 100)
	check := func(what string, s *Store) {
		t.Helper()
		if a, b := has(t, s, 0, 0, 110); a != 100 || b != 100 {
			t.Errorf("%s: %d found by stamp, %d by content, want 100 of each", what, a, b)
		}
	}
	check("before", s)
	p.save(s, all)
	check("after", s)
	check("anew", p.open())
	s.Release()
	check("released", s)
	if len(s.files)+len(s.fresh) > 0 {
		t.Error("what is saved is still kept beside")
	}
}

func TestOnlyTheSameStampIsTrusted(t *testing.T) {
	second := int64(time.Second)
	r := record(1, 0)
	for _, c := range []struct {
		what   string
		change func(put *Record, asked *Stamp)
		found  bool
	}{
		{"the same", func(*Record, *Stamp) {}, true},
		{"another size", func(_ *Record, st *Stamp) { st.Size++ }, false},
		{"another time", func(_ *Record, st *Stamp) { st.ModTime++ }, false},
		{"an earlier time", func(_ *Record, st *Stamp) { st.ModTime-- }, false},
		{"another change", func(_ *Record, st *Stamp) { st.Change++ }, false},
		{"another file in its place", func(_ *Record, st *Stamp) { st.Inode++ }, false},
		{"no more than a size and a time", func(r *Record, st *Stamp) { st.Change, st.Inode = 0, 0; r.Stamp = *st }, true},
		{"read 2 s after it was written", func(r *Record, st *Stamp) { r.Read = st.ModTime + 2*second }, true},
		{"read just less after", func(r *Record, st *Stamp) { r.Read = st.ModTime + 2*second - 1 }, false},
		{"read before it was written", func(r *Record, st *Stamp) { r.Read = st.ModTime - second }, false},
		{"set to an old time just before it was read", func(r *Record, st *Stamp) { st.Change = r.Read; r.Stamp = *st }, false},
		{"a time beyond all", func(r *Record, st *Stamp) { st.ModTime = 1<<63 - 1; r.Stamp = *st }, false},
	} {
		put, asked := r, r.Stamp
		c.change(&put, &asked)
		p := newPlace(t)
		s := p.open()
		for i := range 64 {
			s.Put(record(i+10, 0))
		}
		s.Put(put)
		for range 2 {
			if _, ok := s.ByStamp(r.Path, asked); ok != c.found {
				t.Errorf("%s: found %t", c.what, ok)
			}
			if _, ok := s.ByContent(r.Path, r.Hash); !ok {
				t.Errorf("%s: not found by content", c.what)
			}
			p.save(s, all)
		}
	}
}

func TestOtherVersionsAndFoldersAreOthers(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	put(s, 0, 0, 100)
	p.save(s, all)
	for _, other := range []*Store{Open(p.dir, Project{Root: "/project", Repository: "/repository"}, "v2"), Open(p.dir, Project{Root: "/other", Repository: "/other"}, "v1"), Open("", Project{Root: "/project", Repository: "/repository"}, "v1"), nil} {
		if a, b := has(t, other, 0, 0, 100); a+b > 0 {
			t.Errorf("%d found by stamp, %d by content", a, b)
		}
	}
	if a, _ := has(t, Open(p.dir, Project{Root: "/project", Repository: "/repository"}, "v1"), 0, 0, 100); a != 100 {
		t.Errorf("%d found", a)
	}
}

func TestNoStoreIsEmptyAndStaysSo(t *testing.T) {
	s := Open("", Project{Root: "/project", Repository: "/repository"}, "v1")
	put(s, 0, 0, 100)
	if err := s.Save(all); err != nil {
		t.Error(err)
	}
	s.Release()
	if a, b := has(t, s, 0, 0, 100); a+b > 0 {
		t.Errorf("%d found by stamp, %d by content", a, b)
	}
}

func TestTheKindIsPartOfTheContent(t *testing.T) {
	if Sum("a", []byte("bc")) == Sum("ab", []byte("c")) || Sum("c", nil) == Sum("cpp", nil) {
		t.Error("two kinds of the same text are one content")
	}
}

func TestTooMuchDataIsNotKept(t *testing.T) {
	s := newPlace(t).open()
	r := record(1, 0)
	for size, kept := range map[int]bool{maxData: true, maxData + 1: false} {
		r.Data = make([]byte, size)
		r.Hash = Sum("", r.Data)
		s.Put(r)
		if _, ok := s.ByContent("x", r.Hash); ok != kept {
			t.Errorf("%d bytes: kept %t", size, ok)
		}
	}
}

// TestDamagedFileIsEmptyAndReplaced; that every damage is seen is tested with package
// cachefile.
func TestDamagedFileIsEmptyAndReplaced(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	put(s, 0, 0, 100)
	p.save(s, all)
	whole, err := os.ReadFile(s.file.Path())
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{
		"empty": nil, "cut": whole[:len(whole)/2], "zeros": make([]byte, len(whole)),
		"doubled": append(bytes.Clone(whole), whole...), "text": []byte("not a cache"),
	} {
		if err := os.WriteFile(s.file.Path(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := p.open()
		if a, b := has(t, s, 0, 0, 100); a+b > 0 {
			t.Errorf("%s: %d found by stamp, %d by content", what, a, b)
		}
		put(s, 0, 0, 100)
		p.save(s, all)
		if a, b := has(t, p.open(), 0, 0, 100); a != 100 || b != 100 {
			t.Errorf("%s: then %d found by stamp, %d by content", what, a, b)
		}
	}
}

func TestWithoutAWritableFolderNothingIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(filepath.Join(file, "below"), Project{Root: "/project", Repository: "/repository"}, "v1")
	put(s, 0, 0, 100)
	if s.Save(all) == nil {
		t.Error("saved to nowhere")
	}
	if len(s.files)+len(s.fresh) > 0 {
		t.Error("what cannot be saved piles up")
	}
}

// TestRandomUseIsNeverWrong compares stores that put, save, release and open anew in
// any order with what was put: a record may be missing, never another.
func TestRandomUseIsNeverWrong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	p := newPlace(t)
	stores := []*Store{p.open(), p.open(), p.open()}
	found := 0
	for range 5_000 {
		k := rnd.IntN(len(stores))
		i, n := rnd.IntN(300), rnd.IntN(4)
		switch op := rnd.IntN(100); {
		case op < 50:
			stores[k].Put(record(i, n))
		case op < 98:
			a, b := has(t, stores[k], n, i, i+1)
			found += a + b
		default:
			p.add(time.Hour)
			p.save(stores[k], func(path string) bool { return len(path)%2 == 0 })
			if op == 99 {
				stores[k] = p.open()
			}
		}
	}
	if found < 800 {
		t.Errorf("only %d found", found)
	}
}

// TestStoresAreUsedAtOnce: several of one project, each by several goroutines. What one of them wrote, another that read the file before may
// write over: it is read anew. No file has fewer contents than are worth one.
func TestStoresAreUsedAtOnce(t *testing.T) {
	p := newPlace(t)
	var tasks sync.WaitGroup
	for k := range 3 {
		s := p.open()
		for g := range 2 {
			tasks.Go(func() {
				for round := range 6 {
					put(s, g, 100*k, 100*k+150)
					has(t, s, 1-g, 0, 300)
					if err := s.Save(all); err != nil {
						t.Error(err)
					}
					if round%2 == 0 {
						s.Release()
					}
				}
			})
		}
	}
	tasks.Wait()
	last := p.open()
	_, one := has(t, last, 0, 0, 450)
	_, other := has(t, last, 1, 0, 450)
	if one+other < 64 {
		t.Errorf("%d and %d contents found", one, other)
	}
	if left, _ := os.ReadDir(p.dir); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}

// TestOtherWorkingTreesFindWhatTheIndexNames: a content that was put by the name of git's index needs no row of a path, is
// found by name, kind and size, and in the files of its repository alone.
func TestOtherWorkingTreesFindWhatTheIndexNames(t *testing.T) {
	p := newPlace(t)
	named := func(i int) Record {
		r := record(i, 0)
		r.Blob = BlobKey("go", fmt.Sprint("name", i), r.Stamp.Size)
		return r
	}
	s := p.open()
	for i := range 100 {
		s.Put(named(i))
	}
	p.save(s, all)
	if _, err := os.Stat(s.paths.Path()); !os.IsNotExist(err) {
		t.Errorf("paths are kept that the index answers for: %v", err)
	}
	for what, c := range map[string]struct {
		repository string
		key        func(i int) [32]byte
		found      bool
	}{
		"in another working tree": {"/repository", func(i int) [32]byte { return named(i).Blob }, true},
		"in another repository":   {"/other", func(i int) [32]byte { return named(i).Blob }, false},
		"of another kind":         {"/repository", func(i int) [32]byte { return BlobKey("c", fmt.Sprint("name", i), named(i).Stamp.Size) }, false},
		"of another size":         {"/repository", func(i int) [32]byte { return BlobKey("go", fmt.Sprint("name", i), named(i).Stamp.Size+2) }, false},
		"by no name":              {"/repository", func(int) (none [32]byte) { return none }, false},
	} {
		s := open(p.dir, Project{Root: "/another", Repository: c.repository}, "v1", p.time)
		for i := range 100 {
			if got, ok := s.ByBlob("x", c.key(i)); ok != c.found || ok && !bytes.Equal(got.Data, named(i).Data) {
				t.Errorf("%s: %+v, %t", what, got, ok)
			}
		}
	}
	// What another working tree uses is used, though no path of this one leads to it.
	p.add(keepFor + time.Hour)
	s = open(p.dir, Project{Root: "/another", Repository: "/repository"}, "v1", p.time)
	for i := range 50 {
		s.ByBlob("x", named(i).Blob)
	}
	put(s, 1, 200, 300)
	p.save(s, all)
	if _, got := has(t, p.open(), 0, 0, 100); got != 50 {
		t.Errorf("after two weeks %d contents are kept, want the 50 that were asked for", got)
	}
}

// TestClonesBorrowByContentAlone: a clone takes what its origin, or another clone of that, has of a text by the text's hash, and
// keeps it as its own; no name of git's index leads there, and the file of the origin stays as it is.
func TestClonesBorrowByContentAlone(t *testing.T) {
	p := newPlace(t)
	open := func(repository, origin string) *Store {
		return open(p.dir, Project{Root: repository, Repository: repository + "/.git\x00", Origin: origin}, "v1", p.time)
	}
	key := func(i int) [32]byte { return BlobKey("go", fmt.Sprint("name", i), 1) }
	origin := open("/origin", "https://example.org/x.git")
	for i := range 100 {
		r := record(i, 0)
		r.Blob = key(i)
		origin.Put(r)
	}
	p.save(origin, all)
	before, err := os.ReadFile(origin.file.Path())
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		clone, origin string
		want          int
	}{
		"a clone by path":        {"/clone", "/origin", 100},
		"a clone by address":     {"/twin", "https://example.org/x.git", 100},
		"of another origin":      {"/stranger", "/other", 0},
		"of none":                {"/alone", "", 0},
		"of what is no clone":    {"/odd", "../../etc", 0},
		"of the cache's own ...": {"/odd2", "code-0123456789abcdef.cache", 0},
	} {
		s := open(c.clone, c.origin)
		if byStamp, byContent := has(t, s, 0, 0, 100); byStamp != 0 || byContent != c.want {
			t.Errorf("%s: %d found by stamp, %d by content, want %d", what, byStamp, byContent, c.want)
		}
		if _, ok := s.ByBlob("x", key(1)); ok {
			t.Errorf("%s: a name leads to what another repository has", what)
		}
		if c.want == 0 {
			continue
		}
		put(s, 0, 0, 80)
		p.save(s, all)
		if _, got := has(t, open(c.clone, ""), 0, 0, 100); got != 80 {
			t.Errorf("%s: %d are its own, want 80", what, got)
		}
	}
	if after, err := os.ReadFile(origin.file.Path()); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file of the origin was written: %v", err)
	}
}
