package codebase

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// TestStandingFollowsTheGraph has what a library is made of: a file that most use through a barrel or a header stands
// first, what passes on, is empty, copied, a test or an example stands aside, and each kind of package is entered where it
// begins.
func TestStandingFollowsTheGraph(t *testing.T) {
	files := map[string]string{
		// A Python package, with examples that outnumber it.
		"web/__init__.py":       "from .applications import App\n",
		"web/applications.py":   "from .routing import Route\n\nclass App:\n    def add(self): pass\n    def run(self): pass\n",
		"web/routing.py":        "class Route:\n    def match(self): pass\n",
		"web/inner/__init__.py": "",
		"web/__main__.py":       "from web import App\nApp().run()\n",
		// C: the header is what others include, the source what it speaks of.
		"c/dict.h":     "int dict_add(int k);\n",
		"c/dict.c":     "#include \"dict.h\"\nint dict_add(int k) { return k; }\nint dict_del(int k) { return k; }\n",
		"c/server.c":   "#include \"dict.h\"\nint main(void) { return dict_add(1); }\n",
		"deps/lib.c":   "int main(void) { return 0; }\n",
		"deps/other.c": "int other(void) { return 0; }\n",
		// A crate, a Go module and a package of a monorepo.
		"crates/a/Cargo.toml":        "[package]\nname = \"a\"\n",
		"crates/a/src/lib.rs":        "pub mod parse;\npub fn run() {}\n",
		"crates/a/src/parse.rs":      "pub fn parse() {}\n",
		"go.mod":                     "module example.org/gin\n",
		"gin.go":                     "package gin\n\nfunc New() int { return 1 }\n",
		"other.go":                   "package gin\n\nfunc Other() int { return New() }\n",
		"packages/ui/package.json":   "{\"name\": \"ui\"}",
		"packages/ui/src/index.ts":   "export * from './button'\n",
		"packages/ui/src/button.ts":  "export class Button { click() {} }\n",
		"packages/ui/src/x/index.ts": "export function deep() {}\n",
	}
	for i := range 9 {
		files[fmt.Sprintf("docs_src/e%d.py", i)] = "from web import App\n\ndef example():\n    return App()\n"
		files[fmt.Sprintf("c/user%d.c", i)] = "#include \"dict.h\"\nint user(void) { return dict_add(1); }\n"
	}
	m := scan(t, jailtest.Folder(t, files))
	names := func(chunks []*Chunk) (out []string) {
		for _, c := range chunks {
			out = append(out, c.Path)
		}
		return out
	}
	best := names(m.Central())
	if got := best[:2]; !slices.Contains(got, "web/applications.py") || !slices.Contains(got, "c/dict.c") {
		t.Errorf("the first are %v", got)
	}
	for _, p := range best {
		if strings.HasPrefix(p, "docs_src/") || strings.HasPrefix(p, "deps/") || p == "web/__init__.py" || p == "packages/ui/src/index.ts" {
			t.Errorf("%s is no part of what the project is about", p)
		}
	}
	if best := m.Standing(best[0]); best != 1 {
		t.Errorf("the first stands at %v", best)
	}
	entries := names(m.EntryPoints())
	slices.Sort(entries)
	want := []string{"c/server.c", "crates/a/src/lib.rs", "gin.go", "packages/ui/src/index.ts", "web/__init__.py", "web/__main__.py"}
	if !slices.Equal(entries, want) {
		t.Errorf("entry points %v, want %v", entries, want)
	}
}
