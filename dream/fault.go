package dream

import (
	"errors"
	"strings"
	"syscall"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
)

// stops reports whether an error is the journal's, so that no further change is possible now.
func stops(err error) bool {
	return errors.Is(err, txn.ErrBusy) || errors.Is(err, txn.ErrUnfinished) || errors.Is(err, txn.ErrNewer)
}

// refusal returns the entry that cannot be changed and the system's reason, without the names of the
// journal's own files. ok is false if the error is not about a file. The change was not made at all, and
// other changes may succeed.
func refusal(err error) (why string, ok bool) {
	if stops(err) {
		return "", false
	}
	if file, ok := errors.AsType[*txn.FileError](err); ok {
		at, entry := strings.CutPrefix(file.Path, tree.Dir+"/")
		if !entry {
			at = ".brv/" + at // its review, or its counters
		}
		return at + " cannot be written: " + file.Reason(), true
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return "writing to the disk failed: " + errno.Error(), true
	}
	return "", false
}
