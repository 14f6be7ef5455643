package cachefile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const limit = 1 << 20

var sample = []Block{{[]byte("one"), []byte(" block")}, nil, {[]byte{0, 1, 2}, nil, []byte{3}}}

// joined are blocks as they are read.
func joined(blocks []Block) (out [][]byte) {
	for _, b := range blocks {
		out = append(out, bytes.Join(b, nil))
	}
	return out
}

func same(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

func encoded(t testing.TB, version string, blocks ...Block) []byte {
	t.Helper()
	var w bytes.Buffer
	if err := encode(&w, version, blocks); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	for _, blocks := range [][]Block{nil, {nil}, {{}}, sample, {{bytes.Repeat([]byte("x"), 3<<20)}}} {
		f := Of(filepath.Join(t.TempDir(), "not/there/yet"), "kind", "/a/project")
		if err := f.Write("v1", blocks...); err != nil {
			t.Fatal(err)
		}
		got, err := f.Read("v1", 4<<20)
		if err != nil || !same(got, joined(blocks)) {
			t.Errorf("%.60q: %.60q, %v", joined(blocks), got, err)
		}
	}
}

func TestOtherVersionsProjectsAndKindsAreOtherFiles(t *testing.T) {
	folder := t.TempDir()
	f := Of(folder, "kind", "/a")
	if err := f.Write("v1", sample...); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("v2", limit); !errors.Is(err, errUnusable) {
		t.Errorf("another version: %v", err)
	}
	for _, other := range []File{Of(folder, "kind", "/b"), Of(folder, "other", "/a"), Of(t.TempDir(), "kind", "/a")} {
		if _, err := other.Read("v1", limit); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", other.Path(), err)
		}
	}
}

func TestProjectBehindALinkHasOneFile(t *testing.T) {
	top := t.TempDir()
	real, link := filepath.Join(top, "real"), filepath.Join(top, "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if a, b := Of(top, "kind", real), Of(top, "kind", link); a != b {
		t.Errorf("%s and %s", a.Path(), b.Path())
	}
}

func TestLimitHolds(t *testing.T) {
	f := Of(t.TempDir(), "kind", "/a")
	if err := f.Write("v1", sample...); err != nil {
		t.Fatal(err)
	}
	size := int64(len(encoded(t, "v1", sample...)))
	if _, err := f.Read("v1", size); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := f.Read("v1", size-1); !errors.Is(err, errUnusable) {
		t.Errorf("over the limit: %v", err)
	}
}

// TestDamageIsSeen flips each bit and cuts at each byte.
func TestDamageIsSeen(t *testing.T) {
	whole := encoded(t, "v1", sample...)
	read := func(data []byte) error {
		_, err := decode(bytes.NewReader(data), int64(len(data)), "v1")
		return err
	}
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(whole) {
		data := bytes.Clone(whole)
		data[i/8] ^= 1 << (i % 8)
		if read(data) == nil {
			t.Errorf("flipped bit %d of byte %d", i%8, i/8)
		}
	}
	for n := range whole {
		if read(whole[:n]) == nil {
			t.Errorf("cut at %d of %d bytes", n, len(whole))
		}
		if _, err := decode(bytes.NewReader(whole[:n]), int64(len(whole)), "v1"); err == nil {
			t.Errorf("cut at %d of %d bytes while it is read", n, len(whole))
		}
	}
	if read(append(bytes.Clone(whole), 0)) == nil {
		t.Error("a byte too many")
	}
	if read(make([]byte, len(whole))) == nil {
		t.Error("zeros")
	}
}

// TestSparseFileTakesNoMemory: the size of a file is no reason to believe it.
func TestSparseFileTakesNoMemory(t *testing.T) {
	f := Of(t.TempDir(), "kind", "/a")
	for _, head := range [][]byte{nil, encoded(t, "v1", sample...)} {
		if err := os.WriteFile(f.Path(), head, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(f.Path(), 1<<30); err != nil {
			t.Skip(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := f.Read("v1", 1<<31)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, errUnusable) || used > 1<<20 {
			t.Errorf("%d bytes taken, %v", used, err)
		}
	}
}

func TestWhatIsNoFileIsNotRead(t *testing.T) {
	f := Of(filepath.Join(t.TempDir(), "cache"), "kind", "/a")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, encoded(t, "v1", sample...), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, put := range map[string]func() error{
		"a folder":           func() error { return os.MkdirAll(f.Path(), 0o700) },
		"a link that leaves": func() error { return os.Symlink(secret, f.Path()) },
	} {
		os.RemoveAll(f.folder)
		os.MkdirAll(f.folder, 0o700)
		if err := put(); err != nil {
			t.Skip(err)
		}
		if _, err := f.Read("v1", limit); err == nil {
			t.Errorf("%s is read", what)
		}
	}
}

// fullDisk takes so many bytes and fails then.
type fullDisk int

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), int(*d))
	*d -= fullDisk(n)
	if n < len(p) {
		return n, errors.New("no space left on device")
	}
	return n, nil
}

func TestFullDiskIsAnError(t *testing.T) {
	for room := range encoded(t, "v1", sample...) {
		if disk := fullDisk(room); encode(&disk, "v1", sample) == nil {
			t.Errorf("written to %d bytes", room)
		}
	}
}

