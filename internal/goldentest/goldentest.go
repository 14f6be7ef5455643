// Package goldentest compares the results of tests with txtar archives. `go test -update` writes the results
// into them, for a person to review.
package goldentest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted output of the data tests")

// Updating reports whether the test was started with -update.
func Updating() bool { return *update }

// Archives compares render's output over the files of each archive that a pattern names with the
// archive's last file, "want".
func Archives(t *testing.T, pattern string, render func(files []txtar.File) string) {
	t.Helper()
	Parts(t, pattern, func(_ *testing.T, a *txtar.Archive) map[string]string {
		last := len(a.Files) - 1
		return map[string]string{a.Files[last].Name: render(a.Files[:last])}
	})
}

// Parts compares those files of each archive that a pattern names with what render makes for them, by their names.
func Parts(t *testing.T, pattern string, render func(t *testing.T, a *txtar.Archive) map[string]string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no data for %s: %v", pattern, err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			made := render(t, a)
			for i := range a.Files {
				f := &a.Files[i]
				got, wanted := made[f.Name]
				if !wanted {
					continue
				}
				if diff := cmp.Diff(string(f.Data), got); diff != "" && !*update {
					t.Errorf("%s: %s (-want +got):\n%s", p, f.Name, diff)
				}
				f.Data = []byte(got)
			}
			if *update {
				if err := os.WriteFile(p, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
