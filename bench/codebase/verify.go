package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// verify fails if the map that followed all changes is not what a new scan gives.
func (b *bench) verify(ctx context.Context) error {
	fresh, err := openOurs(b.checkout.dir)
	if err != nil {
		return err
	}
	defer fresh.Close()
	if err := fresh.scan(ctx, b.checkout.at); err != nil {
		return err
	}
	if fresh.code.Fingerprint() != b.ours.code.Fingerprint() {
		return fmt.Errorf("the updated map at %s is not that of a new scan: %s", b.checkout.at, differing(b.ours.code, fresh.code))
	}
	return nil
}

// differing names a file in which two maps differ.
func differing(updated, scanned *codebase.RepoMap) string {
	for _, c := range updated.Chunks() {
		d, ok := scanned.Chunk(c.Path)
		switch {
		case !ok:
			return c.Path + " is no longer there"
		case c.Hash != d.Hash || c.Partial != d.Partial || len(c.Symbols()) != len(d.Symbols()):
			return fmt.Sprintf("%s has hash %.8s and %d symbols (%q), not %.8s and %d (%q)", c.Path, c.Hash, len(c.Symbols()),
				c.Partial, d.Hash, len(d.Symbols()), d.Partial)
		case !slices.Equal(updated.Dependencies(c.Path), scanned.Dependencies(c.Path)):
			return fmt.Sprintf("%s imports %v, not %v", c.Path, updated.Dependencies(c.Path), scanned.Dependencies(c.Path))
		}
	}
	for _, d := range scanned.Chunks() {
		if _, ok := updated.Chunk(d.Path); !ok {
			return d.Path + " is missing"
		}
	}
	return fmt.Sprintf("importance, or what is skipped: %v, not %v", updated.Skipped(), scanned.Skipped())
}
