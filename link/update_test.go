package link

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Names of the random trees: few, so that they meet.
var (
	somePaths = []string{"a/one.go", "b/one.go", "b/two.ts", "one.go", "a/b/three.py", "c/one/four.go", "docs/notes.md", "d/one_test.go"}
	someNames = []string{"Alpha", "Beta", "Gamma", "delta", "one"}
)

func someCode(rnd *rand.Rand, p string) string {
	var b strings.Builder
	pick := func() string { return someNames[rnd.IntN(len(someNames))] }
	if filepath.Ext(p) == ".go" {
		fmt.Fprintf(&b, "package %s\n", []string{"alpha", "one"}[rnd.IntN(2)])
	}
	for range rnd.IntN(4) {
		switch filepath.Ext(p) {
		case ".go":
			b.WriteString([]string{"func " + pick() + "() {}\n", "type " + pick() + " struct{}\n", "func (x *Beta) " + pick() +
				"() {}\n"}[rnd.IntN(3)])
		case ".ts":
			fmt.Fprintf(&b, "export class %s { %s() {} }\n", pick(), pick())
		case ".py":
			fmt.Fprintf(&b, "def %s():\n    pass\n", pick())
		}
	}
	return b.String()
}

func someEntry(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("# E\n## Raw Concept\n**Files:**\n")
	for range rnd.IntN(3) {
		p := somePaths[rnd.IntN(len(somePaths))]
		if rnd.IntN(3) == 0 {
			p = filepath.ToSlash(filepath.Dir(p))
		}
		b.WriteString("- " + p + "\n")
	}
	b.WriteString("\n## Narrative\n")
	for range rnd.IntN(5) {
		name := someNames[rnd.IntN(len(someNames))]
		b.WriteString([]string{"`" + name + "` ", "`Beta." + name + "` ", "`one." + name + "()` ", "`b/" + name + "` ",
			"`" + somePaths[rnd.IntN(len(somePaths))] + "` "}[rnd.IntN(5)])
	}
	return b.String()
}

// Trees, code and the disk change at random; what Update makes of the links before is
// always what Build makes of nothing.
func TestUpdateEqualsBuildOfRandomTrees(t *testing.T) {
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		dir := t.TempDir()
		m := codebasetest.Scan(t, dir)
		s := tree.NewSnapshot(nil, nil)
		l := Build(s, m)
		again, all := 0, 0 // readings
		for step := range 60 {
			if rnd.IntN(2) == 0 {
				s = s.With(fmt.Sprintf("d/t/%d.md", rnd.IntN(12)), someEntry(rnd))
			}
			var changed []string
			for range rnd.IntN(3) {
				p := somePaths[rnd.IntN(len(somePaths))]
				changed = append(changed, p)
				file := filepath.Join(dir, p)
				if rnd.IntN(3) == 0 {
					os.Remove(file)
					continue
				}
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(someCode(rnd, p)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(changed) > 0 {
				next, err := m.Update(t.Context(), changed)
				if err != nil {
					t.Fatal(err)
				}
				m = next
			}
			before := l
			l = l.Update(s, m)
			want := Build(s, m)
			if diff := cmp.Diff(drawLinks(s, want)+drawAbout(m, want), drawLinks(s, l)+drawAbout(m, l)); diff != "" {
				t.Fatalf("seed %d, step %d, changed %q (-built +updated)\n%s", seed, step, changed, diff)
			}
			for _, shard := range l.read {
				for e, is := range shard {
					if was, ok := before.read.Get(e); ok {
						all++
						if &was.keys[0] != &is.keys[0] {
							again++
						}
					}
				}
			}
		}
		if again == 0 || again == all {
			t.Errorf("seed %d: %d of %d known entries were read again", seed, again, all)
		}
	}
}
