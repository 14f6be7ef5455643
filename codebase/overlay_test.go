package codebase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// TestWithEqualsScan lays random texts over a map, other ones each time, and compares
// each map with a scan of a folder that has them. Between, files change on disk.
func TestWithEqualsScan(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(seed), 3))
			files := map[string]string{"go.mod": "module m\n", "main.go": "package main\n", "package.json": `{"name":"x"}`,
				".gitignore": "ignored*\n"}
			for range 12 {
				p, text := randomDraft(rnd)
				files[p] = text
			}
			root := jailtest.Folder(t, files)
			base, over := scan(t, root), map[string]string{}
			for step := range 25 {
				if step%5 == 4 {
					p, text := randomDraft(rnd)
					files[p] = text
					jailtest.Write(t, root.Dir(), p, text)
					base = updated(t, base, p)
				}
				for range rnd.IntN(3) {
					p, text := randomDraft(rnd)
					over[p] = text
				}
				for p := range over {
					if rnd.IntN(4) == 0 {
						delete(over, p)
					}
				}
				before := base.Fingerprint()
				got, err := base.With(t.Context(), over)
				if err != nil {
					t.Fatal(err)
				}
				all := maps.Clone(files)
				maps.Copy(all, over)
				sameMap(t, fmt.Sprintf("step %d, over %q", step, over), got, scan(t, jailtest.Folder(t, all)))
				if base.Fingerprint() != before {
					t.Error("With changed its receiver")
				}
				sameMap(t, "after Update", updated(t, got, "main.go"), base)
				for _, c := range got.Chunks() {
					if text, err := got.Read(c.Path); err != nil || HashOf(text) != c.Hash {
						t.Errorf("%s: Read gives another text than the map is made of, %v", c.Path, err)
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

func updated(t *testing.T, m *RepoMap, paths ...string) *RepoMap {
	t.Helper()
	m, err := m.Update(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomDraft returns a text and where it is saved; not all belong to a map.
func randomDraft(rnd *rand.Rand) (p, text string) {
	folders := []string{"", "a/", "b/", "a/b/", "new/deep/", "node_modules/", "ignored/x/"}
	d, n := folders[rnd.IntN(len(folders))], rnd.IntN(3)
	switch rnd.IntN(12) {
	case 0:
		return d + "tsconfig.json", []string{`{}`, `{"compilerOptions":{"baseUrl":"."}}`, `{"extends":"./other.json"}`}[n]
	case 1:
		return d + "go.mod", fmt.Sprintf("module m%d\n", n)
	case 2:
		return d + "other.json", []string{`{}`, `{"compilerOptions":{"baseUrl":"..","paths":{"x/*":["a/*"]}}}`,
			`{"compilerOptions":{"baseUrl":"."}}`}[n]
	case 3, 4, 5:
		return d + fmt.Sprintf("g%d.ts", rnd.IntN(3)), fmt.Sprintf(
			"import x from 'a/g%d';\nimport y from './g%d';\nexport function F%d() {}\n", rnd.IntN(3), rnd.IntN(3), n)
	case 6:
		return d + "bin.py", []string{"\x00", "x = 1\n", "def F1(): pass\n"}[n]
	case 7:
		return d + "ignored.go", "package p\n"
	case 8:
		return d + "setup.py", fmt.Sprintf("from setuptools import setup\nsetup(package_dir={'': 'a'}, version=%d)\n", n)
	}
	return d + fmt.Sprintf("f%d.go", rnd.IntN(4)), fmt.Sprintf(
		"package p\n\nimport \"m/a\"\nimport \"m/a/b\"\n\n// @brv:a/b%d\nfunc F%d() { F%d(); p.F%d() }\n", n, n, rnd.IntN(3), rnd.IntN(3))
}

// countingParser counts what it parses.
type countingParser struct {
	Parser
	parsed atomic.Int64
	err    error
}

func (p *countingParser) Parse(ctx context.Context, req syntax.Request) (syntax.File, error) {
	if p.err != nil {
		return syntax.File{}, p.err
	}
	p.parsed.Add(1)
	return p.Parser.Parse(ctx, req)
}

func TestWithParsesOnlyWhatIsNew(t *testing.T) {
	parser := &countingParser{Parser: pool}
	root := jailtest.Folder(t, map[string]string{"a.go": "package a\n", "b.go": "package a\n"})
	m, err := Scan(t.Context(), root, Options{Parser: parser})
	if err != nil {
		t.Fatal(err)
	}
	with := func(want int64, texts map[string]string) *RepoMap {
		t.Helper()
		parser.parsed.Store(0)
		next, err := m.With(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if got := parser.parsed.Load(); got != want {
			t.Errorf("%d parsed, want %d", got, want)
		}
		return next
	}
	if with(0, map[string]string{"a.go": "package a\n", "b.go": "package a\n"}) != m {
		t.Error("equal texts give another map")
	}
	over := with(2, map[string]string{"a.go": "package a // 1\n", "b.go": "package a // 2\n"})
	if with(0, map[string]string{"a.go": "package a // 1\n", "b.go": "package a // 2\n"}) != over {
		t.Error("the same texts give another map")
	}
	with(1, map[string]string{"a.go": "package a // 1\n", "b.go": "package a // 3\n"})
	with(0, map[string]string{"a.go": "package a // 1\n", "b.go": "package a // 2\n"}) // undone
	jailtest.Write(t, root.Dir(), "a.go", "package a // 1\n")
	parser.parsed.Store(0)
	m = updated(t, m, "a.go")
	if n := parser.parsed.Load(); n > 0 {
		t.Errorf("a saved text is parsed %d times more", n)
	}
	if over := with(0, map[string]string{"a.go": "package a // 1\n", "b.go": "package a // 2\n"}); over.over == nil {
		t.Error("nothing is laid over the updated map")
	}
}

// TestWithKnowsATextWhoseFileIsStillRead lays the very texts of files over the map that has only words of
// them.
func TestWithKnowsATextWhoseFileIsStillRead(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	files := map[string]string{"named.go": "package a\n\nfunc Named() {}\n"}
	for i := range worthEarly {
		files[fmt.Sprintf("more%d.go", i)] = "package a\n"
	}
	asked := false
	_, err := Scan(t.Context(), jailtest.Folder(t, files), Options{Parser: pool, Preliminary: func(early *RepoMap) {
		asked = true
		m, err := early.With(t.Context(), map[string]string{"named.go": files["named.go"]})
		if err != nil || len(m.Lookup("Named")) != 1 {
			t.Errorf("%d definitions, %v", len(m.Lookup("Named")), err)
		}
	}})
	if err != nil || !asked {
		t.Errorf("no map of words: %v", err)
	}
}

func TestWithWithoutAParser(t *testing.T) {
	parser := &countingParser{Parser: pool, err: errors.New("no worker")}
	m, err := Scan(t.Context(), jailtest.Folder(t, map[string]string{"a.go": "package a\n"}), Options{Parser: parser, MaxFileSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	next, err := m.With(t.Context(), map[string]string{"a.go": "package a\n\n// zebra\n", "b.go": strings.Repeat("x", 101)})
	if err != nil {
		t.Fatal(err)
	}
	if ranked := next.Rank(Query{Task: "zebra", Offset: -1}); len(ranked) != 1 || ranked[0].Path != "a.go" {
		t.Errorf("the words of the text are not found: %v", ranked)
	}
	if got := next.Skipped(); !slices.Equal(got, []Skipped{{"b.go", "too large"}}) {
		t.Errorf("skipped: %v", got)
	}
	parser.err = syntax.ErrClosed
	if _, err := m.With(t.Context(), map[string]string{"a.go": "package b"}); !errors.Is(err, syntax.ErrClosed) {
		t.Errorf("closed parser: %v", err)
	}
	if _, ok := next.over.text("a.go"); !ok || Empty().filter != nil {
		t.Error("no overlay")
	}
	if e, err := Empty().With(t.Context(), map[string]string{"a.go": "x"}); err != nil || len(e.Chunks()) > 0 {
		t.Errorf("over no map: %v, %v", e.Chunks(), err)
	}
}

// TestWithLeavesOutWhatIsNoFile lays texts over links and other repositories.
func TestWithLeavesOutWhatIsNoFile(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x", "sub/.git/HEAD": "x", "sub/s.go": "package s"})
	for _, link := range []struct{ to, at string }{{"a.go", "link.go"}, {"sub", "linked"}, {"..", "up"}} {
		if err := os.Symlink(link.to, filepath.Join(root.Dir(), link.at)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	m := scan(t, root)
	texts := map[string]string{}
	for _, p := range []string{"link.go", "linked/x.go", "linked/new/x.go", "sub/s.go", "sub/t/t.go", "up/x.go", "../x.go", "/x.go",
		"a.go/x.go", "", "."} {
		texts[p] = "package x\n"
	}
	next, err := m.With(t.Context(), texts)
	if err != nil || next != m {
		t.Errorf("laid over: %v, %v", next.over, err)
	}
}

func TestWithKeepsHistoryAndTexts(t *testing.T) {
	m := scan(t, jailtest.Folder(t, map[string]string{"a.go": "package a\n"}))
	over, err := m.With(t.Context(), map[string]string{"a.go": "package b\n"})
	if err != nil {
		t.Fatal(err)
	}
	h := new(history.History)
	for name, m := range map[string]*RepoMap{"base": m.WithHistory(h), "overlay": over.WithHistory(h)} {
		again, err := m.With(t.Context(), map[string]string{"a.go": "package b\n"})
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := again.Read("a.go"); text != "package b\n" || again.History() != h || updated(t, again).History() != h {
			t.Errorf("%s: %q, history kept: %v", name, text, again.History() == h)
		}
	}
}
