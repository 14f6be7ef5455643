package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// checkout writes an archive into a folder of this name and returns its path.
func checkout(t *testing.T, name, archive string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for _, f := range txtar.Parse([]byte(archive)).Files {
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wantAnswers compares answers, sorted, with lines "file: spec => paths".
func wantAnswers(t *testing.T, answers []answer, want string) {
	t.Helper()
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Spec, b.Spec)) })
	var got strings.Builder
	for _, a := range answers {
		slices.Sort(a.Paths)
		fmt.Fprintf(&got, "%s: %s => %s", a.File, a.Spec, strings.Join(a.Paths, " "))
		if a.Unknown {
			got.WriteString("?")
		}
		got.WriteString("\n")
	}
	if want = strings.TrimLeft(want, "\n"); got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}

func TestGoAnswersNamePackageFiles(t *testing.T) {
	dir := checkout(t, "repo", `
-- go.mod --
module example.com/app

go 1.21

require example.com/fork v1.0.0

replace example.com/fork => ./third/fork
-- main.go --
package main

import (
	"fmt"

	"example.com/app/lib"
	"example.com/elsewhere/x"
	"example.com/fork"
)

func main() { fmt.Println(lib.A, x.X, fork.F) }
-- lib/a.go --
package lib

const A = 1
-- lib/b_plan9.go --
package lib
-- lib/gen.go --
//go:build ignore

package main
-- lib/in_test.go --
package lib
-- lib/out_test.go --
package lib_test

import "example.com/app/lib"

var _ = lib.A
-- third/fork/go.mod --
module example.com/fork

go 1.21
-- third/fork/f.go --
package fork

const F = 1
`)
	answers, err := goAnswers(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, answers, `
lib/out_test.go: example.com/app/lib => lib/a.go lib/b_plan9.go lib/in_test.go
main.go: example.com/app/lib => lib/a.go lib/b_plan9.go
main.go: example.com/elsewhere/x => 
main.go: example.com/fork => third/fork/f.go
main.go: fmt => 
`)
}
