// Command symbols measures which types and functions the map finds of a checkout, beside a list that another
// program made of it.
//
// A list has a line of JSON for each declaration, in the form of ctags --output-format=json: path, name, kind, line,
// scope and scopeKind. ctags itself makes it for C++ and PHP; kotlin.java, script.mjs and trees.py beside this file
// make it by Kotlin's and TypeScript's compilers and by the tree-sitter grammars of PyPI. Declarations inside
// functions are no symbols and are left out, as are files that the map leaves out.
//
//	go run ./bench/symbols -repo DIR -list FILE [-miss 40]
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// declaration is a line of a list.
type declaration struct {
	Path, Name, Kind, Scope, ScopeKind string
	Line                               int
}

// kinds are the words of the lists; other declarations are left out.
var kinds = map[string]string{
	"class": "type", "struct": "type", "interface": "type", "enum": "type", "trait": "type", "union": "type",
	"function": "function", "method": "function", "prototype": "function",
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	repo := flag.String("repo", "", "folder of the checkout")
	list := flag.String("list", "", "file of the list, with paths in the checkout")
	miss := flag.Int("miss", 40, "differences that are printed of each kind")
	flag.Parse()
	if err := run(*repo, *list, *miss); err != nil {
		fmt.Fprintln(os.Stderr, "symbols:", err)
		os.Exit(1)
	}
}

func run(repo, list string, miss int) error {
	declared, err := read(list)
	if err != nil {
		return err
	}
	root, err := jail.Open(repo)
	if err != nil {
		return err
	}
	defer root.Close()
	pool := syntax.NewPool(syntax.Options{})
	defer pool.Close()
	m, err := codebase.Scan(context.Background(), root, codebase.Options{Parser: pool})
	if err != nil {
		return err
	}
	for _, kind := range []string{"type", "function"} {
		r := compare(m, declared, kind, miss)
		r.print(filepath.Base(repo), kind)
	}
	return nil
}

func read(list string) ([]declaration, error) {
	f, err := os.Open(list)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []declaration
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var d declaration
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, fmt.Errorf("%s: %w", list, err)
		}
		d.Path = filepath.ToSlash(filepath.Clean(d.Path))
		if strings.HasSuffix(d.Path, ".php") && d.ScopeKind == "namespace" {
			d.Scope = "" // the map says a file's namespace once
		}
		out = append(out, d)
	}
	return slices.DeleteFunc(out, isLocal(out)), lines.Err()
}

// macro matches what ctags takes for functions: macros with arguments before members, and around the heads of tests.
var macro = regexp.MustCompile(`^[A-Z][A-Z0-9]*_[A-Za-z0-9_]*$|^[A-Z]+$`)

// isLocal returns whether a declaration stands inside a function or a type without a name, or is a macro.
func isLocal(all []declaration) func(declaration) bool {
	is := map[string]map[string]bool{"type": {}, "function": {}}
	for _, d := range all {
		if kind := kinds[d.Kind]; kind != "" {
			is[kind][d.Name] = true
		}
	}
	return func(d declaration) bool {
		if ext := filepath.Ext(d.Path); kinds[d.Kind] == "function" && macro.MatchString(d.Name) && slices.Contains([]string{".h", ".cc", ".cpp", ".hpp"}, ext) {
			return true
		}
		for _, part := range strings.FieldsFunc(d.Scope+":"+d.Name, func(r rune) bool { return r == ':' || r == '\\' }) {
			if strings.HasPrefix(part, "__anon") || strings.HasPrefix(part, "AnonymousClass") {
				return true
			}
		}
		for _, part := range strings.Split(d.Scope, "::") {
			if is["function"][part] && !is["type"][part] || macro.MatchString(part) && strings.HasPrefix(part, "TEST") {
				return true
			}
		}
		return kinds[d.ScopeKind] == "function"
	}
}

// result counts declarations of one kind.
type result struct {
	listed, found, elsewhere int // elsewhere: found in another container than the list has
	missing, moved           []string
	extra                    []string // ours that the list has not, of files that it has
	ours                     int
}

// compare looks for each declaration among the symbols of its file: by name, that of its line first.
func compare(m *codebase.RepoMap, declared []declaration, kind string, miss int) (r result) {
	byPath := map[string][]declaration{}
	for _, d := range declared {
		if kinds[d.Kind] == kind {
			byPath[d.Path] = append(byPath[d.Path], d)
		}
	}
	listed := map[string]bool{}
	for _, d := range declared {
		listed[d.Path] = true
	}
	for _, c := range m.Chunks() {
		if !listed[c.Path] {
			continue
		}
		rest := map[string][]syntax.Symbol{}
		for _, s := range c.Symbols() {
			if isKind(s.Kind, kind) {
				rest[bare(s.Name)] = append(rest[bare(s.Name)], s)
				r.ours++
			}
		}
		for _, d := range byPath[c.Path] {
			r.listed++
			at := fmt.Sprintf("%s:%d %s %s (%s)", c.Path, d.Line, d.Kind, d.Name, d.Scope)
			same := rest[bare(d.Name)]
			if len(same) == 0 {
				r.missing = append(r.missing, at)
				continue
			}
			r.found++
			best := slices.MinFunc(same, func(a, b syntax.Symbol) int { return cmp.Compare(away(a, d), away(b, d)) })
			i := slices.IndexFunc(same, func(s syntax.Symbol) bool { return s.NameAt == best.NameAt })
			rest[bare(d.Name)] = slices.Delete(slices.Clone(same), i, i+1)
			if last(best.Container) != last(d.Scope) {
				r.elsewhere++
				r.moved = append(r.moved, at+" ← "+best.Container)
			}
		}
		for _, left := range rest {
			for _, s := range left {
				r.extra = append(r.extra, fmt.Sprintf("%s:%d %s %s (%s)", c.Path, s.Line, s.Kind, s.Name, s.Container))
			}
		}
	}
	slices.Sort(r.extra)
	r.missing, r.moved, r.extra = spread(r.missing, miss), spread(r.moved, miss), spread(r.extra, miss)
	return r
}

func isKind(k syntax.Kind, kind string) bool {
	if kind == "type" {
		return k.IsType()
	}
	return k == syntax.Function || k == syntax.Method
}

func away(s syntax.Symbol, d declaration) int { return max(s.Line-d.Line, d.Line-s.Line) }

// bare is a name without spaces, quotes and marks that one of the programs adds.
func bare(name string) string {
	if !strings.HasPrefix(name, "operator") {
		name, _, _ = strings.Cut(name, "<") // of a specialization
	}
	return strings.Trim(strings.ReplaceAll(name, " ", ""), "`\"'#&$")
}

// last is the innermost part of a container.
func last(scope string) string {
	return bare(scope[strings.LastIndexAny(scope, ".:\\/")+1:])
}

// spread takes n of a list, evenly.
func spread(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	var out []string
	for i := range n {
		out = append(out, list[i*len(list)/n])
	}
	return out
}

func (r *result) print(repo, kind string) {
	fmt.Printf("| %s | %s | %d | %d | %.2f %% | %d, %.2f %% |\n", repo, kind, r.listed, r.found, percent(r.found, r.listed),
		r.elsewhere, percent(r.elsewhere, r.found))
	for _, group := range []struct {
		name string
		list []string
	}{{"missing", r.missing}, {"elsewhere", r.moved}, {"ours alone", r.extra}} {
		for _, line := range group.list {
			fmt.Printf("    %s: %s\n", group.name, line)
		}
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
