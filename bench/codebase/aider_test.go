package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

func TestAiderShowsFilesWithLines(t *testing.T) {
	got := aiderShows("\na/b.py:\n⋮\n│def f():\n⋮\n\nbare.txt\n\nc.go:\n⋮\n")
	if len(got) != 1 || !got["a/b.py"] {
		t.Errorf("%v", got)
	}
}

// standIn makes a program that says some lines, and answers whatever it reads with the
// next of them.
func standIn(t *testing.T, lines ...string) string {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	name := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\n"
	for i, l := range lines {
		if i > 0 {
			script += "read line\n"
		}
		script += "echo '" + strings.ReplaceAll(l, "TOLD", "'\"$line\"'") + "'\n"
	}
	if err := os.WriteFile(name, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAiderIsToldHowManyTokensATextHas(t *testing.T) {
	a, err := startAider(t.Context(), standIn(t, `{"ready": "1"}`, `{"count": "one two three"}`, `{"map": "TOLD"}`,
		`{"error": "enough"}`), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	text, err := a.ask(map[string]any{"query": "x"})
	if want := tokens.Count("one two three"); err != nil || text != string(rune('0'+want)) {
		t.Errorf("%q, %v, want %d", text, err, want)
	}
	if _, err := a.ask(nil); err == nil || err.Error() != "aider: enough" {
		t.Errorf("error %v", err)
	}
}

func TestAiderThatIsNotThereIsAReason(t *testing.T) {
	for _, python := range []string{"/nonexistent/python", standIn(t, `{"error": "no module"}`), standIn(t)} {
		if a, err := startAider(t.Context(), python, t.TempDir()); err == nil {
			a.Close()
			t.Errorf("%s works", python)
		}
	}
}
