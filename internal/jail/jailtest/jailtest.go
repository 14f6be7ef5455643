// Package jailtest makes folders for tests, which go when the test ends.
package jailtest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Folder makes a folder of files, by their paths, and opens it.
func Folder(t testing.TB, files map[string]string) *jail.Root {
	t.Helper()
	dir := t.TempDir()
	for p, text := range files {
		Write(t, dir, p, text)
	}
	return Open(t, dir)
}

// Open opens a folder until the test ends.
func Open(t testing.TB, dir string) *jail.Root {
	t.Helper()
	root, err := jail.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// Write writes a file below a folder, and the folders above it.
func Write(t testing.TB, dir, p, text string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(p))
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}
