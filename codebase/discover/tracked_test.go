package discover

import (
	"os"
	"path/filepath"
	"slices"
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
