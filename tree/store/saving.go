package store

import (
	"context"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree"
)

// Many programs save a file by emptying it and then writing it: a shell's `>`, editors, network drives. An
// entry that changed a moment ago and is empty or shorter than before is therefore taken to be in the middle
// of a save: the journal refuses a change of it, and the store waits and plans again on the saved text. If
// such a program still writes into a file that was replaced meanwhile, the journal keeps that text and
// reports it.

// saving detects entries that other programs are saving, and waits for them.
type saving struct {
	*folder
	wait func(ctx context.Context, d time.Duration) error
}

// savingError: entries are being saved by another program.
type savingError struct{ paths []string }

func (e *savingError) Error() string {
	return words.AtMost(e.paths, 3) + ": still being saved by another program" +
		" (empty or incomplete); try again in a moment"
}

// isSaving reports whether an entry that had so many bytes is being saved; emptied tells that it is empty
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

// ready returns a [*savingError] if entries that are to be changed are being saved.
func (s *saving) ready(snap *tree.Snapshot, paths []string) error {
	if busy := s.busy(snap, paths); len(busy) > 0 {
		return &savingError{busy}
	}
	return nil
}

// outwait waits until none of the entries of a snapshot is being saved. If one still is, or is still empty,
// after the longest wait, it returns a [*savingError].
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
	// settles is the time after a change in which an entry that is empty or shorter may be half-saved.
	// Measured programs leave up to 80 ms between the two steps, `jq` on a large file and network drives some
	// hundred.
	settles = time.Second
	// settlePause is the pause between two such checks.
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
