package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

func TestMapThatMissedAChangeIsFound(t *testing.T) {
	if !syntax.Available {
		t.Skip("built without cgo")
	}
	repos := t.TempDir()
	commits := repository(t, repos, "x", harbour...)
	c, err := newCheckout(t.Context(), filepath.Join(repos, "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.move(t.Context(), commits[0]); err != nil {
		t.Fatal(err)
	}
	o, err := openOurs(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.scan(t.Context(), commits[0]); err != nil {
		t.Fatal(err)
	}
	b := &bench{checkout: c, ours: o}
	if err := b.verify(t.Context()); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "pier", "crane.go"), []byte("package pier\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := b.verify(t.Context()); err == nil || !strings.Contains(err.Error(), "pier/crane.go has hash") {
		t.Errorf("error %v", err)
	}
}
