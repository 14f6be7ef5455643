//go:build linux || darwin

package discover

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// A pipe that is opened for reading waits for a writer: the walk must not.
func TestPipesAreNeverOpened(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{"a.go": ""})
	for _, name := range []string{"pipe.go", ".gitignore", "go.mod"} {
		if err := syscall.Mkfifo(filepath.Join(root.Dir(), name), 0o644); err != nil {
			t.Skip(err)
		}
	}
	d := walk(t, root, Options{Config: func(string) bool { return true }})
	if len(d.Files) != 1 || len(d.Skipped) != 1 || d.Skipped["pipe.go"] != "not a regular file" {
		t.Error(d.Files, d.Skipped)
	}
}
