package imports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// randomPlaces are the files of the random trees: barrels of TypeScript, packages
// of Python that pass names on, of Go, of Java in two source roots, with Kotlin
// and Scala among them, namespaces of C# and PHP, Swift modules, C headers, Rust
// modules.
var randomPlaces = []string{
	"ts/a.ts", "ts/b.ts", "ts/index.ts", "ts/sub/index.ts", "ts/sub/c.ts",
	"py/__init__.py", "py/a.py", "py/sub/__init__.py", "py/sub/b.py",
	"p/a.go", "p/b.go", "p/c_test.go", "q/d.go",
	"src/main/java/acme/A.java", "src/main/java/acme/B.java", "src/test/java/acme/C.java", "src/main/java/acme/x/D.java",
	"src/main/java/acme/E.kt", "src/main/scala/acme/package.scala", "src/main/scala/acme/F.scala",
	"cs/A.cs", "cs/B.cs", "php/A.php", "php/B.php", "Sources/M/a.swift", "Sources/M/b.swift", "Tests/T/c.swift",
	"c/a.c", "c/a.h", "c/b.h", "src/lib.rs", "src/m.rs", "src/m/n.rs",
}

var randomConfigs = Configs{Texts: map[string]string{
	"go.mod": "module x", "Cargo.toml": "[package]\nname = 'x'", "composer.json": `{"autoload": {"psr-4": {"other\\": "php"}}}`,
}}

// specs are what files of a language may import in the random trees.
var randomSpecs = map[syntax.Language][]string{
	syntax.TypeScript: {"./a", "./b", ".", "./sub", "./c", "..", "../b"},
	syntax.Python:     {".", ".a", "..a", ".sub", "py.sub.b", ".b", "py"},
	syntax.Go:         {"x/p", "x/q"},
	syntax.Java:       {"acme.N1", "acme.*", "acme.x.N2", "acme.x.*", "acme.A.N3"},
	syntax.Kotlin:     {"acme.N1", "acme.*", "acme.x.N2"},
	syntax.Scala:      {"acme.N1", "acme._", "x.N2", "acme.acme.N1"},
	syntax.CSharp:     {"acme", "acme.x", "acme.N1"},
	syntax.PHP:        {`acme\N1`, `acme\x\N2`, `other\A`},
	syntax.Swift:      {"M", "T", "M.N1"},
	syntax.C:          {"a.h", "b.h", "c/b.h"},
	syntax.Rust:       {"crate::m::N1", "crate::m::*", "self::n::N2", "super::N3", "m", "n"},
}

func randomFile(rnd *rand.Rand, p string) *File {
	f := &File{Path: p, Language: syntax.LanguageOf(p)}
	switch f.Language {
	case syntax.Go:
		f.Module = []string{"p", "p", "q", "main"}[rnd.IntN(4)]
	case syntax.Java, syntax.Kotlin, syntax.Scala, syntax.CSharp, syntax.PHP:
		f.Module = []string{"acme", "acme", "acme", "acme.x", ""}[rnd.IntN(5)]
	}
	name := func() string { return fmt.Sprintf("N%d", rnd.IntN(5)) }
	for range rnd.IntN(4) {
		f.Defines = append(f.Defines, terms.Name(name()))
	}
	for range rnd.IntN(4) {
		u := Use{Name: terms.Name(name())}
		if rnd.IntN(3) == 0 {
			u.Qualifier = terms.Name([]string{"p", "q", "N1"}[rnd.IntN(3)])
		}
		f.Uses = append(f.Uses, u)
	}
	for i := range rnd.IntN(4) {
		f.Imports = append(f.Imports, randomImport(rnd, f.Language, i, name()))
	}
	sortFacts(f)
	return f
}

func randomImport(rnd *rand.Rand, lang syntax.Language, line int, name string) syntax.Import {
	specs := randomSpecs[lang]
	imp := syntax.Import{Spec: specs[rnd.IntN(len(specs))], At: syntax.Span{Start: line, End: line + 1}}
	switch {
	case lang == syntax.Rust && !strings.Contains(imp.Spec, "::"):
		imp.Kind = syntax.ImportChild
	case lang == syntax.TypeScript, lang == syntax.Python, lang == syntax.Rust:
		if rnd.IntN(2) == 0 {
			imp.Kind = syntax.ImportReexport
		}
		if lang != syntax.Rust && rnd.IntN(3) > 0 {
			imp.Names = []string{name}
		}
		if lang == syntax.Python && rnd.IntN(4) == 0 {
			imp.Names = []string{"*"}
		}
	}
	return imp
}

// TestNextResolverEqualsNew edits random trees and resolves every file with what
// the resolver before knew, and from nothing.
func TestNextResolverEqualsNew(t *testing.T) {
	for seed := range uint64(10) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var files []*File
		for _, p := range randomPlaces {
			files = append(files, randomFile(rnd, p))
		}
		slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
		r := New(files, randomConfigs, nil)
		resolveAll(r, files)
		for step := range 20 {
			files = slices.Clone(files)
			for range 1 + rnd.IntN(2) {
				i := rnd.IntN(len(files))
				files[i] = randomFile(rnd, files[i].Path)
			}
			old, before := r, resolveAll(New(r.sorted, randomConfigs, r), r.sorted)
			r = New(files, randomConfigs, r)
			got, want := resolveAll(r, files), resolveAll(New(files, randomConfigs, nil), files)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d, step %d: -new +next:\n%s", seed, step, diff)
			}
			if diff := cmp.Diff(before, resolveAll(New(old.sorted, randomConfigs, old), old.sorted), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("seed %d, step %d: the resolver before changed:\n%s", seed, step, diff)
			}
		}
	}
}

func resolveAll(r *Resolver, files []*File) []Links {
	var out []Links
	for _, f := range files {
		out = append(out, r.Resolve(f))
	}
	return out
}
