package retrieval

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// randomTree is a snapshot of random entries.
func randomTree(r *rand.Rand, n int) (*tree.Snapshot, map[string]*format.Entry) {
	entries := map[string]*format.Entry{}
	for i := range n {
		p := fmt.Sprintf("d%d/t%d/e%d.md", i%5, i%7, i)
		entries[p] = randomEntry(r, p)
	}
	return snapshot(entries), entries
}

// sameAnswers compares an index with one built from scratch.
func sameAnswers(t *testing.T, x *Index) {
	t.Helper()
	y := indexOf(t, x.snap)
	for _, q := range probes {
		if a, b := search(t, x, q), search(t, y, q); !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v:\n%+v\n%+v", q, a, b)
		}
	}
}

// openSaved opens a snapshot with a cache and reports whether the saved base served.
func openSaved(t *testing.T, folder string, snap *tree.Snapshot) (*Index, bool) {
	t.Helper()
	saved, _, _ := savedBase(savedFile(folder, ""), searchable(snap.Entries()))
	r := NewEager(Options{Cache: folder})
	defer r.Close()
	x, err := r.Sync(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return x, saved != nil
}

// savedBlocks are the blocks of a saved base.
func savedBlocks(t testing.TB, snap *tree.Snapshot) [][]byte {
	t.Helper()
	b, docs, err := buildBase(context.Background(), searchable(snap.Entries()))
	if err != nil {
		t.Fatal(err)
	}
	file := savedFile(t.TempDir(), "")
	if err := b.save(file, docs); err != nil {
		t.Fatal(err)
	}
	blocks, err := file.Read(savedVersion(), maxSaved)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

func TestSavedIndexServes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	folder := filepath.Join(t.TempDir(), "not/there/yet")
	snap, entries := randomTree(r, 60)
	if _, served := openSaved(t, folder, snap); served {
		t.Error("an index came from nowhere")
	}
	x, served := openSaved(t, folder, snap)
	if !served || len(x.dead) > 0 || len(x.delta.lists) > 0 {
		t.Errorf("the saved index serves: %v; dead %v", served, x.dead)
	}
	sameAnswers(t, x)
	for range 10 { // the tree has changed between two processes
		edit(r, entries)
		x, served := openSaved(t, folder, snapshot(entries))
		if !served {
			t.Error("the saved index does not serve")
		}
		sameAnswers(t, x)
	}
	other, _ := randomTree(r, 40)
	x, _ = openSaved(t, folder, other)
	sameAnswers(t, x)
	if _, _, err := savedBase(savedFile(folder, "/another/project"), nil); err == nil {
		t.Error("one project's index serves another")
	}
}

func TestSmallTreesAreNotSaved(t *testing.T) {
	folder := t.TempDir()
	r, err := New(Options{Cache: folder})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Sync(t.Context(), snapshotOf("a/b/c.md", "alpha")); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if found, _ := os.ReadDir(folder); len(found) > 0 {
		t.Errorf("%v", found)
	}
}

// TestDamagedIndexIsRebuilt damages the saved file and what surrounds it.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	snap, _ := randomTree(rand.New(rand.NewPCG(7, 8)), 6)
	blocks := savedBlocks(t, snap)
	name := func(folder string) string { return savedFile(folder, "").Path() }
	for what, damage := range map[string]func(folder string) error{
		"nothing":         func(string) error { return nil },
		"empty":           func(d string) error { return os.WriteFile(name(d), nil, 0o600) },
		"text":            func(d string) error { return os.WriteFile(name(d), []byte("not an index"), 0o600) },
		"other version":   func(d string) error { return writeBlocks(d, "another", blocks) },
		"blocks missing":  func(d string) error { return writeBlocks(d, savedVersion(), blocks[:1]) },
		"a folder":        func(d string) error { return os.MkdirAll(filepath.Join(name(d), "x"), 0o700) },
		"a link":          func(d string) error { return os.Symlink(filepath.Join(d, "nowhere"), name(d)) },
		"garbage inside":  func(d string) error { return writeBlocks(d, savedVersion(), spoilt(blocks)) },
		"a file as cache": func(d string) error { os.RemoveAll(d); return os.WriteFile(d, nil, 0o600) },
	} {
		folder := filepath.Join(t.TempDir(), "cache")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := damage(folder); err != nil {
			if runtime.GOOS == "windows" {
				continue // links take a privilege
			}
			t.Fatal(err)
		}
		x, _ := openSaved(t, folder, snap)
		if what == "garbage inside" {
			// Found out by the first search; the next Sync starts anew.
			x, _ = reopened(t, folder, snap)
		}
		sameAnswers(t, x)
		x, _ = openSaved(t, folder, snap)
		sameAnswers(t, x)
	}
}

