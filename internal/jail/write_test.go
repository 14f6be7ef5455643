package jail

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// left are the names in a folder.
func left(t *testing.T, r *Root) (names []string) {
	t.Helper()
	all, err := os.ReadDir(r.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

// TestSweepTakesWhatKilledWritersLeft has each state that a writer can be killed in, and what only looks like it.
func TestSweepTakesWhatKilledWritersLeft(t *testing.T) {
	r := open(t, map[string]string{"a.json": "a"})
	staging := func(name string, mode fs.FileMode, files ...string) {
		dir := filepath.Join(r.Dir(), name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			write(t, filepath.Join(dir, f), "*")
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	staging(".brv-AAAAAAAAAAAAAAAA.tmp", stagingMode)
	staging(".brv-BBBBBBBBBBBBBBBB.tmp", stagingMode, ignoreFile)
	staging(".brv-CCCCCCCCCCCCCCCC.tmp", stagingMode, ignoreFile, stagedFile)
	kept := []string{".brv-DDDDDDDDDDDDDDDD.tmp", ".brv-EEEEEEEEEEEEEEE.tmp", ".brv-FFFFFFFFFFFFFFF1.tmp", "a.json",
		"brv-GGGGGGGGGGGGGGGG.tmp"}
	staging(kept[0], stagingMode, ignoreFile, "somebody's")
	staging(kept[1], stagingMode, ignoreFile)
	staging(kept[2], stagingMode, ignoreFile)
	staging(kept[4], stagingMode, ignoreFile)
	if keepsModes { // git checks folders out with another mode
		staging(".brv-HHHHHHHHHHHHHHHH.tmp", 0o755, ignoreFile)
		kept = slices.Insert(kept, 3, ".brv-HHHHHHHHHHHHHHHH.tmp")
	}
	write(t, filepath.Join(r.Dir(), ".brv-IIIIIIIIIIIIIIII.tmp"), "of an earlier version")
	if keepsModes {
		if err := os.Symlink("a.json", filepath.Join(r.Dir(), ".brv-JJJJJJJJJJJJJJJJ.tmp")); err != nil {
			t.Fatal(err)
		}
		kept = slices.Insert(kept, len(kept)-2, ".brv-JJJJJJJJJJJJJJJJ.tmp")
	}
	Sweep(r, "a.json", "b.json", "missing/c.json", "../d.json")
	if got := left(t, r); !slices.Equal(got, kept) {
		t.Errorf("%q stay, want %q", got, kept)
	}
}

// TestSweepLeavesTheLiving writes while others sweep: each write succeeds, and nothing is left.
func TestSweepLeavesTheLiving(t *testing.T) {
	r := open(t, map[string]string{"a.json": "a"})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if err := r.WriteFile("a.json", []byte("b")); err != nil {
					t.Error(err)
				}
				Sweep(r, "a.json")
			}
		})
	}
	all.Wait()
	if got := left(t, r); !slices.Equal(got, []string{"a.json"}) {
		t.Errorf("%q", got)
	}
}

// TestIdentityIsTheFoldersOwn gives another one to each folder that takes a place, and the same one after a move.
func TestIdentityIsTheFoldersOwn(t *testing.T) {
	r := open(t, map[string]string{"a/x": "1"})
	seen := map[string]bool{"": true}
	for range 20 { // numbers of files that are gone are given anew
		id := Identity(r, "a")
		if seen[id] {
			t.Fatalf("%q twice", id)
		}
		seen[id] = true
		write(t, filepath.Join(r.Dir(), "a", "y"), "2")
		if err := os.Rename(filepath.Join(r.Dir(), "a"), filepath.Join(r.Dir(), "b")); err != nil {
			t.Fatal(err)
		}
		if got := Identity(r, "b"); got != id {
			t.Errorf("%q became %q", id, got)
		}
		if err := os.RemoveAll(filepath.Join(r.Dir(), "b")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(r.Dir(), "a", "x"), "1")
	}
	if Identity(r, "none") != "" || Identity(r, ".") == "" {
		t.Error("what is not there has an identity, or the folder none")
	}
}
