package main

import "testing"

// TestSmallTree measures a small tree to its end: a dream, another, decisions, and all taken back.
func TestSmallTree(t *testing.T) {
	if err := run(t.Context(), options{entries: 150, quiet: true}); err != nil {
		t.Fatal(err)
	}
}
