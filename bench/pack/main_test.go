package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase/codebasetest"
)

// TestMain makes the test binary its own syntax worker.
func TestMain(m *testing.M) { codebasetest.Main(m) }

func TestEveryCaseIsMeasured(t *testing.T) {
	from := t.TempDir()
	for i := range 4 {
		text := "package p\n"
		for j := range 5 {
			text += fmt.Sprintf(
				"\n// F%d%d counts the things of number %d.\nfunc F%d%d(all []int) int {\n\treturn len(all) + %d\n}\n", i, j, i, i, j, j)
		}
		if err := sources.Write(filepath.Join(from, fmt.Sprintf("f%d.go", i)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	o := options{from: from, files: 6, entries: 9, packs: 1, budget: 600, runs: filepath.Join(t.TempDir(), "run")}
	r, err := measured(t.Context(), o, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if r.files != 6 || r.entries < 9 {
		t.Errorf("%d files and %d entries", r.files, r.entries)
	}
	for _, name := range []string{"another task", "cursor in another function", "cursor moved within a function", "nothing moved",
		"another file opened", "a key typed in the open file"} {
		if all := r.of(name, 0); len(all) != 1 || all[0].Items == 0 {
			t.Errorf("%s: %+v", name, all)
		}
	}
	for _, ms := range deadlines {
		for _, name := range []string{"deadline, another task", "deadline, another cursor", "deadline, the tree changed"} {
			if len(r.of(name, ms)) != 1 {
				t.Errorf("%s, %d ms: not measured", name, ms)
			}
		}
	}
	if err := r.write(o.runs); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(o.runs + ".md")
	if err != nil || !strings.Contains(string(text), "| nothing moved | 1 |") {
		t.Errorf("%v:\n%s", err, text)
	}
}
