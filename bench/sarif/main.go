// Command sarif validates SARIF files against the official JSON schema of SARIF 2.1.0 (OASIS, errata 01),
// with jsonschema. It is a module of its own, so that the program's has no need of either.
//
//	cd bench/sarif && go run . FILE...
//
// The schema is the text that the module go-sarif ships in its source; what that module itself can
// validate is its own structs, in which a property that the schema does not know is lost.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // so that go.mod keeps it
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sarif:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	if len(files) == 0 {
		return errors.New("name FILE...")
	}
	text, err := schema()
	if err != nil {
		return err
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", parsed); err != nil {
		return err
	}
	compiled, err := c.Compile("sarif.json")
	if err != nil {
		return err
	}
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		log, err := jsonschema.UnmarshalJSON(in)
		in.Close()
		if err == nil {
			err = compiled.Validate(log)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	fmt.Printf("%d valid\n", len(files))
	return nil
}

// schema is the text that go-sarif has as a constant.
func schema() (string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		return "", err
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "pkg/report/v210/sarif/schema.go")
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return "", err
	}
	var text string
	ast.Inspect(source, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && text == "" {
			text, err = strconv.Unquote(lit.Value)
		}
		return true
	})
	return text, err
}
