// Package codebasetest maps folders for tests with the real parser, whose worker is the test itself.
package codebasetest

import (
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// Main runs the syntax worker if this executable was started as one, and otherwise the tests.
func Main(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		os.Exit(syntax.WorkerMain(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// Scan maps a folder. The map can be updated until the test ends.
func Scan(t testing.TB, dir string) *codebase.RepoMap {
	t.Helper()
	pool := syntax.NewPool(syntax.Options{})
	t.Cleanup(pool.Close)
	m, err := codebase.Scan(t.Context(), jailtest.Open(t, dir), codebase.Options{Parser: pool})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
