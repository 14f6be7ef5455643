package curate

import (
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/curate/pdftext"
)

// TestMain makes the test binary the worker that reads PDFs.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == pdftext.WorkerArg {
		os.Exit(pdftext.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
