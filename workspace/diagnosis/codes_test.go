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
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// problemKind is a kind of problem: its code and how it is graded unless the user says
// otherwise.
type problemKind struct {
	Code     string
	Severity format.Severity // the gravest of the code
	Off      bool            // it is looked for only where the user grades it
}

// problemKinds lists all kinds; docs/diagnostics.md explains each in this order, and settings.Codes lists their
// codes in it.
func problemKinds() []problemKind {
	return []problemKind{
		{format.CodeBroken, format.SeverityError, false},
		{format.CodeAmbiguous, format.SeverityWarning, false},
		{format.CodeHeading, format.SeverityWarning, false},
		{format.CodeReciprocal, format.SeverityHint, true},
		{format.CodeConflict, format.SeverityError, false},
		{format.CodeFrontmatter, format.SeverityError, false},
		{format.CodeField, format.SeverityHint, false},
		{format.CodeCategory, format.SeverityHint, false},
		{format.CodeTwice, format.SeverityWarning, false},
		{format.CodeInvisible, format.SeverityWarning, false},
		{format.CodeUnsafe, format.SeverityWarning, false},
		{format.CodeEdited, format.SeverityWarning, false},
		{format.CodeStale, format.SeverityWarning, false},
		{format.CodeDuplicate, format.SeverityInfo, false},
		{format.CodeOrphan, format.SeverityHint, false},
		{format.CodeSecret, format.SeverityWarning, false},
		{format.CodeTooLarge, format.SeverityWarning, false},
		{format.CodeTwin, format.SeverityWarning, false},
		{format.CodeTooDeep, format.SeverityWarning, false},
		{format.CodeName, format.SeverityHint, false},
		{format.CodeSkipped, format.SeverityWarning, false},
		{format.CodeLateSave, format.SeverityWarning, false},
		{codePartial, format.SeverityInfo, false},
		{codeSetting, format.SeverityWarning, false},
		{format.CodeMore, format.SeverityInfo, false},
	}
}

func TestSettingsKnowEachProblem(t *testing.T) {
	var codes []string
	for _, k := range problemKinds() {
		codes = append(codes, k.Code)
	}
	if !slices.Equal(codes, settings.Codes) {
		t.Errorf("settings.Codes is not what problemKinds lists:\n%q\n%q", settings.Codes, codes)
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
						t.Errorf("%s: %s is not in problemKinds", file, spec.Names[0].Name)
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
