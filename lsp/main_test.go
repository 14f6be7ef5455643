package lsp_test

import (
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// TestMain is the syntax worker when a workspace starts this executable as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
