package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file is the other opinion: it reads entries and source without any code
// of the server, so that a mistake of the one is not repeated by the other. It
// knows only the way the entries in testdata are written: relations with their
// whole path, one file to a line, symbols alone in single back-ticks.

// entry is an entry's file as a plain reading finds it, without the code of the project.
type entry struct {
	path    string // in the tree
	file    string // absolute
	text    string
	title   int // offset in the title, or in the first heading
	mention []mention
	files   []mention
	symbols []mention
}

// mention is something an entry names, with the offset of its first byte.
type mention struct {
	what string
	at   int
}

var (
	entryPath = regexp.MustCompile(`[a-z0-9_]+(?:/[a-z0-9_]+)+\.md`)
	fileItem  = regexp.MustCompile(`(?m)^- ([\w./-]+\.(?:go|ts))$`)
	symbol    = regexp.MustCompile("`([A-Za-z_$][\\w$]*)`")
	titleLine = regexp.MustCompile(`(?m)^(?:title: |# )(\S)`)
)

// readEntries reads all entries of a tree, in order of path.
func readEntries(treeDir string) ([]entry, error) {
	var out []entry
	err := filepath.WalkDir(treeDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(treeDir, name)
		if err != nil {
			return err
		}
		out = append(out, readEntry(filepath.ToSlash(rel), name, string(data)))
		return nil
	})
	for i := range out { // other paths of documents are no relations
		out[i].mention = slices.DeleteFunc(out[i].mention, func(m mention) bool {
			return !slices.ContainsFunc(out, func(e entry) bool { return e.path == m.what })
		})
	}
	return out, err
}

func readEntry(path, file, text string) entry {
	e := entry{path: path, file: file, text: text}
	if m := titleLine.FindStringSubmatchIndex(text); m != nil {
		e.title = m[2]
	}
	e.mention = all(entryPath, text, 0)
	e.files = all(fileItem, text, 1)
	e.symbols = all(symbol, text, 1)
	return e
}

func all(re *regexp.Regexp, text string, group int) []mention {
	var out []mention
	for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, mention{text[m[2*group]:m[2*group+1]], m[2*group]})
	}
	return out
}

// definition is a place in the source that defines a name.
type definition struct {
	file   string // slash path in the repository
	offset int    // of the name
}

// definitions lists, by name, what the sources define at their top level, and
// methods; tests are left out.
type definitions map[string][]definition

// files is in how many files a name is defined.
func (d definitions) files(name string) int {
	seen := map[string]bool{}
	for _, def := range d[name] {
		seen[def.file] = true
	}
	return len(seen)
}

// sources visits the source files of a repository but not its tests.
func sources(root, ext string, visit func(file, text string) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") && name != root {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, name)
		if err != nil || d.IsDir() || filepath.Ext(name) != ext || isTest(filepath.ToSlash(rel)) {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(rel), string(data))
	})
}

// goDefinitions reads Go with the standard library's parser.
func goDefinitions(root string) (definitions, error) {
	out := definitions{}
	err := sources(root, ".go", func(file, text string) error {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add := func(id *ast.Ident) {
			out[id.Name] = append(out[id.Name], definition{file, set.Position(id.Pos()).Offset})
		}
		for _, d := range parsed.Decls {
			declared(d, add)
		}
		return nil
	})
	return out, err
}

func declared(d ast.Decl, add func(*ast.Ident)) {
	if f, ok := d.(*ast.FuncDecl); ok {
		add(f.Name)
		return
	}
	for _, spec := range d.(*ast.GenDecl).Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			add(s.Name)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				add(name)
			}
		}
	}
}

// tsDefinition matches a declaration at the beginning of a line.
var tsDefinition = regexp.MustCompile(
	`(?m)^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:/\*@__NO_SIDE_EFFECTS__\*/ )?(?:function|class|interface|type|const|let|enum|namespace) ([A-Za-z_$][\w$]*)`)

// tsDefinitions reads TypeScript by a pattern, which the formatting of zod
// permits. Of overloads and of a type and a constant with one name, all count.
func tsDefinitions(root string) (definitions, error) {
	out := definitions{}
	err := sources(filepath.Join(root, "src"), ".ts", func(file, text string) error {
		for _, m := range all(tsDefinition, text, 1) {
			out[m.what] = append(out[m.what], definition{"src/" + file, m.at})
		}
		return nil
	})
	return out, err
}

// Names that cannot mean one thing are no links by the server's documented rule
// (package link).
const (
	minName    = 4 // letters of a bare name
	maxDefined = 5 // files that define it
)

// expected is where a symbol named by an entry may lead: to the files that the
// entry lists if they define it, else to any definition. linked is false where
// the rule permits no link; one to a listed file is right all the same.
func (e entry) expected(defs definitions, name string) (want []definition, linked bool) {
	for _, d := range defs[name] {
		if slices.ContainsFunc(e.files, func(m mention) bool { return m.what == d.file }) {
			want = append(want, d)
		}
	}
	n := defs.files(name)
	if n == 0 || n > maxDefined || len(name) < minName {
		return want, false
	}
	if len(want) == 0 {
		want = defs[name]
	}
	return want, true
}
