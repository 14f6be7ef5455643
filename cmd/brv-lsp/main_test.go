package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// TestMain makes the test binary the program too, so that scripts run the real
// one and the syntax worker is this executable.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == syntax.WorkerArg {
		main()
	}
	testscript.Main(m, map[string]func(){"brv-lsp": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", e.WorkDir+"/.cache")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/.config")
			return os.MkdirAll(e.WorkDir+"/.cache", 0o755)
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}
