package codebase

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

func pathsOf(m *RepoMap) []string {
	var out []string
	for _, c := range m.Chunks() {
		out = append(out, c.Path)
	}
	return out
}

func TestDiscoveryKeepsSourcesOnly(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{
		".gitignore":           "gen/\n*.tmp.go\n",
		".git/info/exclude":    "private.go\n",
		"a.go":                 "package a",
		"private.go":           "package a",
		"x.tmp.go":             "package a",
		"gen/g.go":             "package gen",
		"b.mjs":                "",
		"c.pyi":                "",
		"README.md":            "",
		"node_modules/x.js":    "",
		"sub/vendor/v.go":      "package v",
		"sub/.gitignore":       "!y.tmp.go\n/z.go\n",
		"sub/y.tmp.go":         "package sub",
		"sub/z.go":             "package sub",
		"sub/deep/z.go":        "package deep",
		"big.go":               "package big\n" + strings.Repeat("// x\n", 1000),
		"binary.go":            "package b\x00",
		"own/skipped.go":       "package own",
		"own/kept/kept.go":     "package kept",
		"latin1.py":            "x = '\xe9'\n",
		"empty.ts":             "",
		"weird name/ü file.ts": "export const x = 1",
	})
	if err := os.Symlink("a.go", filepath.Join(root.Dir(), "link.go")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	if err := os.Symlink("sub", filepath.Join(root.Dir(), "linked")); err != nil {
		t.Fatal(err)
	}
	m, err := Scan(t.Context(), root, Options{MaxFileSize: 4096, Exclude: []string{"own/*.go"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.go", "b.mjs", "c.pyi", "empty.ts", "latin1.py", "own/kept/kept.go", "sub/deep/z.go", "sub/y.tmp.go",
		"weird name/ü file.ts"}
	if diff := cmp.Diff(want, pathsOf(m)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	skipped := []Skipped{{"big.go", "too large"}, {"binary.go", "binary"}, {"link.go", "not a regular file"}}
	if diff := cmp.Diff(skipped, m.Skipped()); diff != "" {
		t.Errorf("skipped -want +got:\n%s", diff)
	}
}

func TestMalformedPatternIsAnError(t *testing.T) {
	if _, err := Scan(t.Context(), jailtest.Folder(t, nil), Options{Include: []string{"[a"}}); err == nil {
		t.Error("no error")
	}
}

func TestScanCanBeCancelled(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a", "b.go": "package b"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Scan(ctx, root, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	_, err := Scan(ctx, root, Options{Progress: func(done, total int) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while reading: %v", err)
	}
}

// failing is a parser that cannot work.
type failing struct{}

var errBroken = errors.New("broken")

func (failing) Parse(context.Context, syntax.Request) (syntax.File, error) {
	return syntax.File{}, errBroken
}

func TestParserThatCannotWorkLeavesTheWords(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a\n\nfunc Quota() {}\n"})
	m, err := Scan(t.Context(), root, Options{Parser: failing{}})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := m.Chunk("a.go")
	if c.Partial != "no syntax: broken" || len(m.Rank(Query{Task: "quota", Offset: -1})) != 1 {
		t.Errorf("%q, %+v", c.Partial, m.Rank(Query{Task: "quota"}))
	}
	m.scanner.opts.Parser = pool // the next look finds a parser that works
	if m, err = m.Update(t.Context(), []string{"a.go"}); err != nil || len(m.Lookup("Quota")) != 1 {
		t.Errorf("not tried again: %v", err)
	}
}

func TestProgressCountsEveryFile(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a", "b.go": "package b", "c.go": "\x00"})
	var calls []int
	m, err := Scan(t.Context(), root, Options{Progress: func(done, total int) { calls = append(calls, done, total) }})
	if err != nil || !slices.Equal(calls, []int{1, 3, 2, 3, 3, 3}) {
		t.Errorf("%v, %v", calls, err)
	}
	for i, changed := range []string{"a.go", "."} { // nobody would say that these are over
		jailtest.Write(t, root.Dir(), "a.go", fmt.Sprintf("package a%d", i))
		if m, err = m.Update(t.Context(), []string{changed}); err != nil || len(calls) != 6 {
			t.Errorf("%s: %v, %v", changed, calls, err)
		}
	}
}

// counting counts what reaches the parser.
type counting struct{ n atomic.Int64 }

func (c *counting) Parse(_ context.Context, req syntax.Request) (syntax.File, error) {
	c.n.Add(1)
	return syntax.File{}, nil
}

func TestUnchangedContentIsParsedOnce(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a", "b.go": "package b"})
	parser := &counting{}
	m, err := Scan(t.Context(), root, Options{Parser: parser})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"package c", "package a", "package c"} { // back and forth, as branches do
		jailtest.Write(t, root.Dir(), "a.go", text)
		if m, err = m.Update(t.Context(), []string{"a.go", ".gitignore"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := parser.n.Load(); n != 3 {
		t.Errorf("parsed %d times", n)
	}
}

func TestTypesFollowTheTable(t *testing.T) {
	for p, want := range map[string]ChunkType{
		"src/index.ts": EntryPoint, "main.go": EntryPoint, "cmd/x/main.go": EntryPoint, "app.py": EntryPoint, "server.js": EntryPoint,
		"src/lib.rs": EntryPoint, "src/net/mod.rs": CoreModule, "lib/a.js": CoreModule, "core/x.py": CoreModule,
		"src/types.ts": Types, "src/types/user.ts": Types, "a.d.ts": Types,
		"vite.config.ts": Config, "settings.py": Config, "src/utils/x.ts": Utility, "helpers.go": Utility,
		"a_test.go": Test, "src/a.test.ts": Test, "tests/x.py": Test, "test_x.py": Test, "index.go": Other, "router.go": Other,
		"docs_src/a/main.py": Test, "_examples/x.go": Test, "dts/ref.test-d.ts": Test, "lib/core/test_functions.bash": CoreModule,
	} {
		if got := TypeOf(p); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
}

func TestDependentsRaiseImportance(t *testing.T) {
	m := scan(t, jailtest.Folder(t, map[string]string{
		"a.ts": "import './hub'", "b.ts": "import './hub'; import './a'", "hub.ts": "export const x = 1", "alone.ts": "",
	}))
	importance := map[string]float64{}
	for _, c := range m.Chunks() {
		importance[c.Path] = c.Importance
	}
	want := map[string]float64{"hub.ts": .6, "a.ts": .4 + .1, "b.ts": .4, "alone.ts": .4}
	if diff := cmp.Diff(want, importance, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadStaysInTheMap(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": "package a", "secret.txt": "x"})
	m := scan(t, root)
	if text, err := m.Read("a.go"); err != nil || text != "package a" {
		t.Errorf("%q, %v", text, err)
	}
	c, _ := m.Chunk("a.go")
	if c.Hash != HashOf("package a") {
		t.Error("hash of the text differs")
	}
	for _, p := range []string{"secret.txt", "../x", "/etc/passwd"} {
		if _, err := m.Read(p); err == nil {
			t.Errorf("%s was read", p)
		}
	}
}
