//go:build unix

package store

import (
	"os"
	"syscall"
	"testing"
)

// A test that hangs here has failed: nobody writes into the pipe.
func TestRefreshDoesNotWaitForAPipe(t *testing.T) {
	d := newDisk(t)
	d.write("a/b/c.md", "# C")
	s := d.open(Options{})
	d.must(os.Remove(d.at("a/b/c.md")))
	if err := syscall.Mkfifo(d.at("a/b/c.md"), 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	for _, touched := range []string{"a/b/c.md", "a", ""} {
		snap, err := s.Refresh(t.Context(), touched)
		if err != nil || snap.Len() != 0 || len(snap.Skipped()) != 1 {
			t.Errorf("after %q: %d entries, skipped %v, %v", touched, snap.Len(), snap.Skipped(), err)
		}
	}
}
