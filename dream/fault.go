package dream

import (
	"errors"
	"strings"
	"syscall"

	"github.com/brv-lsp/brv-lsp/internal/txn"
	"github.com/brv-lsp/brv-lsp/tree"
)

// stops reports whether an error is the journal's, so that nothing can be done now.
func stops(err error) bool {
	return errors.Is(err, txn.ErrBusy) || errors.Is(err, txn.ErrUnfinished) || errors.Is(err, txn.ErrNewer)
}

// refusal says which entry a change cannot be made in, and the system's reason, without the names of
// the journal's own files. ok is false of another error than that of a file. Nothing was done of
// the change, and others may go well.
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
		return "cannot write to the disk: " + errno.Error(), true
	}
	return "", false
}
