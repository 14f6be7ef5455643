package discover

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// What git tracks belongs to the map although a pattern ignores it or its folder is called as build output is; what it
// does not track there does not.
func TestTrackedFilesBelongToTheMap(t *testing.T) {
	needsGit(t)
	root := jailtest.Folder(t, map[string]string{
		".gitignore": "*.gen.go\nmade/\n", "a.go": "", "kept.gen.go": "", "new.gen.go": "", "made/deep/kept.go": "",
		"made/new.go":        "",
		"build/tool/kept.go": "", "build/tool/new.go": "", "build/new.go": "", "lib/build/kept.py": "", "target/new.rs": "",
		"node_modules/kept.js": "", "dist/kept.js": "", "dist/new.js": "", "build/node_modules/kept.js": "",
		"internal/vendor/supplier.go": "", "vendor/modules.txt": "", "vendor/a/copied.go": "",
		"tools/venv/pyvenv.cfg": "", "tools/venv/lib/copied.py": "",
	})
	dir := root.Dir()
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "add", "-f", "a.go", "kept.gen.go", "made/deep/kept.go", "build/tool/kept.go", "lib/build/kept.py",
		"node_modules/kept.js", "dist/kept.js", "build/node_modules/kept.js", "internal", "vendor", "tools")
	want := []string{"a.go", "build/tool/kept.go", "dist/kept.js", "internal/vendor/supplier.go", "kept.gen.go", "lib/build/kept.py", "made/deep/kept.go"}
	for _, version := range []string{"2", "3", "4"} {
		git(t, dir, "", "update-index", "--index-version", version)
		found := walk(t, root, Options{})
		if got := pathsOf(found.Files); !slices.Equal(got, want) {
			t.Errorf("index %s: %q, want %q", version, got, want)
		}
		for p, wanted := range map[string]bool{
			"build/tool/kept.go": true, "build/tool/new.go": false, "made/deep/kept.go": true, "made/deep/new.go": false,
			"kept.gen.go": true, "new.gen.go": false, "b.go": true, "node_modules/kept.js": false,
			"dist/kept.js": true, "dist/new.js": false, "vendor/a/copied.go": false,
		} {
			if got := found.Filter.WantsFile(p); got != wanted {
				t.Errorf("index %s: wants %s: %t", version, p, got)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".git/index"), []byte("DIRC no index"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := pathsOf(walk(t, root, Options{}).Files); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("a broken index: %q", got)
	}
}

// The paths of an index are those that git lists.
func TestIndexIsReadAsGitDoes(t *testing.T) {
	needsGit(t)
	files := map[string]string{}
	for _, p := range strings.Fields("a a.b a/b a/b.c ab é/ü.go z/" + strings.Repeat("long", 50) + " z/x z/x.y q") {
		if p != "a" && p != "é/ü.go" {
			files[p] = p
		}
	}
	files["é/ü.go"] = ""
	dir := jailtest.Folder(t, files).Dir()
	git(t, dir, "", "init", "-q")
	git(t, dir, "", "add", ".")
	git(t, dir, "", "add", "-N", "q") // version 3 where a flag needs it
	for _, version := range []string{"2", "4"} {
		git(t, dir, "", "update-index", "--index-version", version)
		index, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimRight(git(t, dir, "", "ls-files", "-z"), "\x00"), "\x00")
		if got, _ := readIndex(index); !slices.Equal(got, want) {
			t.Errorf("version %s: %q, git has %q", version, got, want)
		}
	}
}

// In version 4 a path may begin as the one before does: a small file must not name gigabytes.
func TestPathsOfAnIndexAreBounded(t *testing.T) {
	for _, first := range []int{maxPath - 100, 200_000} {
		const more = 100_000
		index := []byte("DIRC\x00\x00\x00\x04")
		index = binary.BigEndian.AppendUint32(index, more+1)
		fixed := strings.Repeat("\x00", 62)
		index = append(index, fixed+"\x00"+strings.Repeat("a", first)+"\x00"...)
		for range more {
			index = append(index, fixed+"\x00\x00"...) // the same path again
		}
		if got, _ := readIndex(index); got != nil {
			t.Errorf("a first path of %d bytes: %d paths", first, len(got))
		}
	}
}

func FuzzIndex(f *testing.F) {
	entry := func(path string) string { return strings.Repeat("\x00", 62) + path + "\x00\x00" }
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + entry("a/b.go")))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + strings.Repeat("\x00", 63) + "a\x00"))
	f.Fuzz(func(t *testing.T, index []byte) {
		if paths, _ := readIndex(index); !slices.IsSorted(paths) || len(paths) > len(index)/62 {
			t.Errorf("%q", paths)
		}
	})
}
