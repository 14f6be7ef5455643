package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Files that go while the folder is opened, before it is watched, are named in no answer
// however long.
func TestStandingBeforeTheFolderIsWatched(t *testing.T) {
	files := map[string]string{}
	var paths []string
	for i := range 4 * freeLooks {
		p := fmt.Sprintf("%s/d/t/e%d.md", TreeDir, i)
		files[p], paths = "x\n", append(paths, p)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what watches waits until this goroutine does
	w := open(t, files, Options{Watch: true})
	if err := os.Rename(filepath.Join(w.Root(), TreeDir, "d"), filepath.Join(t.TempDir(), "d")); err != nil {
		t.Fatal(err)
	}
	standing := w.View().FileCheck()
	for _, p := range paths {
		if standing.Has(p) {
			t.Fatal(p, "is said to be there")
		}
	}
}
