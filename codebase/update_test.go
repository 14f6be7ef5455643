package codebase

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestUpdateEqualsScan edits a tree at random and checks after each step that
// the updated map is the one a new scan makes, and that the old one stayed.
func TestUpdateEqualsScan(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(seed), 1))
			root := folder(t, map[string]string{
				"go.mod": "module m\n", "main.go": "package main\n", "package.json": `{"name":"x"}`,
			})
			m := scan(t, root)
			for step := range 40 {
				changed := randomEdits(t, rnd, root.Dir())
				before := m.Fingerprint()
				old := m
				var err error
				if m, err = m.Update(t.Context(), changed); err != nil {
					t.Fatal(err)
				}
				if old.Fingerprint() != before {
					t.Fatal("Update changed its receiver")
				}
				sameMap(t, fmt.Sprintf("step %d, changed %q", step, changed), m, scan(t, root))
				if t.Failed() {
					return
				}
			}
		})
	}
}

func sameMap(t *testing.T, when string, got, want *RepoMap) {
	t.Helper()
	opts := cmp.Options{cmp.AllowUnexported(Chunk{}, vector{}, field{}, count{}, segment{}, use{}), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want.Chunks(), got.Chunks(), opts); diff != "" {
		t.Errorf("%s: chunks -scan +update:\n%s", when, diff)
	}
	if diff := cmp.Diff(want.Skipped(), got.Skipped()); diff != "" {
		t.Errorf("%s: skipped -scan +update:\n%s", when, diff)
	}
	for _, name := range []string{"F0", "F1", "F2", "Missing"} {
		if diff := cmp.Diff(want.Lookup(name), got.Lookup(name), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: Lookup(%s) -scan +update:\n%s", when, name, diff)
		}
	}
	for _, c := range want.Chunks() {
		if diff := cmp.Diff(want.Dependents(c.Path), got.Dependents(c.Path)); diff != "" {
			t.Errorf("%s: dependents of %s -scan +update:\n%s", when, c.Path, diff)
		}
	}
	if got.Fingerprint() != want.Fingerprint() || got.TotalTokens() != want.TotalTokens() {
		t.Errorf("%s: fingerprint or tokens differ", when)
	}
	if diff := cmp.Diff(want.Rank("refresh F1 in a/b"), got.Rank("refresh F1 in a/b")); diff != "" {
		t.Errorf("%s: ranking -scan +update:\n%s", when, diff)
	}
}

// randomEdits changes one to three files and returns their paths.
func randomEdits(t *testing.T, rnd *rand.Rand, dir string) []string {
	t.Helper()
	var changed []string
	for range 1 + rnd.IntN(3) {
		changed = append(changed, randomEdit(t, rnd, dir))
	}
	return changed
}

func randomEdit(t *testing.T, rnd *rand.Rand, dir string) string {
	t.Helper()
	folders := []string{"", "a/", "b/", "a/b/", "node_modules/"}
	d := folders[rnd.IntN(len(folders))]
	p, text := d+fmt.Sprintf("f%d.go", rnd.IntN(4)), ""
	n := rnd.IntN(3)
	switch rnd.IntN(10) {
	case 0:
		p, text = d+".gitignore", []string{"f1.*\n", "b/\n!f1.go\n", "*.ts\n"}[n]
	case 1:
		p, text = d+"tsconfig.json", []string{`{}`, `{"compilerOptions":{"baseUrl":"."}}`, `{"extends":"./other.json"}`}[n]
	case 2:
		p, text = d+"go.mod", fmt.Sprintf("module m%d\n", n)
	case 3:
		p, text = d+"other.json", `{"compilerOptions":{"baseUrl":"..","paths":{"x/*":["a/*"]}}}`
	case 4, 5:
		p, text = d+fmt.Sprintf("g%d.ts", n), fmt.Sprintf("import x from 'a/g%d';\nimport y from './g%d';\nexport function F%d() {}\n", rnd.IntN(3), rnd.IntN(3), n)
	case 6:
		p, text = d+"bin.py", "\x00"
	default:
		text = fmt.Sprintf("package p\n\nimport \"m/a\"\nimport \"m/a/b\"\n\nfunc F%d() { F%d(); p.F%d() }\n", n, rnd.IntN(3), rnd.IntN(3))
	}
	name := filepath.Join(dir, filepath.FromSlash(p))
	switch rnd.IntN(8) {
	case 0:
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	case 1:
		if d != "" {
			if err := os.RemoveAll(filepath.Join(dir, d)); err != nil {
				t.Fatal(err)
			}
			return d[:len(d)-1]
		}
	default:
		write(t, dir, p, text)
	}
	return p
}
