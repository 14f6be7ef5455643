package curate

import (
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// TestMain makes the test binary the worker that reads code.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
