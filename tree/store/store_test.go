package store

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// disk is a `.brv` folder for tests.
type disk struct {
	t   testing.TB
	dir string
}

func newDisk(t testing.TB) disk {
	d := disk{t, t.TempDir()}
	d.must(os.MkdirAll(d.at(""), 0o755))
	return d
}

func (d disk) at(p string) string { return filepath.Join(d.dir, tree.Dir, filepath.FromSlash(p)) }

func (d disk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) write(p, text string) {
	d.t.Helper()
	d.must(os.MkdirAll(filepath.Dir(d.at(p)), 0o755))
	d.must(os.WriteFile(d.at(p), []byte(text), 0o644))
}

// age makes a file old enough for its time to be trusted.
func (d disk) age(p string, by time.Duration) {
	d.t.Helper()
	when := time.Now().Add(-by)
	d.must(os.Chtimes(d.at(p), when, when))
}

func (d disk) open(o Options) *Store {
	d.t.Helper()
	s, err := Open(context.Background(), d.dir, o)
	d.must(err)
	d.t.Cleanup(func() { s.Close() })
	return s
}

func TestOpenWithoutATreeIsEmpty(t *testing.T) {
	d := disk{t, t.TempDir()}
	s := d.open(Options{})
	if s.Snapshot().Len() != 0 {
		t.Error("there are entries in no folder")
	}
	d.write("a/b/c.md", "# C")
	if snap, err := s.Refresh(t.Context(), "a/b/c.md"); err != nil || snap.Len() != 1 {
		t.Errorf("after the tree was made: %d entries, %v", snap.Len(), err)
	}
	d.must(os.RemoveAll(d.at("")))
	if snap, err := s.Refresh(t.Context()); err != nil || snap.Len() != 0 {
		t.Errorf("after the tree was removed: %d entries, %v", snap.Len(), err)
	}
	if _, err := Open(t.Context(), filepath.Join(d.dir, "none"), Options{}); err == nil {
		t.Error("a folder that is not there opens")
	}
}

func TestStoreSkipsWhatItCannotRead(t *testing.T) {
	d := newDisk(t)
	d.write("a/b/good.md", "# Good")
	d.write("a/b/binary.md", "x\x00y")
	d.write("a/b/latin1.md", "caf\xe9")
	d.write("a/b/big.md", "")
	d.must(os.Truncate(d.at("a/b/big.md"), 100<<20)) // sparse
	d.write("_manifest.json", "{}")
	d.write(".git/x.md", "not an entry")
	d.must(os.Symlink("/etc/passwd", d.at("a/b/link.md")))
	d.must(os.Symlink("b", d.at("a/linked")))
	s := d.open(Options{})
	want := []string{
		"a/b/big.md: it has 104857600 bytes (limit: 1048576)",
		"a/b/binary.md: it contains NUL bytes; if it is a text file, save it as UTF-8",
		"a/b/latin1.md: not UTF-8; save the file as UTF-8",
		"a/b/link.md: symbolic links are not followed",
		"a/linked: symbolic links are not followed",
	}
	check := func() {
		t.Helper()
		var got []string
		for _, k := range s.Snapshot().Skipped() {
			got = append(got, k.Path+": "+k.Reason)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("skipped (-want +got):\n%s", diff)
		}
		if n := s.Snapshot().Len(); n != 1 {
			t.Errorf("%d entries, want 1", n)
		}
	}
	check()
	before := s.Snapshot()
	for _, p := range []string{"a/b/link.md", "a/b/binary.md", "a/linked/good.md", ".git/x.md", "../x.md", "/etc/passwd.md", "a/b"} {
		_, err := s.Refresh(t.Context(), p)
		d.must(err)
		check()
	}
	if s.Snapshot() != before {
		t.Error("nothing changed, yet there is a new snapshot")
	}
	d.write("a/b/latin1.md", "cafe")
	d.must(os.Remove(d.at("a/b/link.md")))
	snap, err := s.Refresh(t.Context(), "a/b/latin1.md", "a/b/link.md")
	if err != nil || snap.Len() != 2 || len(snap.Skipped()) != 3 {
		t.Errorf("after two were mended: %d entries, skipped %v, %v", snap.Len(), snap.Skipped(), err)
	}
}

func TestStoreRefresh(t *testing.T) {
	d := newDisk(t)
	d.write("a.md", "# One")
	s := d.open(Options{})
	first := s.Snapshot()
	if again, _ := s.Refresh(t.Context()); again != first {
		t.Error("a refresh without a change made a new snapshot")
	}
	d.write("a.md", "# Two")
	second, err := s.Refresh(t.Context(), "a.md")
	d.must(err)
	if e, _ := second.Entry("a.md"); e.Title != "Two" {
		t.Errorf("title after the edit is %q", e.Title)
	}
	if e, _ := first.Entry("a.md"); e.Title != "One" {
		t.Error("the old snapshot changed")
	}
	d.must(os.Remove(d.at("a.md")))
	if third, _ := s.Refresh(t.Context()); third.Len() != 0 {
		t.Error("a removed file is still an entry")
	}
}

// TestRefreshSeesWritesWithinOneTick: size and time are the same, the text is not.
func TestRefreshSeesWritesWithinOneTick(t *testing.T) {
	d := newDisk(t)
	d.write("a.md", "# One")
	s := d.open(Options{})
	info, err := os.Stat(d.at("a.md"))
	d.must(err)
	d.write("a.md", "# Two")
	d.must(os.Chtimes(d.at("a.md"), info.ModTime(), info.ModTime()))
	snap, err := s.Refresh(t.Context())
	d.must(err)
	if e, _ := snap.Entry("a.md"); e.Title != "Two" {
		t.Errorf("title is %q", e.Title)
	}
}

