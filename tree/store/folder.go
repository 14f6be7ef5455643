package store

import (
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/internal/txn"
)

// folder is the `.brv` folder, which the parts of a store share.
type folder struct {
	root    *jail.Root // without links
	disk    txn.FS     // root, where files are changed
	journal *txn.Journal
	seal    *seal.Folder
	now     func() time.Time
}

// within reports whether a file of that time changed so short a time ago.
func (f *folder) within(d time.Duration, mod time.Time) bool { return f.now().Sub(mod).Abs() < d }
