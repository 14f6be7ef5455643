package layers

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// limits bound what a reader has to keep in mind at once.
var limits = map[string]struct {
	most int
	what string
}{
	"files":   {40, "files"},
	"methods": {40, "methods"},
	"imports": {15, "packages of ours imported"},
	"upward":  {10, "% of the arrows between its files upward"},
}

// fewFiles is up to how many files a package is read as a whole, in whatever order.
const fewFiles = 3

// figure is what a package or type ("package.Type") has of something limited.
type figure struct {
	of, kind string
	n        int
	where    string // lines that help to find it
}

// measure returns the figures above their limits, sorted.
func measure(files []*source, module string) (over []figure) {
	packages := map[string][]*source{}
	for _, f := range files {
		if !f.test {
			packages[f.folder] = append(packages[f.folder], f)
		}
	}
	add := func(of, kind string, n int, where string) {
		if n > limits[kind].most {
			over = append(over, figure{of, kind, n, where})
		}
	}
	for folder, files := range packages {
		add(folder, "files", len(files), "")
		methods, imports := map[string]map[string]bool{}, map[string]bool{}
		for _, f := range files {
			for _, p := range f.imports() {
				if strings.HasPrefix(p, module+"/") {
					imports[p] = true
				}
			}
			for _, d := range f.tree.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil {
					name, _ := funcName(d)
					of, method, _ := strings.Cut(name, ".")
					if methods[of] == nil {
						methods[of] = map[string]bool{}
					}
					methods[of][method] = true // once, also where each system has its own
				}
			}
		}
		for of, names := range methods {
			add(folder+"."+of, "methods", len(names), "")
		}
		if covers(programs, folder) || strings.HasSuffix(folder, "test") {
			continue // they drive what they measure and test
		}
		if !covers("cmd", folder) { // a program wires everything
			add(folder, "imports", len(imports), "")
		}
		if len(files) > fewFiles {
			percent, where := upward(files)
			add(folder, "upward", percent, where)
		}
	}
	slices.SortFunc(over, func(a, b figure) int { return strings.Compare(a.of+" "+a.kind, b.of+" "+b.kind) })
	return over
}

// exception lets a figure stand above its limit, up to a ceiling.
type exception struct {
	ceiling int
	reason  string
}

// checkLimits returns the figures above their limit, or above the ceiling of their exception, and what is wrong with
// the exceptions. table is the exceptions as they would be with the present figures, to be pasted where one is
// meant to stand.
func checkLimits(over []figure, exceptions string) (found []string, table string) {
	excepted, found := readExceptions(exceptions)
	var lines strings.Builder
	for _, f := range over {
		name, most := f.of+" "+f.kind, limits[f.kind].most
		e, ok := excepted[name]
		delete(excepted, name)
		if ok {
			most = e.ceiling
		}
		if f.n > most {
			found = append(found, fmt.Sprintf("%s: %d %s, more than %d%s", f.of, f.n, limits[f.kind].what, most, f.where))
		}
		fmt.Fprintf(&lines, "%-26s %-7s %3d  %s\n", f.of, f.kind, f.n, e.reason)
	}
	for _, name := range slices.Sorted(maps.Keys(excepted)) {
		found = append(found, "exceptions: "+name+": it keeps the limit, take the line out")
	}
	return found, lines.String()
}

// readExceptions reads one exception a line: a package or type, the kind of its figure, the ceiling, and the reason.
func readExceptions(text string) (map[string]exception, []string) {
	excepted, wrong := map[string]exception{}, []string(nil)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) < 4 {
			wrong = append(wrong, "exceptions: "+strings.Join(fields, " ")+": a line has a name, a kind, a ceiling and a reason")
			continue
		}
		ceiling, err := strconv.Atoi(fields[2])
		if limits[fields[1]].most == 0 || err != nil {
			wrong = append(wrong, "exceptions: "+strings.Join(fields, " ")+": no such kind, or no figure")
			continue
		}
		excepted[fields[0]+" "+fields[1]] = exception{ceiling, strings.Join(fields[3:], " ")}
	}
	return excepted, wrong
}

// exceptions are the figures that may stand above their limit: a package or type, the kind, the ceiling, and why more
// is better there.
const exceptions = `
codebase                   upward   13  RepoMap is read, overlaid and ranked by methods of one type, which stand by subject
codebase.RepoMap           methods  69  one immutable map answers every question about the code
codebase/history           upward   25  a lookup goes in steps through the memory of Past, and each kind of step has a file
codebase/imports           upward   21  the resolver hands an import to its language, which looks it up in the indexes of the resolver
codebase/imports.Resolver  methods  85  each language is resolved by a few methods
codebase/syntax.assembler  methods  43  the symbols, docs and references of a file are made in one pass
curate                     imports  18  makes operations of any material: entries, code, git, models
dream                      imports  18  upkeep asks all that knows of entries: search, code, history, models
dream                      upward   15  phases write steps into the log, from which recovery, undo and the next phase start
internal/jail.Root         methods  43  a method for each call to the system
internal/secrets           upward   32  a rule has the text around a value judged, where other rules are looked for
internal/txn               upward   23  the journal runs the steps that read and write the journal
internal/txn.Journal       methods  68  commit, undo, recovery and saving hold one lock
internal/txn.attempt       methods  41  the steps of one transaction, and those that take it back
internal/watch             upward   28  the watcher starts what it watches with, by system or by looking, which reports to it
link                       upward   19  links are made anew in part: an update resolves with what the links hold
llm/remote                 upward   34  what the answer or the error of one try says changes how the model asks again
lsp                        imports  29  what answers the editor's requests stands in many packages
lsp/lsptest.Editor         methods  54  a method for each request that a test sends
mcp                        imports  22  what answers agents stands in many packages
pack                       upward   22  the types of the answer stand with Build, which calls all
pack.maker                 methods  47  each form of each part of a pack is made by one value
retrieval                  imports  17  search with its kept index, what an encoder says, and answers by a model, stand in one ladder
workspace                  imports  16  what is known of one folder comes from an engine of each kind
`