// TestTouchedNamesAreFoundInAnyForm: a watcher may spell a path as no folder does.
func TestTouchedNamesAreFoundInAnyForm(t *testing.T) {
	d := newDisk(t)
	d.write("auth/Cafe\u0301/c.md", "# Old")
	s := d.open(Options{})
	for i, touched := range []string{"Auth/caf\u00e9/C.md", "auth/Cafe\u0301/c.md", "./auth//Cafe\u0301/", "."} {
		title := fmt.Sprint("New", i)
		d.write("auth/Cafe\u0301/c.md", "# "+title)
		snap, err := s.Refresh(t.Context(), touched)
		d.must(err)
		if e, ok := snap.Entry("auth/Cafe\u0301/c.md"); !ok || e.Title != title {
			t.Errorf("after %q the entry is there: %t, not up to date", touched, ok)
		}
	}
}

// TestTouchedOnlyLooksThere: what is not touched is not looked at.
func TestTouchedOnlyLooksThere(t *testing.T) {
	d := newDisk(t)
	for _, p := range []string{"a/b/c.md", "a/b/d.md", "a/x/y.md", "b/b/b.md"} {
		d.write(p, "# Old")
	}
	s := d.open(Options{})
	for _, p := range []string{"a/b/c.md", "a/b/d.md", "a/x/y.md", "b/b/b.md"} {
		d.write(p, "# New "+p)
	}
	titles := func() string {
		var b strings.Builder
		for _, e := range s.Snapshot().Entries() {
			fmt.Fprintf(&b, "%t ", e.Title != "Old")
		}
		return strings.TrimSpace(b.String())
	}
	for _, step := range []struct{ touched, want string }{
		{"a/b/c.md", "true false false false"},
		{"a", "true true true false"},
		{"", "true true true true"},
	} {
		_, err := s.Refresh(t.Context(), step.touched)
		d.must(err)
		if got := titles(); got != step.want {
			t.Errorf("after %q: %s, want %s", step.touched, got, step.want)
		}
	}
}

// TestRefreshOfTouchedEqualsAll makes random changes on disk, tells the store of
// them, and compares it with one that is opened anew.
func TestRefreshOfTouchedEqualsAll(t *testing.T) {
	for seed := range int64(4) {
		f := treetest.Forest{Rand: rand.New(rand.NewSource(seed))}
		d := newDisk(t)
		s := d.open(Options{})
		for step := range 80 {
			var touched []string
			for range 1 + f.Intn(3) {
				touched = append(touched, d.change(f)...)
			}
			got, err := s.Refresh(t.Context(), touched...)
			d.must(err)
			fresh, err := Open(t.Context(), d.dir, Options{})
			d.must(err)
			want := fresh.Snapshot()
			d.must(fresh.Close())
			if diff := cmp.Diff(observe(want), observe(got)); diff != "" {
				t.Fatalf("seed %d step %d: after %q (-opened +refreshed):\n%s", seed, step, touched, diff)
			}
			if all, _ := s.Refresh(t.Context()); all != got {
				t.Fatalf("seed %d step %d: after %q, a look at everything finds more", seed, step, touched)
			}
		}
	}
}

// change does something to the disk and returns what a watcher would say.
func (d disk) change(f treetest.Forest) []string {
	p := f.Path()
	switch f.Intn(10) {
	case 0: // a folder goes
		dir := format.FolderOf(p)
		if dir == "" {
			return nil
		}
		d.must(os.RemoveAll(d.at(dir)))
		return []string{dir}
	case 1: // a file where a folder was, or a folder where a file was
		os.RemoveAll(d.at(p))
		d.write(p+"/inside.md", "x")
		return []string{p}
	case 2:
		os.RemoveAll(d.at(p))
		d.must(os.MkdirAll(filepath.Dir(d.at(p)), 0o755))
		d.must(os.Symlink("../nowhere.md", d.at(p)))
		return []string{p}
	case 3:
		os.RemoveAll(d.at(p))
		d.write(p, "binary\x00")
		return []string{p}
	case 4:
		os.RemoveAll(d.at(p))
		return []string{p, p + "/inside.md"}
	case 5: // a folder moves
		dir, to := format.FolderOf(p), f.Folder()
		if dir != "" && os.MkdirAll(filepath.Dir(d.at(to)), 0o755) == nil && os.Rename(d.at(dir), d.at(to)) == nil {
			return []string{dir, to}
		}
		return []string{to}
	}
	if info, err := os.Lstat(d.at(p)); err == nil && !info.Mode().IsRegular() {
		os.RemoveAll(d.at(p))
	}
	d.write(p, f.Text(p))
	return []string{p}
}

// observe writes everything a snapshot tells.
func observe(s *tree.Snapshot) string {
	var b strings.Builder
	for _, e := range s.Entries() {
		for _, r := range s.Relations(e.Path) {
			fmt.Fprintln(&b, "->", r.At, r.Target, r.Candidates)
		}
		for _, l := range s.Backlinks(e.Path) {
			fmt.Fprintln(&b, "<-", l.From, l.At)
		}

		twin, _ := s.Twin(e.Path)
		kind, _ := s.KindOf(e.Path)
		found, ok := s.Entry(e.Path)
		fmt.Fprintln(&b, e.Path, kind, twin, ok && found == e, s.Problems(e.Path), s.FreePath(format.FolderOf(e.Path), "a b"))
	}
	fmt.Fprintln(&b, s.Len(), s.Skipped(), s.Fingerprint(), s.Resolve("x/y.md", format.FormWiki, "c"),
		s.Resolve("auth/jwt/z.md", format.FormMarkdown, "c.md"))
	return b.String()
}
