package workspace

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/seal"
)

// stateFolder holds what is one person's, and never git's.
const stateFolder = brvDir + "/state"

// tracked remembers whether git has files of stateFolder, by the index it was read from.
type tracked struct {
	*core
	forgets sync.Once // for Options.Forgotten

	mu      sync.Mutex // guards the rest
	size    int64
	written time.Time
	file    string // one of them; "" for none
}

// mayWrite refuses changes while git tracks what is personal: each pull could replace the journal.
// It reads git's index and runs no program; where there is no index that can be read, nothing is
// tracked.
func (t *tracked) mayWrite() error {
	file := t.name()
	if file == "" {
		return t.lasting()
	}
	return fmt.Errorf(
		"git tracks %s, but %s is personal, so nothing was written;"+
			" run `git rm -r --cached %[2]s`", file, stateFolder)
}

// lasting refuses changes while the user's key is damaged, and tells where there can be none.
func (t *tracked) lasting() error {
	if t.opts.Secret == nil {
		return nil
	}
	err := t.opts.Secret.Lasting()
	switch {
	case err == nil:
	case errors.Is(err, seal.ErrDamaged):
		return fmt.Errorf(
			"%w. The key proves which changes are yours. Restore the file, or delete it; then you can no longer undo earlier changes", err)
	default:
		t.forgets.Do(func() {
			if t.opts.Forgotten != nil {
				t.opts.Forgotten(err)
			} else {
				t.opts.Log.Warn("changes can be undone only by this process, because no key can be stored", "err", err)
			}
		})
	}
	return nil
}

// name is a file of stateFolder that git tracks, "" for none.
func (t *tracked) name() string {
	repo, err := git.Open(t.root.Dir())
	if err != nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if size, written := repo.IndexStamp(); size != t.size || !written.Equal(t.written) {
		t.size, t.written = size, written
		t.file, _ = repo.Staged(stateFolder)
	}
	return t.file
}
