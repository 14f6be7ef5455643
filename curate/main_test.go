package curate

import (
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate/pdftext"
)

// TestMain makes the test binary the workers that read PDFs and code.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case pdftext.WorkerArg:
			os.Exit(pdftext.WorkerMain(os.Stdin, os.Stdout))
		case syntax.WorkerArg:
			os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
		}
	}
	os.Exit(m.Run())
}
