package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/codec"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// cachedDisk is a tree of some hundred old files whose cache is written.
func cachedDisk(t *testing.T, n int) (d disk, cacheFile string, o Options) {
	t.Helper()
	d = newDisk(t)
	for i := range n {
		p := fmt.Sprintf("d%d/t/e%d.md", i%7, i)
		d.write(p, fmt.Sprintf("---\ntitle: Entry %d\nrelated: [d%d/t/e%d.md]\n---\n# H\n[[e%d]]\n", i, (i+1)%7, i+1, i/2))
		d.age(p, time.Hour)
	}
	o.Cache = filepath.Join(t.TempDir(), "cache", "here")
	d.must(d.open(o).Close())
	found, _ := filepath.Glob(filepath.Join(o.Cache, "*"))
	if len(found) != 1 {
		t.Fatalf("files of the cache: %q", found)
	}
	return d, found[0], o
}

// hits opens the tree and says how many of its files the cache knew.
func (d disk) hits(o Options) (known int, s *tree.Snapshot) {
	d.t.Helper()
	store := d.open(o)
	c := newCache(o.Cache, o.Shared, store.root.Dir())
	c.load()
	kept := map[string]look{}
	c.take(kept)
	for p, seen := range store.seen {
		if kept[p].same(seen.stamp) {
			known++
		}
	}
	return known, store.Snapshot()
}

func TestCacheHoldsWhatWasRead(t *testing.T) {
	d, _, o := cachedDisk(t, 300)
	known, got := d.hits(o)
	if known != 300 {
		t.Errorf("the cache knows %d of 300 files", known)
	}
	if want := d.open(Options{}).Snapshot(); observe(got) != observe(want) {
		t.Error("with the cache the tree is another")
	}
}

// TestOtherWorkingTreesParseWhatDiffers: a tree that shares the cache with another one takes what has the same text, even where
// its times are the same and its text is not, and leaves the file as it is.
func TestOtherWorkingTreesParseWhatDiffers(t *testing.T) {
	d := newDisk(t)
	other := newDisk(t)
	at := time.Now().Add(-time.Hour)
	for i := range 300 {
		p := fmt.Sprintf("a/b/e%d.md", i)
		d.write(p, fmt.Sprintf("---\ntitle: Entry %d\n---\nText a.\n", i))
		text := fmt.Sprintf("---\ntitle: Entry %d\n---\nText a.\n", i)
		if i < 10 {
			text = fmt.Sprintf("---\ntitle: Entry %d\n---\nText b.\n", i)
		}
		other.write(p, text)
		d.must(os.Chtimes(d.at(p), at, at))
		d.must(os.Chtimes(other.at(p), at, at))
	}
	o := Options{Cache: filepath.Join(t.TempDir(), "cache"), Shared: "repository"}
	d.must(d.open(o).Close())
	found, _ := filepath.Glob(filepath.Join(o.Cache, "*"))
	before, err := os.ReadFile(found[0])
	d.must(err)
	store := other.open(o)
	if want := other.open(Options{}).Snapshot(); observe(store.Snapshot()) != observe(want) {
		t.Error("with the cache of another the tree is another")
	}
	d.must(store.Close())
	if after, err := os.ReadFile(found[0]); err != nil || string(after) != string(before) {
		t.Errorf("the cache was written again for 10 of 300 files: %v", err)
	}
	if known, _ := d.hits(o); known != 300 {
		t.Errorf("then the cache knows %d of 300 files", known)
	}
	c := newCache(o.Cache, o.Shared, "elsewhere")
	c.load()
	store = other.open(o)
	kept := c.take(map[string]look{})
	for p, same := range map[string]bool{"a/b/e20.md": true, "a/b/e5.md": false} {
		if read := store.load(file{path: p}, kept).entry; (read == entryOf(kept, p)) != same {
			t.Errorf("%s: what is kept is taken: %t", p, !same)
		}
	}
	d.must(store.Close())
}

func TestSmallTreesHaveNoCache(t *testing.T) {
	d := newDisk(t)
	d.write("a/b/c.md", "x")
	o := Options{Cache: filepath.Join(t.TempDir(), "cache")}
	d.must(d.open(o).Close())
	if _, err := os.Stat(o.Cache); err == nil {
		t.Error("a folder was made for the cache of one file")
	}
}

