package lsp_test

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp"
)

// What this executable is when a test starts it with such an argument.
const (
	asServer = "as-server" // a language server on its standard streams
	asClient = "as-client" // a process that is there until its standard input ends
)

// TestMain is the syntax worker when a workspace starts this executable as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case syntax.WorkerArg:
			os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
		case asServer:
			os.Exit(lsp.Serve(context.Background(), os.Stdin, os.Stdout, withVitals(lsp.Options{})))
		case asClient:
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}
