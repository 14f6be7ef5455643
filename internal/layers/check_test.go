package layers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxLines is the longest a file may be before it holds more than one concept.
const maxLines = 800

// source is one parsed Go file of the module.
type source struct {
	path   string // slash path inside the module
	folder string // the package's name in the list; "." is the module's root
	test   bool
	text   []byte
	tree   *ast.File
	set    *token.FileSet // of tree's positions
}

// imports lists what the file imports.
func (f *source) imports() (paths []string) {
	for _, spec := range f.tree.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// check returns what breaks the rules, sorted, each as "file: what", and the table of
// exceptions as it would be with the present figures. dir is a module's root folder.
func check(dir, exceptions string) (found []string, table string, err error) {
	design, err := os.ReadFile(filepath.Join(dir, "docs", "design.md"))
	if err != nil {
		return nil, "", err
	}
	list, err := readOrder(string(design))
	if err != nil {
		return nil, "", err
	}
	module, err := modulePath(dir)
	if err != nil {
		return nil, "", err
	}
	files, err := parseAll(dir)
	if err != nil {
		return nil, "", err
	}
	found, table = checkLimits(measure(files, module), exceptions)
	found = append(found, checkPackages(files, list)...)
	found = append(found, checkPure(files, module)...)
	for _, f := range files {
		found = append(found, checkImports(f, module, list)...)
		found = append(found, checkNames(f)...)
		if lines := bytes.Count(f.text, []byte("\n")); lines > maxLines && !ast.IsGenerated(f.tree) {
			found = append(found, fmt.Sprintf("%s: %d lines, more than %d", f.path, lines, maxLines))
		}
	}
	slices.Sort(found)
	return slices.Compact(found), table, nil
}

func modulePath(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "module ")), nil
}

func hasModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// parseAll parses each Go file that some build of the module could compile.
func parseAll(dir string) (files []*source, err error) {
	set := token.NewFileSet()
	err = fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && p != "." && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		case d.IsDir() && p != "." && hasModule(filepath.Join(dir, filepath.FromSlash(p))): // one of its own
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(set, p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, &source{p, path.Dir(p), strings.HasSuffix(p, "_test.go"), text, tree, set})
		return nil
	})
	return files, err
}

// checkPackages looks at each package as a whole: its place, name and comment.
func checkPackages(files []*source, list order) (found []string) {
	documented := map[string]bool{}
	for _, f := range files {
		documented[f.folder] = documented[f.folder] || f.tree.Doc != nil && !f.test
	}
	for folder, ok := range documented {
		if !ok {
			found = append(found, folder+": package has no doc comment")
		}
		if _, listed := list.place(folder); !listed {
			found = append(found, folder+": package is not in the list of docs/design.md")
		}
		if forbidden[path.Base(folder)] {
			found = append(found, folder+": the name says nothing")
		}
	}
	return found
}

func checkImports(f *source, module string, list order) (found []string) {
	for _, imported := range f.imports() {
		var reason string
		if inside, ok := strings.CutPrefix(imported, module+"/"); ok {
			reason = misplaced(f, inside, list)
		} else {
			reason = unowned(f, imported)
		}
		if reason != "" {
			found = append(found, fmt.Sprintf("%s: imports %s, %s", f.path, imported, reason))
		}
	}
	return found
}

// misplaced says why a package of the module may not be imported here, or "".
func misplaced(f *source, imported string, list order) string {
	if f.test && covers(f.folder, imported) {
		return "" // a package in its own folder, for its tests, or itself from outside
	}
	if covers(programs, f.folder) && covers(programs, imported) {
		return ""
	}
	here, _ := list.place(f.folder)
	if there, listed := list.place(imported); !listed || there <= here {
		return "which does not stand below " + f.folder
	}
	return ""
}

// unowned says why an outside package may not be imported here, or "".
func unowned(f *source, imported string) string {
	for _, library := range testOnly {
		if covers(library, imported) && imported != diffs {
			if f.test || strings.HasSuffix(f.folder, "test") {
				return ""
			}
			return "which is for tests only"
		}
	}
	standard := !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".")
	for path, packages := range owners {
		if imported != path && (standard || !covers(path, imported)) {
			continue // restrictions on the standard library are exact: net, not net/url
		}
		owned := slices.ContainsFunc(packages, func(owner string) bool { return covers(owner, f.folder) })
		if owned || standard && f.test {
			return ""
		}
		if len(packages) == 0 {
			return "which no package may"
		}
		return "which only " + strings.Join(packages, " and ") + " may"
	}
	if standard {
		return ""
	}
	return "which has no owner"
}

// checkPure reports what the packages in pure use of the world outside, directly or by
// packages of the module.
func checkPure(files []*source, module string) (found []string) {
	for _, root := range pure {
		reached := []string{root}
		for i := 0; i < len(reached); i++ {
			for _, f := range files {
				if f.test || f.folder != reached[i] {
					continue
				}
				for _, imported := range f.imports() {
					inside, ours := strings.CutPrefix(imported, module+"/")
					switch {
					case imported != "net/url" && slices.ContainsFunc(outside, func(p string) bool { return covers(p, imported) }):
						found = append(found, fmt.Sprintf("%s: imports %s, which %s may not reach", f.path, imported, root))
					case ours && !slices.Contains(reached, inside):
						reached = append(reached, inside)
					}
				}
			}
		}
	}
	return found
}

// covers reports whether p is folder or lies below it.
func covers(folder, p string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// checkNames reports exported names without a comment.
func checkNames(f *source) (found []string) {
	if f.test || f.tree.Name.Name == "main" || ast.IsGenerated(f.tree) {
		return nil
	}
	report := func(name string) {
		found = append(found, fmt.Sprintf("%s: %s has no doc comment", f.path, name))
	}
	for _, d := range f.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name, exported := funcName(d); exported && d.Doc == nil {
				report(name)
			}
		case *ast.GenDecl:
			for _, name := range undocumented(d) {
				report(name)
			}
		}
	}
	return found
}

// funcName returns "Func" or "Type.Method" and whether it can be seen outside.
func funcName(d *ast.FuncDecl) (string, bool) {
	if d.Recv == nil {
		return d.Name.Name, d.Name.IsExported()
	}
	receiver := d.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
			continue
		case *ast.IndexExpr: // T[K]
			receiver = t.X
			continue
		case *ast.IndexListExpr: // T[K, V]
			receiver = t.X
			continue
		case *ast.Ident:
			return t.Name + "." + d.Name.Name, t.IsExported() && d.Name.IsExported()
		}
		return d.Name.Name, false
	}
}

// undocumented lists the exported names of a declaration that neither it nor
// their own line explains.
func undocumented(d *ast.GenDecl) (names []string) {
	if d.Doc != nil {
		return nil
	}
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
