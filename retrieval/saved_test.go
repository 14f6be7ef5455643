package retrieval

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
)

// randomTree is a snapshot of random entries.
func randomTree(r *rand.Rand, n int) (*tree.Snapshot, map[string]*tree.Entry) {
	entries := map[string]*tree.Entry{}
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
			t.Fatalf("%+v:\n%+v\n%+v\n%s", q, a, b, cmp.Diff(a, b))
		}
	}
}

// openSaved opens a snapshot with a cache and reports whether the saved base served.
func openSaved(t *testing.T, folder string, snap *tree.Snapshot) (*Index, bool) {
	t.Helper()
	saved, _, _ := savedFileOf(folder, "").read(searchable(snap.Entries()))
	r := NewEager(Options{Cache: folder})
	defer r.Close()
	x, err := r.Sync(t.Context(), snap)
	if err != nil {
		t.Fatal(err)
	}
	return x, saved != nil
}

func saved(t testing.TB, snap *tree.Snapshot) []byte {
	t.Helper()
	b, docs, err := buildBase(context.Background(), searchable(snap.Entries()))
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if err := b.writeTo(&w, docs); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
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
	if _, _, err := savedFileOf(folder, "/another/project").read(nil); err == nil {
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

// TestDamagedIndexIsRebuilt damages the saved file in every way that its bytes can
// be, and what surrounds it.
func TestDamagedIndexIsRebuilt(t *testing.T) {
	snap, _ := randomTree(rand.New(rand.NewPCG(7, 8)), 6)
	entries := searchable(snap.Entries())
	whole := saved(t, snap)
	if _, _, err := parseBase(bytes.Clone(whole), entries); err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		data := bytes.Clone(whole)
		data[at] ^= 1 << (at % 8)
		if _, _, err := parseBase(data, entries); err == nil {
			t.Fatalf("a flipped bit in byte %d of %d is not seen", at, len(whole))
		}
	}
	for n := range whole {
		if _, _, err := parseBase(bytes.Clone(whole[:n]), entries); err == nil {
			t.Fatalf("a file cut at %d of %d bytes is not seen", n, len(whole))
		}
	}
	if _, _, err := parseBase(append(bytes.Clone(whole), 0), entries); err == nil {
		t.Error("a byte too many is not seen")
	}

	name := func(folder string) string { return filepath.Join(folder, savedFileOf(folder, "").name) }
	for what, damage := range map[string]func(folder string) error{
		"nothing":         func(string) error { return nil },
		"empty":           func(d string) error { return os.WriteFile(name(d), nil, 0o600) },
		"text":            func(d string) error { return os.WriteFile(name(d), []byte("not an index"), 0o600) },
		"cut":             func(d string) error { return os.WriteFile(name(d), whole[:len(whole)/2], 0o600) },
		"other version":   func(d string) error { return os.WriteFile(name(d), otherVersion(whole), 0o600) },
		"a folder":        func(d string) error { return os.MkdirAll(filepath.Join(name(d), "x"), 0o700) },
		"a link":          func(d string) error { return os.Symlink(filepath.Join(d, "nowhere"), name(d)) },
		"garbage inside":  func(d string) error { return os.WriteFile(name(d), resealed(whole), 0o600) },
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

func otherVersion(whole []byte) []byte {
	data := bytes.Clone(whole)
	data[len(savedMagic)]++
	return resealedHead(data)
}

func resealedHead(data []byte) []byte {
	n := int(binary.LittleEndian.Uint32(data[len(savedMagic)+8:]))
	size := len(savedMagic) + 8 + 4 + n*savedPerPart
	binary.LittleEndian.PutUint32(data[size:], crc32.Checksum(data[:size], crcTable))
	return data
}

// resealed writes garbage into the postings and makes the checksums right.
func resealed(whole []byte) []byte {
	data := bytes.Clone(whole)
	const part = len(savedMagic) + 8 + 4 + 2*savedPerPart
	le := binary.LittleEndian
	length := int(le.Uint64(data[part:]))
	block := data[len(data)-length:]
	for i := length / 4; i < length*3/4; i++ {
		block[i] = byte(i * 7)
	}
	le.PutUint32(data[part+12:], crc32.Checksum(block, crcTable))
	return resealedHead(data)
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

// fullDisk takes so many bytes and fails then.
type fullDisk int

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > int(*d) {
		return 0, fmt.Errorf("no space left on device")
	}
	*d -= fullDisk(len(p))
	return len(p), nil
}

func TestFullDiskIsAnError(t *testing.T) {
	snap, _ := randomTree(rand.New(rand.NewPCG(9, 10)), 4)
	b, docs, err := buildBase(t.Context(), searchable(snap.Entries()))
	if err != nil {
		t.Fatal(err)
	}
	for room := range len(saved(t, snap)) {
		disk := fullDisk(room)
		if b.writeTo(&disk, docs) == nil {
			t.Fatalf("written to %d bytes", room)
		}
	}
}

func TestPartialFilesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"search-1.partial": time.Hour, "search-2.partial": time.Second, "other": time.Hour} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	removePartial(folder, now)
	found, _ := filepath.Glob(filepath.Join(folder, "*"))
	var names []string
	for _, f := range found {
		names = append(names, filepath.Base(f))
	}
	if got := strings.Join(names, " "); got != "other search-2.partial" {
		t.Errorf("left: %s", got)
	}
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

func FuzzParseBase(f *testing.F) {
	snap, _ := randomTree(rand.New(rand.NewPCG(13, 14)), 8)
	entries := searchable(snap.Entries())
	whole := saved(f, snap)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Fuzz(func(t *testing.T, data []byte) {
		// Checksums made right, or nothing behind them would ever be read; but not those
		// of the segments, whose format is not ours.
		if len(data) > len(savedMagic)+12 {
			copy(data, whole[:len(savedMagic)+8])
			data = sealed(data)
		}
		b, docs, err := parseBase(data, entries)
		if err != nil {
			return
		}
		x := newIndex(snap, newStore(b, docs), nil)
		for _, q := range probes {
			x.Search(t.Context(), q)
		}
	})
}

// sealed makes the checksums right as far as the header says where they are.
func sealed(data []byte) []byte {
	le := binary.LittleEndian
	const fixed = len(savedMagic) + 8 + 4
	n := int(le.Uint32(data[fixed-4:]))
	if n > len(data)/savedPerPart || len(data) < fixed+n*savedPerPart+4 {
		return data
	}
	rest := data[fixed+n*savedPerPart+4:]
	for i := range n {
		part := data[fixed+i*savedPerPart:]
		length := min(le.Uint64(part), uint64(len(rest)))
		if i == 2 {
			break
		}
		le.PutUint32(part[12:], crc32.Checksum(rest[:length], crcTable))
		rest = rest[length:]
	}
	return resealedHead(data)
}
