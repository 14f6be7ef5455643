package imports

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestArchives runs testdata/*.txtar: a tree, and in "want" where each import
// leads, or the reason, then the edges. Configuration files are real; source
// files state what a parser would find in them, one fact a line:
//
//	module NAME
//	define NAME…
//	member NAME…
//	use NAME… or QUALIFIER.NAME…
//	import SPEC [{NAME, …}] [as ALIAS] [(KIND)]
//	body NAME, end
//
// The last two stand around what is inside a module of Rust with a body.
func TestArchives(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files, configs := readArchive(t, a)
			before := New(files, configs, nil)
			got := listing(before, files)
			if again := listing(New(files, configs, before), files); again != got {
				t.Errorf("with what an earlier resolver read:\n%s\nwithout:\n%s", again, got)
			}
			golden(t, p, a, got)
		})
	}
}

// golden compares got with the archive's want file, or rewrites it.
func golden(t *testing.T, path string, a *txtar.Archive, got string) {
	t.Helper()
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
	switch {
	case *update:
		a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
		a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
		if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	case i < 0:
		t.Fatal("no want file; run with -update")
	case string(a.Files[i].Data) != got:
		t.Errorf("got:\n%s\nwant:\n%s", got, a.Files[i].Data)
	}
}

func readArchive(t *testing.T, a *txtar.Archive) ([]*File, Configs) {
	t.Helper()
	configs := Configs{Texts: map[string]string{}}
	var files []*File
	for _, f := range a.Files {
		lang := syntax.LanguageOf(f.Name)
		switch {
		case f.Name == "want":
		case lang != "" && !IsConfig(f.Name):
			files = append(files, readFacts(t, f.Name, lang, string(f.Data)))
		default:
			configs.Texts[f.Name] = string(f.Data)
		}
	}
	slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	return files, configs
}

// readFacts reads one source file of an archive; the position of a fact is its
// line.
func readFacts(t *testing.T, p string, lang syntax.Language, text string) *File {
	t.Helper()
	f := &File{Path: p, Language: lang}
	var open []int
	for i, line := range strings.Split(text, "\n") {
		at := syntax.Span{Start: i, End: i + 1}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "":
		case "module":
			f.Module = rest
		case "define":
			for _, name := range strings.Fields(rest) {
				f.Defines = append(f.Defines, terms.Name(name))
			}
		case "member":
			for _, name := range strings.Fields(rest) {
				f.Names = append(f.Names, terms.Name(name))
			}
		case "use":
			for _, name := range strings.Fields(rest) {
				f.Uses = append(f.Uses, useFact(name))
			}
		case "import":
			imp := importFact(rest)
			imp.At = at
			f.Imports = append(f.Imports, imp)
		case "body":
			open = append(open, len(f.Inline))
			f.Inline = append(f.Inline, Inline{rest, at})
		case "end":
			f.Inline[open[len(open)-1]].Body.End = i + 1
			open = open[:len(open)-1]
		default:
			t.Fatalf("%s: %q", p, line)
		}
	}
	sortFacts(f)
	return f
}

// sortFacts puts what must be sorted in order.
func sortFacts(f *File) {
	slices.Sort(f.Defines)
	f.Defines = slices.Compact(f.Defines)
	slices.SortFunc(f.Uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(a.Qualifier, b.Qualifier), cmp.Compare(a.Name, b.Name))
	})
	f.Uses = slices.Compact(f.Uses)
}

func useFact(text string) Use {
	if q, n, ok := strings.Cut(text, "."); ok {
		return Use{terms.Name(q), terms.Name(n)}
	}
	return Use{Name: terms.Name(text)}
}

func importFact(text string) (imp syntax.Import) {
	if rest, kind, ok := strings.Cut(text, " ("); ok {
		text, imp.Kind = rest, syntax.ImportKind(strings.TrimSuffix(kind, ")"))
	}
	text, imp.Alias, _ = strings.Cut(text, " as ")
	if rest, names, ok := strings.Cut(text, " {"); ok {
		text, imp.Names = rest, strings.Split(strings.TrimSuffix(names, "}"), ", ")
	}
	imp.Spec = text
	return imp
}

// listing writes what files import, then what they depend on.
func listing(r *Resolver, files []*File) string {
	var targets, edges strings.Builder
	for _, f := range files {
		l := r.Resolve(f)
		for i, t := range l.Targets {
			to := strings.Join(t.Paths, " ")
			if to == "" {
				to = "(" + string(t.Reason) + ")"
			}
			spec := f.Imports[i].Spec
			if n := f.Imports[i].Names; n != nil {
				spec += " {" + strings.Join(n, ", ") + "}"
			}
			fmt.Fprintf(&targets, "%s: %s => %s\n", f.Path, spec, to)
		}
		if len(l.Files) > 0 {
			fmt.Fprintf(&edges, "%s -> %s\n", f.Path, strings.Join(l.Files, " "))
		}
	}
	return targets.String() + edges.String()
}
