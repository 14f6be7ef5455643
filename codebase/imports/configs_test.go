package imports

import (
	"path"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// insideFolder fails for a folder that a configuration file must not lead to.
func insideFolder(t *testing.T, dir string) {
	t.Helper()
	if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || dir != "" && path.Clean(dir) != dir {
		t.Errorf("leads to %q", dir)
	}
}

func FuzzGoModules(f *testing.F) {
	f.Add("module a.b/c // x\nrequire (\n\td/e v1\n)\nreplace (\n\td/e v1 => ../../out\n\tf => ./in\n)\n",
		"use (\n./x\n../y\n)\nreplace g => /abs", "d/e/f")
	f.Add("module \"q\"\nreplace =>\nuse (", "use )", "")
	f.Fuzz(func(t *testing.T, mod, work, spec string) {
		mods := readGoModules(map[string]string{"sub/go.mod": mod, "go.work": work})
		for _, m := range mods.byDir {
			for _, r := range m.replaced {
				if r.inside {
					insideFolder(t, r.dir)
				}
			}
		}
		_, _ = mods.folderOf("sub/x/y.go", spec)
	})
}

func FuzzComposer(f *testing.F) {
	f.Add(`{"autoload": {"psr-4": {"A\\B\\": ["src", "../../x", "/abs"]}, "psr-0": {"": "lib"}}, "autoload-dev": []}`, `A\B\C`)
	f.Add(`{"autoload": {"psr-4": []}, "autoload-dev": {"psr-4": {"A": 1}}}`, `\`)
	f.Fuzz(func(t *testing.T, text, class string) {
		r := New([]*File{{Path: "p/src/C.syntax.PHP", Language: syntax.PHP}},
			Configs{Texts: map[string]string{"p/composer.json": text}}, nil)
		for _, items := range r.composer {
			for _, a := range items {
				insideFolder(t, a.dir)
			}
		}
		if file, _ := r.autoloaded(dotted(class)); file != "" && !r.has(file) {
			t.Errorf("%q leads to %q", class, file)
		}
	})
}

func FuzzCompileCommands(f *testing.F) {
	f.Add(`[{"directory": "/a/b", "file": "c.c", "command": "cc -I. -I'x y' -isystem=/a -I\\"}]`)
	f.Add(`[{"directory": "C:\\a\\b", "file": "C:\\a\\b\\c.c", "arguments": ["cl", "/I..", "-I"]}]`)
	f.Add(`[{"file": "c.c", "command": "-I../../.."}]`)
	f.Fuzz(func(t *testing.T, text string) {
		files := []*File{{Path: "b/c.c", Language: syntax.C}, {Path: "c.c", Language: syntax.C}}
		r := New(files, Configs{Texts: map[string]string{"compile_commands.json": text}}, nil)
		for file, dirs := range r.compile.byFile {
			if !r.has(file) {
				t.Errorf("knows %q", file)
			}
			for _, d := range dirs {
				insideFolder(t, d)
			}
		}
	})
}

func TestCommandWordsSplitLikeAShell(t *testing.T) {
	for command, want := range map[string]string{
		`cc -Ia b`:                "cc|-Ia|b",
		`cc '-I a' "b \" c" d\ e`: `cc|-I a|b " c|d e`,
		"  ":                      "",
		`x ""`:                    "x|",
		`unclosed "a b`:           "unclosed|a b",
	} {
		if got := strings.Join(commandWords(command), "|"); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

func TestLiteralPathOfSource(t *testing.T) {
	for spec, want := range map[string]string{
		"./lib.sh":                  "./lib.sh",
		"$DIR/lib.sh":               "/lib.sh",
		"${DIR}/a/lib.sh":           "/a/lib.sh",
		`$(dirname "$0")/lib.sh`:    "/lib.sh",
		"$A/$B/lib.sh":              "/lib.sh",
		"`pwd`/lib.sh":              "/lib.sh",
		"$FILE":                     "",
		"${BASH_SOURCE%/*}/lib.sh":  "/lib.sh",
		`"$(cd "$X" && pwd)"/x.sh"`: "/x.sh",
	} {
		if got := literalPath(spec); got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}