// TestCacheOfChangedFilesIsNotTrusted: another size, another time, and a time that
// says nothing, because it was young when the file was read.
func TestCacheOfChangedFilesIsNotTrusted(t *testing.T) {
	d, _, o := cachedDisk(t, 300)
	d.write("d0/t/e0.md", "# longer or shorter than it was")
	d.age("d0/t/e0.md", time.Hour)
	text, err := os.ReadFile(d.at("d1/t/e1.md"))
	d.must(err)
	d.write("d1/t/e1.md", string(text[:len(text)-2])+"x\n")
	d.age("d1/t/e1.md", 2*time.Hour)
	d.must(os.Remove(d.at("d2/t/e2.md")))
	known, got := d.hits(o)
	if known != 297 {
		t.Errorf("the cache knows %d files, want 297", known)
	}
	if observe(got) != observe(d.open(Options{}).Snapshot()) {
		t.Error("with the cache the tree is another")
	}
}

func TestYoungFilesAreNotCached(t *testing.T) {
	d, _, o := cachedDisk(t, 300)
	written := time.Now()
	for i := range 100 {
		p := fmt.Sprintf("d%d/t/e%d.md", i%7, i)
		d.write(p, "# Young")
		d.must(os.Chtimes(d.at(p), written.Add(-time.Second), written.Add(-time.Second)))
	}
	o.Now = func() time.Time { return written }
	d.must(d.open(o).Close())
	if known, _ := d.hits(o); known != 200 {
		t.Errorf("the cache knows %d files, want 200", known)
	}
	o.Now = func() time.Time { return written.Add(time.Minute) }
	d.must(d.open(o).Close())
	if known, _ := d.hits(o); known != 300 {
		t.Errorf("a minute later the cache knows %d files, want 300", known)
	}
}

func TestCacheIsRewrittenOnlyWhenMuchChanged(t *testing.T) {
	d, file, o := cachedDisk(t, 300)
	before, err := os.Stat(file)
	d.must(err)
	change := func(n int) bool {
		for i := range n {
			p := fmt.Sprintf("d%d/t/e%d.md", i%7, i)
			d.write(p, fmt.Sprint("# Changed ", n))
			d.age(p, time.Duration(n)*time.Minute)
		}
		d.must(d.open(o).Close())
		after, err := os.Stat(file)
		d.must(err)
		return !os.SameFile(before, after)
	}
	if change(10) {
		t.Error("the cache was written again for 10 of 300 files")
	}
	if !change(50) {
		t.Error("the cache was not written again for 50 of 300 files")
	}
}

// TestDamagedCacheChangesNothing cuts, flips and blanks the cache in 500 ways: each
// counts as no cache. Some of each way go through a store, whose tree is the same
// and which writes the cache anew.
func TestDamagedCacheChangesNothing(t *testing.T) {
	d, file, o := cachedDisk(t, worthCaching)
	good, err := os.ReadFile(file)
	d.must(err)
	want := d.open(Options{}).Snapshot().Fingerprint()
	rnd := rand.New(rand.NewSource(1))
	for trial := range 500 {
		bad := append([]byte{}, good...)
		at := rnd.Intn(len(bad))
		switch trial % 5 {
		case 0:
			bad = bad[:at]
		case 1:
			bad[at] ^= 1 << rnd.Intn(8)
		case 2:
			clear(bad[at:min(len(bad), at+1+rnd.Intn(4096))])
		case 3:
			bad = append(bad[:at:at], good[rnd.Intn(len(good)):]...)
		case 4:
			bad = append(bad, bad[:at]...)
		}
		if string(bad) == string(good) {
			continue
		}
		d.must(os.WriteFile(file, bad, 0o600))
		c := newCache(o.Cache, "", d.dir)
		if c.load(); c.base != nil {
			t.Fatalf("trial %d: a damaged cache is read", trial)
		}
		if trial%50 > 4 {
			continue // all ways of damage, some of them through the store
		}
		s := d.open(o)
		if s.Snapshot().Fingerprint() != want {
			t.Fatalf("trial %d: with a damaged cache the tree is another", trial)
		}
		d.must(s.Close())
		if again, err := os.ReadFile(file); err != nil || len(again) != len(good) {
			t.Fatalf("trial %d: the cache was not written anew: %d bytes for %d, %v", trial, len(again), len(good), err)
		}
	}
}

// TestWrongCacheIsHarmless: a cache that is whole but says something else, as one
// that another program wrote would, must not make anything panic.
func TestWrongCacheIsHarmless(t *testing.T) {
	d, file, o := cachedDisk(t, 300)
	newCache(o.Cache, "", d.dir).write(encodeCache(tree.NewSnapshot(nil, nil), d.dir, nil, time.Now())...)
	d.must(d.open(o).Close())
	if known, s := d.hits(o); s.Len() != 300 || known != 300 {
		t.Errorf("%d entries, %d known, want 300 of each: the empty cache was to be replaced", s.Len(), known)
	}
	d.must(os.Remove(file))
	d.must(os.Mkdir(file, 0o755))
	if _, s := d.hits(o); s.Len() != 300 {
		t.Errorf("%d entries, want 300", s.Len())
	}
}

