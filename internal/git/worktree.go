package git

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// WorkDiff returns how the files on disk differ from the index: the changes that `git add -u` would stage.
// Untracked files are not included. This program reads the files itself, through a jail and unchanged: it applies
// no filter, line end or encoding from attributes, and it only reads the repository's git folder. So a file that
// git would convert is compared as it is on disk; line ends count as LF.
//
// As in git, a file with the size and time that the index has recorded counts as unchanged without being read.
// Renames are not recognised, since the index has no new names.
func (r *Repository) WorkDiff(ctx context.Context, limits DiffLimits) (*Difference, error) {
	index, written, files, err := r.checkedIndex()
	if err != nil {
		return nil, err
	}
	d := &Difference{}
	if index == nil {
		return d, nil
	}
	root, err := jail.Open(filepath.Join(r.top, filepath.FromSlash(r.prefix)))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &work{root: root, written: written, left: limits.Bytes}
	var all []sides
	for i, s := range files {
		path, ok := strings.CutPrefix(s.path, r.prefix)
		if i%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !ok || s.ignored || !isText(s.mode) || i > 0 && s.conflict && files[i-1].path == s.path {
			continue
		}
		f, texts, differs := w.look(path, s)
		if !differs {
			continue
		}
		d.Total++
		if len(d.Files) < limits.Files {
			d.Files, all = append(d.Files, f), append(all, texts)
		}
	}
	if err := r.fill(ctx, d, all, limits); err != nil {
		return nil, err
	}
	d.dropEqual()
	return d, nil
}

// work is a comparison of the folder with the index.
type work struct {
	root    *jail.Root
	written time.Time // when the index was written
	left    int64     // bytes of text that may still be kept
}

// look compares one file with its entry in the index.
func (w *work) look(path string, s staged) (f FileDifference, texts sides, differs bool) {
	f, texts = FileDifference{Path: path, Status: 'M'}, sides{before: s.hash}
	if s.conflict {
		f.Left = leftConflict
		return f, texts, true
	}
	info, err := w.root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Status = 'D'
		return f, texts, true
	case err != nil || !info.Mode().IsRegular():
		f.Left = leftKind
		return f, texts, true
	case s.intended:
		f.Status, texts.before = 'A', ""
	case w.asIndexed(info, s):
		return f, texts, false
	}
	if info.Size() > maxCompared {
		f.Left = leftLarge
		return f, texts, true
	}
	text, err := w.root.ReadFile(path, maxCompared)
	if err != nil {
		f.Left = leftKind
		return f, texts, true
	}
	if !s.intended && BlobHash(text, len(s.hash)) == s.hash {
		return f, texts, false
	}
	if w.left -= int64(len(text)); w.left < 0 {
		f.Left = leftRest
		return f, texts, true
	}
	after := string(text)
	texts.textAfter = &after
	return f, texts, true
}

// asIndexed reports whether a file's record is the one in the index, with a time before the index was written. A
// later change could have the same time.
func (w *work) asIndexed(info fs.FileInfo, s staged) bool {
	at := info.ModTime()
	same := uint32(info.Size()) == s.size && uint32(at.Unix()) == s.seconds && (s.nanos == 0 || uint32(at.Nanosecond()) == s.nanos)
	return same && at.Before(w.written) && s.seconds != 0
}

// BlobHash returns git's hash of a text, with hashLen hex digits.
func BlobHash(text []byte, hashLen int) string {
	h := sha1.New()
	if hashLen == 64 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// dropEqual leaves out files that differ only in their line ends.
func (d *Difference) dropEqual() {
	kept := d.Files[:0]
	for _, f := range d.Files {
		if f.Status == 'M' && f.Left == "" && len(f.Added)+len(f.Removed) == 0 {
			d.Total--
			continue
		}
		kept = append(kept, f)
	}
	d.Files = kept
}
