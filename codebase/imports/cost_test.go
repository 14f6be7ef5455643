package imports

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/codebase/terms"
)

// manyFiles makes n files in packages of 100, each defining three names and
// importing ten others, among them a whole package and one from elsewhere; each
// uses some 50 names.
func manyFiles(lang syntax.Language, ext, joint string, n int) []*File {
	var files []*File
	for i := range n {
		pkg := fmt.Sprintf("acme%sp%d", joint, i/100)
		if lang == syntax.Go {
			pkg = fmt.Sprintf("p%d", i/100)
		}
		f := &File{Path: fmt.Sprintf("src/acme/p%d/F%d%s", i/100, i, ext), Language: lang, Module: pkg}
		for _, name := range []string{fmt.Sprintf("F%d", i), fmt.Sprintf("help%d", i%7), "main"} {
			f.Defines = append(f.Defines, terms.Name(name))
		}
		for j := range 8 {
			to := (i*31 + j*977) % n
			spec := fmt.Sprintf("acme%sp%d%sF%d", joint, to/100, joint, to)
			switch lang {
			case syntax.Go:
				spec = fmt.Sprintf("example.com/x/src/acme/p%d", to/100)
			case syntax.TypeScript:
				spec = fmt.Sprintf("../p%d/F%d", to/100, to)
			case syntax.Python:
				spec = fmt.Sprintf("src.acme.p%d.F%d", to/100, to)
			case syntax.Cpp:
				spec = fmt.Sprintf("acme/p%d/F%d%s", to/100, to, ext)
			}
			f.Imports = append(f.Imports, syntax.Import{Spec: spec})
			f.Uses = append(f.Uses, Use{terms.Name(fmt.Sprintf("p%d", to/100)), terms.Name(fmt.Sprintf("F%d", to))})
		}
		f.Imports = append(f.Imports, syntax.Import{Spec: fmt.Sprintf("acme%sp%d", joint, i%(n/100)), Names: []string{"*"}},
			syntax.Import{Spec: fmt.Sprintf("else%swhere", joint)}, syntax.Import{Spec: "F0" + ext})
		for j := range 40 {
			f.Uses = append(f.Uses, Use{Name: terms.Name(fmt.Sprintf("F%d", (i*7+j*13)%n))}, Use{terms.Name("help1"), terms.Name("main")})
		}
		slices.Sort(f.Defines)
		slices.SortFunc(f.Uses, func(a, b Use) int {
			return cmp.Or(cmp.Compare(a.Qualifier, b.Qualifier), cmp.Compare(a.Name, b.Name))
		})
		f.Uses = slices.Compact(f.Uses)
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

var costly = []struct {
	lang  syntax.Language
	ext   string
	joint string
}{{syntax.Go, ".go", "/"}, {syntax.Java, ".java", "."}, {syntax.Kotlin, ".kt", "."}, {syntax.Scala, ".scala", "."},
	{syntax.Cpp, ".hpp", "/"}, {syntax.CSharp, ".cs", "."}, {syntax.PHP, ".php", `\`}, {syntax.Swift, ".swift", "."},
	{syntax.Lua, ".lua", "."}, {syntax.Protobuf, ".proto", "/"}, {syntax.Bash, ".sh", "/"}, {syntax.TypeScript, ".ts", "/"},
	{syntax.Python, ".py", "."}}

// TestHostileNamesStayCheap resolves trees that are made to be slow: one name in
// all files, long paths, many namesakes. The count of results bounds the work.
func TestHostileNamesStayCheap(t *testing.T) {
	long := ""
	for range 2000 {
		long += "a."
	}
	for _, c := range costly {
		var files []*File
		for i := range 1000 {
			f := &File{Path: fmt.Sprintf("d%d/same%s", i, c.ext), Language: c.lang, Module: "same",
				Defines: []terms.Term{terms.Name(fmt.Sprint("own", i)), terms.Name("T")}}
			slices.Sort(f.Defines)
			if i%2 == 0 {
				f.Defines = []terms.Term{terms.Name(fmt.Sprint("own", i))}
			}
			f.Imports = []syntax.Import{{Spec: "same.T"}, {Spec: "same", Names: []string{"*"}}, {Spec: "x/same" + c.ext},
				{Spec: "same" + c.ext}, {Spec: "same"}, {Spec: long}, {Spec: ""}, {Spec: "."}, {Spec: "../../.."}, {Spec: "/"}}
			f.Uses = []Use{{Name: terms.Name("T")}}
			files = append(files, f)
		}
		slices.SortFunc(files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
		r := New(files, Configs{}, nil)
		edges := 0
		for _, f := range files {
			l := r.Resolve(f)
			edges += len(l.Files)
			for i, target := range l.Targets {
				if (len(target.Paths) == 0) != (target.Reason != "") {
					t.Fatalf("%s: %q leads to %v, reason %q", f.Path, path.Clean(f.Imports[i].Spec), len(target.Paths), target.Reason)
				}
			}
		}
		if edges > 3*maxCandidates*len(files)/10 {
			t.Errorf("%s: %d edges between %d files", c.lang, edges, len(files))
		}
	}
}
