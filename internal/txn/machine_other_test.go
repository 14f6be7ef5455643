//go:build !linux

package txn_test

import (
	"errors"
	"os"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

var (
	fullDiskChild = notHere
	sizeChild     = notHere
	readOnlyChild = notHere
)

func notHere(*jail.Root, []string) error { return errors.ErrUnsupported }

func linkOut(t *testing.T, _ *jail.Root, _ string) func() ([]os.DirEntry, error) {
	t.Skip("not tried on this system")
	return nil
}
