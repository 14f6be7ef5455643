package codebase

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// TestUpdateEqualsScan edits a tree at random and checks after each step that
// the updated map is the one a new scan makes, and that the old one stayed.
func TestUpdateEqualsScan(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(seed), 1))
			root := jailtest.Folder(t, map[string]string{
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

// TestUpdateEqualsScanOfPackages edits files that pass names on: barrels of
// TypeScript, Python packages, Rust modules, headers of C, and files that see
// their package without importing it. Paths stay, so that as little as possible
// is resolved again.
func TestUpdateEqualsScanOfPackages(t *testing.T) {
	byLanguage := map[string][]string{}
	for p := range packageLines {
		ext := path.Ext(p)
		if ext == ".h" {
			ext = ".c"
		}
		byLanguage[ext] = append(byLanguage[ext], p)
	}
	for ext, places := range byLanguage {
		slices.Sort(places)
		t.Run(ext, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			files := map[string]string{"go.mod": "module m\n", "Cargo.toml": "[package]\nname = \"x\"\n"}
			for _, p := range places {
				files[p] = randomText(rnd, p)
			}
			root := jailtest.Folder(t, files)
			m := scan(t, root)
			for step := range 100 {
				p := places[rnd.IntN(len(places))]
				text := randomText(rnd, p)
				jailtest.Write(t, root.Dir(), p, text)
				var err error
				if m, err = m.Update(t.Context(), []string{p}); err != nil {
					t.Fatal(err)
				}
				sameMap(t, fmt.Sprintf("step %d, %s:\n%s", step, p, text), m, scan(t, root))
				if t.Failed() {
					return
				}
			}
		})
	}
}

// packageLines are the files of a tree and the lines that each may consist of; the
// first always stands there. "N?" is a random name.
var packageLines = map[string][]string{
	"t/index.ts": {"", "export * from './a'", "export { N? } from './a'", "export { N? } from './b'",
		"import { N? } from './b'", "export * from './deep'"},
	"t/deep.ts":                 {"", "export * from './b'", "export { N? } from './a'", "export function N?() {}"},
	"t/a.ts":                    {"", "export function N?() {}", "import { N? } from './b'"},
	"t/b.ts":                    {"", "export function N?() {}", "export { N? } from './c'"},
	"t/c.ts":                    {"", "export function N?() {}"},
	"use/use.ts":                {"", "import { N? } from '../t'", "import { N? } from '../t/deep'", "import all from '../t'"},
	"py/__init__.py":            {"", "from .a import N?", "from .sub import *", "from . import sub", "sub = 1", "def N?(): pass"},
	"py/a.py":                   {"", "def N?(): pass", "from .sub import N?"},
	"py/sub/__init__.py":        {"", "from .deep import N?", "from .deep import *", "def N?(): pass"},
	"py/sub/deep.py":            {"", "def N?(): pass"},
	"use/sub.py":                {"from py import sub"},
	"far/d.ts":                  {"", "export function N?() {}", "export { N? } from '../e/e'"},
	"e/e.ts":                    {"", "export function N?() {}"},
	"plain/plain.ts":            {"import { N0, N1, N2 } from '../far/d'"},
	"use/plain.ts":              {"import { N? } from '../plain/plain'"},
	"use/use.py":                {"", "from py import N?", "from py import sub", "from py.sub import N?", "from py.a import N?"},
	"src/main/java/acme/A.java": {"package acme;", "import acme.x.N?;", "import acme.x.*;", "class A { N? n; }", "class N? {}"},
	"src/main/java/acme/B.java": {"package acme;", "class B { N? n; }", "class N? {}"},
	"src/test/java/acme/T.java": {"package acme;", "import acme.x.N?;", "class T { N? n; }"},
	"src/main/java/x/X.java":    {"package acme.x;", "class N? {}"},
	"cs/A.cs":                   {"namespace Acme.Inner;", "using Acme.Other;", "class A { N? n; }"},
	"other/B.cs":                {"namespace Acme;", "class N? {}"},
	"s/A.scala":                 {"package acme.s", "import t.N?", "class A { val n = new N? }"},
	"s/t/B.scala":               {"package acme.s.t", "class N?"},
	"c/a.c":                     {"", "#include \"b.h\"", "#include \"../inc/impl.h\""},
	"c/b.h":                     {"", "#include \"impl.h\""},
	"inc/impl.h":                {"", "void N?(void);"},
	"c/impl.c":                  {"", "#include \"impl.h\"", "#include \"../inc/impl.h\"", "void N?(void) {}"},
	"src/lib.rs":                {"mod m; mod o;", "use m::N?;", "pub use m::*;", "use o::inner::N?;"},
	"src/m.rs":                  {"pub mod n;", "pub struct N?;", "pub use self::n as o;", "pub use self::n::N?;"},
	"src/m/n.rs":                {"", "pub struct N?;", "use crate::m::o::N?;"},
	"src/o.rs":                  {"", "pub mod inner { pub struct N?; }", "use crate::m::N?;", "use crate::N?;"},
	"g/a.go":                    {"package g", "func N?() {}"},
	"g/b.go":                    {"package g", "func b() { N?() }"},
	"h/h.go":                    {"package h", "import \"m/g\"", "func h() { g.N?() }"},
}

func randomText(rnd *rand.Rand, p string) string {
	lines := packageLines[p]
	text := strings.ReplaceAll(lines[0], "N?", "N0") + "\n"
	for _, line := range lines[1:] {
		if rnd.IntN(2) == 0 {
			text += strings.ReplaceAll(line, "N?", fmt.Sprintf("N%d", rnd.IntN(3))) + "\n"
		}
	}
	return text
}

// TestWalkOfAnUnchangedFolder looks for changes that nobody told of.
func TestWalkOfAnUnchangedFolder(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a\n", "b/b.go": "package b\n", "go.mod": "module m\n"})
	m := scan(t, root)
	walked := func() *RepoMap { return updated(t, m, ".") }
	if walked() != m {
		t.Error("an unchanged folder gives another map")
	}
	for _, change := range []struct{ path, text string }{
		{"a.go", "package z\n"}, {"new/c.go", "package c\n"}, {".gitignore", "none\n"}, {"go.mod", "module n\n"},
		{"b/.gitignore", "b.go\n"},
	} {
		jailtest.Write(t, root.Dir(), change.path, change.text)
		next := walked()
		if next == m {
			t.Errorf("%s is not noticed", change.path)
		}
		sameMap(t, change.path, next, scan(t, root))
		if m = next; walked() != m {
			t.Errorf("after %s an unchanged folder gives another map", change.path)
		}
	}
	text, err := m.Read("a.go")
	if err != nil || text != "package z\n" {
		t.Errorf("read %q, %v", text, err)
	}
}

// TestWalkAfterAFolderWasReplaced puts other things where a folder was.
func TestWalkAfterAFolderWasReplaced(t *testing.T) {
	outside := t.TempDir()
	jailtest.Write(t, outside, "b.go", "package secret\n")
	root := jailtest.Folder(t, map[string]string{"a.go": "package a\n", "b/b.go": "package b\n", "b/c/c.go": "package c\n"})
	at := filepath.Join(root.Dir(), "b")
	m := scan(t, root)
	for _, put := range []struct {
		name string
		make func() error
		want int // files
	}{
		{"a link out", func() error { return os.Symlink(outside, at) }, 1},
		{"a link inside", func() error { return os.Symlink(".", at) }, 1},
		{"a file", func() error { return os.WriteFile(at, nil, 0o600) }, 1},
		{"nothing", func() error { return nil }, 1},
		{"another folder", func() error { return os.MkdirAll(filepath.Join(at, "c"), 0o700) }, 1},
		{"a folder with files", func() error {
			jailtest.Write(t, root.Dir(), "b/b.go", "package other\n")
			return nil
		}, 2},
	} {
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if err := put.make(); err != nil {
			t.Skip(err)
		}
		m = updated(t, m, ".")
		if len(m.Chunks()) != put.want {
			t.Errorf("%s: %d files; want %d", put.name, len(m.Chunks()), put.want)
		}
		sameMap(t, put.name, m, scan(t, root))
	}
}

func sameMap(t *testing.T, when string, got, want *RepoMap) {
	t.Helper()
	opts := cmp.Options{cmp.AllowUnexported(Chunk{}, record{}, vector{}, field{}, segment{}),
		cmpopts.IgnoreFields(Chunk{}, "symbols"), cmpopts.EquateEmpty()}
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
	if diff := cmp.Diff(want.Rank(Query{Task: "refresh F1 in a/b"}), got.Rank(Query{Task: "refresh F1 in a/b"})); diff != "" {
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
		p, text = d+fmt.Sprintf("g%d.ts", n), fmt.Sprintf(
			"import x from 'a/g%d';\nimport y from './g%d';\nexport function F%d() {}\n", rnd.IntN(3), rnd.IntN(3), n)
	case 6:
		p, text = d+"bin.py", "\x00"
	default:
		text = fmt.Sprintf("package p\n\nimport \"m/a\"\nimport \"m/a/b\"\n\nfunc F%d() { F%d(); p.F%d() }\n", n, rnd.IntN(3),
			rnd.IntN(3))
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
		jailtest.Write(t, dir, p, text)
	}
	return p
}