// TestStoresShareACache: two processes on one tree, and two trees in one folder.
func TestStoresShareACache(t *testing.T) {
	d, _, o := cachedDisk(t, 300)
	other := newDisk(t)
	for i := range 300 {
		p := fmt.Sprintf("d0/t/e%d.md", i)
		other.write(p, "# Other")
		other.age(p, time.Hour)
	}
	a, b, c := d.open(o), d.open(o), other.open(o)
	d.must(a.Close())
	d.must(b.Close())
	d.must(c.Close())
	for _, x := range []disk{d, other} {
		known, s := x.hits(o)
		if known != 300 || observe(s) != observe(x.open(Options{}).Snapshot()) {
			t.Errorf("the cache knows %d of 300 files, or the tree is another", known)
		}
	}
}

func TestCacheWithoutAWritableFolder(t *testing.T) {
	d := newDisk(t)
	for i := range 300 {
		d.write(fmt.Sprintf("d/t/e%d.md", i), "x")
		d.age(fmt.Sprintf("d/t/e%d.md", i), time.Hour)
	}
	file := filepath.Join(t.TempDir(), "file")
	d.must(os.WriteFile(file, nil, 0o644))
	s := d.open(Options{Cache: filepath.Join(file, "below")})
	if err := s.Close(); err != nil || s.Snapshot().Len() != 300 {
		t.Errorf("closed with %v", err)
	}
}

// FuzzCache: no bytes make the reader of a cache panic.
func FuzzCache(f *testing.F) {
	index := cacheIndex{files: []indexed{{path: "a", length: 2}, {path: "b"}}}
	f.Add(codec.Append(nil, index.describe), []byte("ab"), []byte{})
	f.Add(codec.Append(nil, index.describe), []byte("a"), []byte{})
	entries := []*format.Entry{format.Parse("a/b/c.md", relationSample), format.Parse("a/b/context.md", relationSample)}
	s := tree.NewSnapshot(entries, nil)
	stamps := map[string]stamp{}
	for _, e := range s.Entries() {
		stamps[e.Path] = stamp{size: int64(len(e.Text))}
	}
	blocks := encodeCache(s, "/root", stamps, time.Now())
	if _, base := decodeCache([][]byte{blocks[0][0], slices.Concat(blocks[1]...), blocks[2][0]}); observe(base) != observe(s) {
		f.Error("the tree that is read is another")
	}
	f.Add(blocks[0][0], slices.Concat(blocks[1]...), blocks[2][0])
	f.Fuzz(func(t *testing.T, index, texts, relations []byte) { decodeCache([][]byte{index, texts, relations}) })
}

// relationSample mentions entries in every form.
const relationSample = `---
related: [a/b/c.md, A/B/F-G, a/b, a/d, a/b/g.md, a/none.md, ../out, "x:a/b.md"]
---
@a/b/c.md#H @a/x.md @b/c.md [c](c.md) [d](../d/e.md) [e](/a/d/e.md) [f](%63.md) [g](g.md) [[c]] [[e]] [[a/d/e|e]] [[none]]
`

// TestParserVersion: a cache has what parsing gave, so another parser needs another version. It is a constant, because
// parsing the samples takes as long as reading the cache of a small tree.
func TestParserVersion(t *testing.T) {
	var sample []*format.Entry
	for _, p := range []string{"a/b/c.md", "a/b/context.md", "a/b/f_g.md", "a/d/c.md", "a/d/e.md", "_archived/a/b/g.stub.md"} {
		sample = append(sample, format.Parse(p, relationSample))
	}
	sum := sha256.Sum256(tree.AppendRelations(parserSample(t), tree.NewSnapshot(sample, nil)))
	if want := hex.EncodeToString(sum[:8]); parserVersion != want {
		t.Errorf("parsing or resolving changed: set parserVersion to %q", want)
	}
}

// parserSample is the encoded result of parsing texts that use every construct. If two parsers differ, their samples
// differ too.
func parserSample(t *testing.T) (out []byte) {
	data, err := os.ReadFile(filepath.Join("..", "format", "testdata", "everything.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := string(data)
	for _, p := range []string{"a/b/c.md", "a/b/context.md"} {
		for _, text := range []string{
			all, strings.ReplaceAll(all, "\n", "\r\n"), all[:len(all)/2], "# Title\n" + all,
			strings.ReplaceAll(all, "\n## ", "\n### "),
			"<<<<<<< a\n" + all + "=======\n>>>>>>> b\n",
		} {
			out = format.AppendEntry(out, format.Parse(p, text))
		}
	}
	return out
}
