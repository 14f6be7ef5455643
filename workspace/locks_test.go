package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLocksAreInOrder holds the three lines of the package's comment that order its locks against the code: they name all
// of its locks, and no others.
func TestLocksAreInOrder(t *testing.T) {
	paths, _ := filepath.Glob("*.go")
	has, named := map[string]bool{}, map[string]bool{}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				for _, lock := range locksOf(spec) {
					has[lock] = true
				}
			}
			return true
		})
		_, order, found := strings.Cut(file.Doc.Text(), "\nLocks are taken in the order of these lines")
		if !found {
			continue
		}
		_, order, _ = strings.Cut(order, "\n\n")
		order, _, _ = strings.Cut(order, "\n\n")
		if lines := strings.Count(order, "\n\t") + 1; lines != 3 {
			t.Errorf("the order has %d lines:\n%s", lines, order)
		}
		for _, lock := range regexp.MustCompile(`\w+\.\w+`).FindAllString(order, -1) {
			if named[lock] {
				t.Errorf("%s stands twice", lock)
			}
			named[lock] = true
		}
	}
	if want, got := slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(named)); !slices.Equal(want, got) {
		t.Errorf("the locks are\n%s, the comment orders\n%s", strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

// locksOf are the fields of a type that are locks, as type.field.
func locksOf(spec *ast.TypeSpec) (out []string) {
	of, ok := spec.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, field := range of.Fields.List {
		kind, _ := field.Type.(*ast.SelectorExpr)
		if kind == nil || kind.Sel.Name != "Mutex" && kind.Sel.Name != "RWMutex" {
			continue
		}
		for _, name := range field.Names {
			out = append(out, spec.Name.Name+"."+name.Name)
		}
	}
	return out
}