// TestInterruptedWriteLeavesTheOldFile puts each state in which a killed process can
// leave the folder.
func TestInterruptedWriteLeavesTheOldFile(t *testing.T) {
	f := Of(t.TempDir(), "kind", "/a")
	if err := f.Write("v1", sample...); err != nil {
		t.Fatal(err)
	}
	next := encoded(t, "v1", Block{[]byte("the next")})
	for n := range len(next) + 1 {
		if err := os.WriteFile(f.Path()+".1"+partial, next[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Read("v1", limit); err != nil || !same(got, joined(sample)) {
			t.Fatalf("with %d bytes of the next: %q, %v", n, got, err)
		}
	}
}

func TestUnwritableFolderIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{file, filepath.Join(file, "below")} {
		if Of(folder, "kind", "/a").Write("v1", sample...) == nil {
			t.Errorf("written to %s", folder)
		}
	}
	f := Of(t.TempDir(), "kind", "/a")
	if err := os.MkdirAll(filepath.Join(f.Path(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if f.Write("v1", sample...) == nil {
		t.Error("a folder was replaced")
	}
	if got := names(t, f.folder); got != filepath.Base(f.Path()) {
		t.Errorf("left: %s", got)
	}
}

func names(t *testing.T, folder string) string {
	t.Helper()
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range found {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestOldFilesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	now := time.Now()
	const project = "-0123456789abcdef"
	for name, age := range map[string]time.Duration{
		"a" + project + ".cache.12.partial": partialAge + time.Minute,
		"b" + project + ".cache.12.partial": partialAge - time.Minute,
		"c" + project + ".cache":            unusedAge + time.Hour,
		"d" + project + ".cache":            unusedAge - time.Hour,
		"e.cache":                           2 * unusedAge,
		"e.partial":                         2 * unusedAge,
		"e" + project + ".cache.bak":        2 * unusedAge,
	} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	f := Of(folder, "z", "/a")
	if err := f.Write("v1"); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"b" + project + ".cache.12.partial", "d" + project + ".cache", "e" + project + ".cache.bak", "e.cache", "e.partial", f.name,
	}, " ")
	if got := names(t, folder); got != want {
		t.Errorf("left: %s\nwant: %s", got, want)
	}
	out, err := os.CreateTemp(folder, f.name+".*"+partial)
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	if base := filepath.Base(out.Name()); !ours().MatchString(base) || filepath.Ext(base) != partial {
		t.Errorf("%s is not known as partial", base)
	}
}

// What was used longest ago gives way; a file that is larger than the whole bound goes, and what is not ours stays.
func TestAllFilesTogetherAreBounded(t *testing.T) {
	folder := t.TempDir()
	now := time.Now()
	var files []File
	for i, size := range []int{300, 200, 100, 5000} {
		f := Of(folder, "kind", fmt.Sprint("/", i))
		files = append(files, f)
		if err := os.WriteFile(f.Path(), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		at := now.Add(-time.Duration(i+1) * time.Hour)
		if err := os.Chtimes(f.Path(), at, at); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(folder, "other.cache")
	if err := os.WriteFile(other, make([]byte, 9000), 0o600); err != nil {
		t.Fatal(err)
	}
	total, of := Sizes(folder, "/1", "/2", "/none")
	if total != 5600 || len(of) != 1 || of[0] != (Size{"kind", 300}) {
		t.Errorf("sizes: %d, %v", total, of)
	}
	clean(folder, 550)
	if got := names(t, folder); !strings.Contains(got, files[0].name) || !strings.Contains(got, files[1].name) ||
		strings.Contains(got, files[2].name) || strings.Contains(got, files[3].name) {
		t.Errorf("left: %s", got)
	}
	if removed, err := Clear(folder); removed != 500 || err != nil || names(t, folder) != "other.cache" {
		t.Errorf("%d removed, %v; left %s", removed, err, names(t, folder))
	}
}

func TestFileThatIsReadStaysInUse(t *testing.T) {
	f := Of(t.TempDir(), "kind", "/a")
	if err := f.Write("v1"); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-unusedAge)
	if err := os.Chtimes(f.Path(), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("v1", limit); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.Path()); err != nil || time.Since(info.ModTime()) > time.Minute {
		t.Errorf("%v, %v", info.ModTime(), err)
	}
}

func TestFilesAreForThisUserAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such permissions")
	}
	f := Of(filepath.Join(t.TempDir(), "cache"), "kind", "/a")
	if err := f.Write("v1"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{f.folder: 0o700, f.Path(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, want %v", path, info.Mode().Perm(), want)
		}
	}
}

// TestReadersSeeWholeFiles lets several write and read at once.
func TestReadersSeeWholeFiles(t *testing.T) {
	f := Of(t.TempDir(), "kind", "/a")
	content := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 1000*(i+1)) }
	if err := f.Write("v1", Block{content(0)}); err != nil {
		t.Fatal(err)
	}
	var tasks sync.WaitGroup
	for i := range 6 {
		tasks.Go(func() {
			for range 20 {
				if err := f.Write("v1", Block{content(i)}); err != nil {
					t.Error(err)
				}
				got, err := f.Read("v1", limit)
				if err != nil || len(got) != 1 || !bytes.Equal(got[0], content(int(got[0][0]))) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	tasks.Wait()
	if got := names(t, f.folder); got != f.name {
		t.Errorf("left: %s", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, "v1", sample...))
	f.Add(encoded(f, "v1"))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		blocks, err := decode(bytes.NewReader(data), int64(len(data)), "v1")
		if err != nil {
			return
		}
		var again []Block
		for _, b := range blocks {
			again = append(again, Block{b})
		}
		if !bytes.Equal(encoded(t, "v1", again...), data) {
			t.Fatalf("read %q otherwise than it was written", blocks)
		}
	})
}

func BenchmarkRead40MB(b *testing.B) {
	f := Of(b.TempDir(), "kind", "/a")
	if err := f.Write("v1", Block{make([]byte, 40<<20)}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.Read("v1", 1<<30); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite40MB(b *testing.B) {
	f := Of(b.TempDir(), "kind", "/a")
	data := make([]byte, 40<<20)
	for b.Loop() {
		if err := f.Write("v1", Block{data}); err != nil {
			b.Fatal(err)
		}
	}
}