// reopened asks an index until it is found to be damaged, and syncs again.
func reopened(t *testing.T, folder string, snap *tree.Snapshot) (*Index, bool) {
	t.Helper()
	r := NewEager(Options{Cache: folder})
	defer r.Close()
	x, err := r.Sync(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range probes {
		x.Search(t.Context(), q)
	}
	damaged := x.base.damaged.Load()
	x, err = r.Sync(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return x, damaged
}

func writeBlocks(folder, version string, blocks [][]byte) error {
	var out []cachefile.Block
	for _, b := range blocks {
		out = append(out, cachefile.Block{b})
	}
	return savedFile(folder, "").Write(version, out...)
}

// spoilt has garbage in the postings.
func spoilt(blocks [][]byte) [][]byte {
	out := slices.Clone(blocks)
	segment := bytes.Clone(out[1])
	for i := len(segment) / 4; i < len(segment)*3/4; i++ {
		segment[i] = byte(i * 7)
	}
	out[1] = segment
	return out
}

func TestUnwritableCache(t *testing.T) {
	snap, _ := randomTree(rand.New(rand.NewPCG(9, 10)), 4)
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(folder, 0o700) })
	x, _ := openSaved(t, folder, snap)
	sameAnswers(t, x)
}

// TestProcessesShareACache lets several save and open at once, of two states of the
// tree: each is answered from its own.
func TestProcessesShareACache(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	folder := t.TempDir()
	first, entries := randomTree(r, 40)
	edit(r, entries)
	states := []*tree.Snapshot{first, snapshot(entries)}
	found := make([]*Index, 12)
	var tasks sync.WaitGroup
	for i := range found {
		tasks.Go(func() {
			p := NewEager(Options{Cache: folder})
			defer p.Close()
			x, err := p.Sync(context.Background(), states[i%2])
			if err != nil {
				t.Error(err)
			}
			found[i] = x
		})
	}
	tasks.Wait()
	for _, x := range found {
		sameAnswers(t, x)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// FuzzParseBase leaves the segments as they are, whose format is not ours.
func FuzzParseBase(f *testing.F) {
	snap, _ := randomTree(rand.New(rand.NewPCG(13, 14)), 8)
	entries := searchable(snap.Entries())
	blocks := savedBlocks(f, snap)
	f.Add(blocks[0])
	f.Add(blocks[0][:len(blocks[0])-1])
	f.Fuzz(func(t *testing.T, table []byte) {
		b, docs, err := parseBase(append([][]byte{table}, blocks[1:]...), entries)
		if err != nil {
			return
		}
		x := newIndex(snap, newStore(b, docs), nil)
		for _, q := range probes {
			x.Search(t.Context(), q)
		}
	})
}

// A large tree is read in parts: what is made for them is not saved, and the whole is served by the base of the process before.
func TestPartsLeaveTheSavedIndex(t *testing.T) {
	const all = 4 * minWorn
	folder := t.TempDir()
	whole, entries := randomTree(rand.New(rand.NewPCG(15, 16)), all)
	read := map[string]*format.Entry{}
	for p, e := range entries {
		if len(read) < all/2 {
			read[p] = e
		}
	}
	part := snapshot(read)
	for _, process := range []string{"first", "second"} {
		r := NewEager(Options{Cache: folder})
		for range 2 {
			if _, err := r.OpenPart(t.Context(), part); err != nil {
				t.Fatal(err)
			}
			sameAnswers(t, r.current)
		}
		r.tasks.Wait()
		if saved, _, err := savedBase(savedFile(folder, ""), whole.Entries()); (err == nil) != (process == "second") || err == nil && saved.size != all {
			t.Errorf("%s: after a part %v, %v is saved", process, saved, err)
		}
		x, err := r.Sync(t.Context(), whole)
		if err != nil {
			t.Fatal(err)
		}
		if r.building || r.store.changed() != 0 || r.store.base.size != all {
			t.Errorf("%s: the base has %d of %d entries, %d changed", process, r.store.base.size, all, r.store.changed())
		}
		sameAnswers(t, x)
		r.Close()
	}
}
