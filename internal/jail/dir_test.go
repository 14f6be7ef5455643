package jail

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// openDir opens the folder of a root until the test ends.
func openDir(t *testing.T, r *Root) *Dir {
	t.Helper()
	d, err := r.OpenDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestDirListsAndDescribesLikeTheRoot(t *testing.T) {
	r := open(t, map[string]string{"a.md": "one", "sub/deep/b.md": "two", "sub/c.md": ""})
	top := openDir(t, r)
	for _, p := range []string{"sub", "sub/deep"} {
		d, err := top.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		var got []Entry
		for err = nil; err == nil; {
			var some []Entry
			some, err = d.List(1)
			got = append(got, some...)
		}
		if err != io.EOF {
			t.Fatal(err)
		}
		want, err := r.ReadDir(p)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %v, %v; want %v", p, got, err, want)
		}
		for _, e := range want {
			if !slices.Contains(got, Entry{e.Name(), e.Type()}) {
				t.Errorf("%s: %s is not in %v", p, e, got)
			}
			info, err := r.Lstat(p + "/" + e.Name())
			if err != nil {
				t.Fatal(err)
			}
			rec, err := d.Lstat(e.Name())
			if want := RecordOf(info); err != nil || rec.Size != want.Size || rec.Inode != want.Inode ||
				rec.Mode.Type() != want.Mode.Type() ||
				!rec.ModTime.Equal(want.ModTime) || !rec.Changed.Equal(want.Changed) {
				t.Errorf("%s/%s: %+v, %v; want %+v", p, e.Name(), rec, err, want)
			}
		}
	}
	if b, err := top.ReadFile("a.md", 3); err != nil || string(b) != "one" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := top.ReadFile("a.md", 2); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := top.ReadFile("sub", 9); !errors.Is(err, ErrNotRegular) {
		t.Error(err)
	}
}

// No name leads out of an open folder, be it through a link.
func TestDirFollowsNothing(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, map[string]string{"a/x": "x", "a/b/y": "y"})
	for name, to := range map[string]string{"out": outside, "in": "a", "a/up": "..", "file": filepath.Join(outside, "secret"),
		"near": "a/x"} {
		if err := os.Symlink(to, filepath.Join(r.Dir(), name)); err != nil {
			t.Skip(err)
		}
	}
	top := openDir(t, r)
	for _, p := range []string{"out", "in", "in/b", "a/up", "file", "..", "../x", "/", "", "a/../a", "a//b", "a/x", "missing", "a\x00"} {
		if d, err := top.Open(p); err == nil {
			d.Close()
			t.Errorf("Open(%q) succeeded", p)
		}
	}
	for _, name := range []string{"out/secret", "..", ".", "", "a/x", "/", "x\x00"} {
		if _, err := top.Lstat(name); err == nil {
			t.Errorf("Lstat(%q) succeeded", name)
		}
		if _, err := top.ReadFile(name, 100); err == nil {
			t.Errorf("ReadFile(%q) succeeded", name)
		}
	}
	for _, name := range []string{"file", "near"} {
		if rec, err := top.Lstat(name); err != nil || rec.Mode.Type() != fs.ModeSymlink {
			t.Errorf("%s: %v, %v", name, rec, err)
		}
		if _, err := top.ReadFile(name, 100); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v; want ErrNotRegular", name, err)
		}
	}
}

// A folder that is replaced while it is open is still itself.
func TestDirStaysWithItsFolder(t *testing.T) {
	outside := t.TempDir()
	r := open(t, map[string]string{"a/x": "mine"})
	d, err := openDir(t, r).Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := os.Rename(filepath.Join(r.Dir(), "a"), filepath.Join(r.Dir(), "b")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(outside, filepath.Join(r.Dir(), "a")); err != nil {
		t.Skip(err)
	}
	if b, err := d.ReadFile("x", 10); err != nil || string(b) != "mine" {
		t.Skip("here a folder is its path") // not on Linux and macOS
	}
	if _, err := d.Lstat("x"); err != nil {
		t.Error(err)
	}
	if _, err := openDir(t, r).Open("a"); err == nil {
		t.Error("the link is followed")
	}
}
