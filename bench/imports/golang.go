package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func init() { oracles["go"] = goAnswers }

// goListed is the part of `go list -json` that is read.
type goListed struct {
	ImportPath     string
	Dir            string
	Name           string
	ForTest        string
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string
	TestGoFiles    []string
	XTestGoFiles   []string
}

const goListFields = "ImportPath,Dir,Name,ForTest,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles"

// goAnswers asks `go list -deps` in each module of a checkout which packages
// there are, without the network: a package that would have to be fetched is not
// in the checkout. Files that build constraints leave out of a package count as
// its files if they name it in their package clause.
func goAnswers(ctx context.Context, dir string) ([]answer, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errAbsent
	}
	modules, err := foldersWith(dir, "go.mod")
	if err != nil {
		return nil, err
	}
	var answers []answer
	for _, m := range modules {
		packages, err := goList(ctx, m)
		if errors.Is(err, errNoModule) {
			continue
		}
		if err != nil {
			return nil, err
		}
		view := goView{dir: dir, byPath: map[string]goListed{}}
		for _, p := range packages {
			if path, _, test := strings.Cut(p.ImportPath, " "); !test {
				view.byPath[path] = p
			}
		}
		for _, p := range view.byPath {
			if moduleAround(p.Dir, modules) != m {
				continue
			}
			for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
				answers = append(answers, view.imports(p, name)...)
			}
		}
	}
	return answers, nil
}

// foldersWith returns the folders of a checkout that hold a file of this name.
func foldersWith(dir, name string) ([]string, error) {
	found, err := filesOf(dir, func(n string) bool { return n == name })
	for i, rel := range found {
		found[i] = filepath.Dir(filepath.Join(dir, filepath.FromSlash(rel)))
	}
	return found, err
}

// moduleAround returns the deepest of some folders that holds dir.
func moduleAround(dir string, folders []string) string {
	best := ""
	for _, f := range folders {
		if (dir == f || strings.HasPrefix(dir, f+string(filepath.Separator))) && len(f) > len(best) {
			best = f
		}
	}
	return best
}

// errNoModule says that a go.mod is none, as a test's data.
var errNoModule = errors.New("go.mod cannot be read")

func goList(ctx context.Context, dir string) ([]goListed, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-test", "-json="+goListFields, "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOTOOLCHAIN=local")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && strings.Contains(stderr.String(), "errors parsing go.mod") {
		return nil, errNoModule
	}
	if err != nil {
		return nil, fmt.Errorf("%s: go list: %w: %.300s", dir, err, stderr.String())
	}
	var packages []goListed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goListed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: go list: %w", dir, err)
		}
		packages = append(packages, p)
	}
}

// goView holds the packages that the packages of one module can import.
type goView struct {
	dir    string // the checkout
	byPath map[string]goListed
}

// imports returns what the imports of one file of p lead to.
func (v goView) imports(p goListed, name string) []answer {
	file := filepath.Join(p.Dir, name)
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var answers []answer
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		a := answer{File: v.relative(file), Spec: path}
		if to, ok := v.byPath[path]; ok {
			external := to.ImportPath == p.ImportPath && syntax.Name.Name == p.Name+"_test"
			a.Paths = v.files(to, external)
		}
		answers = append(answers, a)
	}
	return answers
}

// files returns a package's files inside the checkout, with its tests for its
// own external test package.
func (v goView) files(p goListed, tests bool) []string {
	if v.relative(p.Dir) == "" {
		return nil
	}
	names := slices.Concat(p.GoFiles, p.CgoFiles)
	if tests {
		names = append(names, p.TestGoFiles...)
	}
	for _, name := range p.IgnoredGoFiles {
		isTest := strings.HasSuffix(name, "_test.go")
		if name[0] != '_' && name[0] != '.' && (!isTest || tests) && packageClause(filepath.Join(p.Dir, name)) == p.Name {
			names = append(names, name)
		}
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, v.relative(filepath.Join(p.Dir, name)))
	}
	return paths
}

// relative returns a path inside the checkout with slashes, "" for others.
func (v goView) relative(p string) string {
	rel, err := filepath.Rel(v.dir, p)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func packageClause(file string) string {
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return syntax.Name.Name
}
