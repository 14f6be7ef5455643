package diagnosis

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/settings"
)

func TestSettingsKnowEachProblem(t *testing.T) {
	var codes []string
	for _, k := range problemKinds() {
		codes = append(codes, k.Code)
	}
	if !slices.Equal(codes, settings.Codes) {
		t.Errorf("settings.Codes is not what ProblemKinds lists:\n%q\n%q", settings.Codes, codes)
	}
}

// A code that is declared and not listed could be neither graded nor switched off.
func TestEachCodeIsListed(t *testing.T) {
	listed, declared := map[string]bool{}, 0
	for _, k := range problemKinds() {
		listed[k.Code] = true
	}
	for _, folder := range []string{".", "../../tree/format"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok || len(spec.Values) != 1 || !strings.HasPrefix(strings.ToLower(spec.Names[0].Name), "code") {
					return true
				}
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					declared++
					if code, err := strconv.Unquote(lit.Value); err != nil || !listed[code] {
						t.Errorf("%s: %s is not in ProblemKinds", file, spec.Names[0].Name)
					}
				}
				return true
			})
		}
	}
	if declared != len(listed) {
		t.Errorf("%d codes are declared and %d listed", declared, len(listed))
	}
}
