package store

import (
	"context"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/tree"
)

// Many programs save a file by emptying it and then writing it: a shell's `>`, editors, network
// drives. An entry that is empty or shorter than it was, and that changed a moment ago, is therefore
// being saved: who is about to change it is refused by the journal, waits, and plans again on what was
// saved. What such a program writes all the same into a file that was replaced meanwhile is kept by the
// journal, and told.

// saving finds out whether entries are being saved, and waits for it.
type saving struct {
	*folder
	wait func(ctx context.Context, d time.Duration) error
}

// savingError: entries are being saved by another program.
type savingError struct{ paths []string }

func (e *savingError) Error() string {
	return joinAtMost(e.paths, 3) + ": another program is saving this file" +
		" (it is empty or incomplete); try again in a moment"
}

// isSaving reports whether an entry that had so many bytes is being saved; emptied, whether it is empty
// now.
func (s *saving) isSaving(at string, had int) (saving, emptied bool) {
	info, err := s.disk.Lstat(tree.Dir + "/" + at)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 && info.Size() >= int64(had) {
		return false, false
	}
	if info.Size() == 0 {
		return s.journal.IsEmptied(info), true
	}
	if !s.within(settles, info.ModTime()) {
		return false, false
	}
	data, err := s.disk.ReadFile(tree.Dir+"/"+at, int64(had))
	return err == nil && !s.journal.Wrote(tree.Dir+"/"+at, data), false
}

// busy lists those of the entries of a snapshot that are being saved.
func (s *saving) busy(snap *tree.Snapshot, paths []string) (busy []string) {
	for _, at := range paths {
		if e, ok := snap.Entry(at); ok {
			if saving, _ := s.isSaving(at, len(e.Text)); saving {
				busy = append(busy, at)
			}
		}
	}
	return busy
}

// ready fails with a [*savingError] where entries that are to be changed are being saved.
func (s *saving) ready(snap *tree.Snapshot, paths []string) error {
	if busy := s.busy(snap, paths); len(busy) > 0 {
		return &savingError{busy}
	}
	return nil
}

// outwait waits until none of the entries of a snapshot is being saved, and fails with a [*savingError] where one still
// is, or is still empty, after as long as that may take.
func (s *saving) outwait(ctx context.Context, snap *tree.Snapshot, paths []string) error {
	busy := s.busy(snap, paths)
	for waited := time.Duration(0); len(busy) > 0; waited += settlePause {
		if waited > settles {
			return &savingError{busy}
		}
		if err := s.wait(ctx, settlePause); err != nil {
			return err
		}
		busy = slices.DeleteFunc(busy, func(at string) bool {
			saving, emptied := s.isSaving(at, len(tree.TextAt(snap, at)))
			return !saving && !emptied
		})
	}
	return nil
}

const (
	// settles is how long after a change an entry that is empty or shorter may still be half of a
	// save. Savers that were measured leave up to 80 ms between the two, `jq` on a large file and
	// network drives some hundred.
	settles = time.Second
	// settlePause is how long to wait between two looks at it.
	settlePause = 20 * time.Millisecond
)

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}
