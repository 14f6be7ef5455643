package imports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// FuzzConfigs feeds one text to every reader of configuration files and resolves
// imports with what they made of it: nothing panics, and no target is a file that
// is not mapped.
func FuzzConfigs(f *testing.F) {
	f.Add(
		`{"extends": ["./tsconfig.json"], "references": [{"path": "."}], "compilerOptions": {"baseUrl": "..", "paths": {"*": ["*"]}, "rootDirs": ["."]}}`)
	f.Add(
		`{"name": "x", "workspaces": ["**", "!a"], "exports": {"./*": {"import": ["./*.js"]}}, "imports": {"#*": "x/*"}, "typesVersions": {"*": {"*": ["*"]}}}`)
	f.Add("[package]\nname = 'x'\nbuild = \"a.rs\"\n[[bin]]\npath = \"src/a.rs\"\n[dependencies]\nx = { path = \"..\", package = 'y' }\n")
	f.Add("packages:\n  - 'a/*' # x\n  - \"!b\"\n[a\n=[[{x=")
	f.Fuzz(func(t *testing.T, text string) {
		configs := Configs{Texts: map[string]string{}, Read: func(string) (string, error) { return text, nil }}
		for _, dir := range []string{"", "a/", "a/b/"} {
			for _, name := range []string{"tsconfig.json", "package.json", "pnpm-workspace.yaml", "Cargo.toml", "pyproject.toml"} {
				configs.Texts[dir+name] = text
			}
		}
		specs := []string{"x", "./a", "..", "#a", "/a", "x/a", "~", "crate::a::b", "super::super::x", "x::y::*", "Self", "."}
		var files []*File
		for _, p := range []string{"a.rs", "a.ts", "a/b/i.js", "a/b/index.ts", "a/b/x.py", "a/src/lib.rs", "src/lib.rs"} {
			file := &File{Path: p, Language: syntax.LanguageOf(p)}
			for _, s := range specs {
				file.Imports = append(file.Imports, syntax.Import{Spec: s, Names: []string{"a"}},
					syntax.Import{Spec: s, Kind: syntax.ImportReexport})
			}
			files = append(files, file)
		}
		r := New(files, configs, nil)
		outsideAll(t, r, New(nil, configs, nil), files)
		for _, file := range files {
			for i, target := range r.Resolve(file).Targets {
				if (len(target.Paths) == 0) == (target.Reason == "") {
					t.Errorf("%s: %s: %+v", file.Path, file.Imports[i].Spec, target)
				}
				for _, p := range target.Paths {
					if !r.has(p) {
						t.Errorf("%s: %s leads to %s", file.Path, file.Imports[i].Spec, p)
					}
				}
			}
		}
	})
}

func FuzzFits(f *testing.F) {
	f.Add("**/*.ts", "a/b.ts")
	f.Add("a/**/b", "a/b")
	f.Add("[", "[")
	f.Fuzz(func(t *testing.T, pattern, p string) {
		fits(pattern, p)
		if !fits("**", p) || !strings.ContainsAny(pattern, `*?[\{`) && fits(pattern, p) != (pattern == p) {
			t.Errorf("%q %q", pattern, p)
		}
	})
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"packages/*", "packages/a", true},
		{"packages/*", "packages/a/b", false},
		{"packages/**", "packages/a/b", true},
		{"**/x", "x", true},
		{"**/x/**/y", "a/x/b/x/c/y", true},
		{"**/x/**/y", "a/x/b/z", false},
		{"a/?", "a/bc", false},
	} {
		if got := fits(c.pattern, c.path); got != c.want {
			t.Errorf("%s, %s: %v", c.pattern, c.path, got)
		}
	}
}

func TestTOMLStrings(t *testing.T) {
	values := tomlStrings(
		"# c\na = 1\n[t.'u v']\nb = \"x\" # y\nc = [\"p\", # q\n 'r',\n]\nd = { e = \"f\", g = { h = true } }\ni.j = " +
			"'k'\n[[l]]\nm = 'n'\n[[l]]\nm = 'o'\nbad = = \n]]\nz = 'end'\n")
	for key, want := range map[string]string{
		"a": "[1]", "t u v b": "[x]", "t u v c": "[p r]", "t u v d e": "[f]", "t u v d g h": "[true]", "t u v i j": "[k]",
		"l 0 m": "[n]", "l 1 m": "[o]", "l 1 z": "[end]",
	} {
		if got := fmt.Sprint(values[strings.ReplaceAll(strings.Replace(key, "u v", "u|v", 1), " ", "\x00")]); got != want &&
			!strings.Contains(key, "u v") {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got := tomlString(values, "t", "u v", "b"); got != "x" {
		t.Errorf("quoted key: %q", got)
	}
	if got := values[tomlKey("t", "u v", "c")]; fmt.Sprint(got) != "[p r]" {
		t.Errorf("list: %v", got)
	}
	if got := tomlString(values, "t", "u v", "d", "g", "h"); got != "true" {
		t.Errorf("inline table: %q", got)
	}
}

// BenchmarkResolve resolves 20,000 files of a workspace, each with ten imports: four
// relative, three through a barrel of stars, one of a package, two from outside.
func BenchmarkResolve(b *testing.B) {
	const packages, each = 100, 200
	configs := Configs{Texts: map[string]string{
		"package.json":  `{"workspaces": ["packages/*"]}`,
		"tsconfig.json": `{"include": ["packages/**/*"], "compilerOptions": {"paths": {"~/*": ["./packages/p0/src/*"]}}}`,
	}}
	var files []*File
	for p := range packages {
		dir := fmt.Sprintf("packages/p%d", p)
		configs.Texts[dir+"/package.json"] = fmt.Sprintf(
			`{"name": "@x/p%d", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.js"}}}`, p)
		index := &File{Path: dir + "/src/index.ts", Language: syntax.TypeScript}
		for i := range each - 1 {
			index.Imports = append(index.Imports, syntax.Import{Spec: fmt.Sprintf("./f%d.js", i), Kind: syntax.ImportReexport})
			f := &File{Path: fmt.Sprintf("%s/src/f%d.ts", dir, i), Language: syntax.TypeScript,
				Defines: []terms.Term{terms.Name(fmt.Sprintf("n%d", i))}}
			for k := range 10 {
				name := fmt.Sprintf("n%d", (i+7*k)%(each-1))
				spec := []string{"./f1", "./f2.js", "./f3", "../src/f4", ".", "./index", "./index.js",
					fmt.Sprintf("@x/p%d", (p+1)%packages), "react", "node:fs"}[k]
				f.Imports = append(f.Imports, syntax.Import{Spec: spec, Names: []string{name}})
			}
			files = append(files, f)
		}
		files = append(files, index)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := New(files, configs, nil)
		for _, f := range files {
			r.Resolve(f)
		}
	}
}
