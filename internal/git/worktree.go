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
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// WorkDiff is how the files on disk differ from the index: what `git add -u` would stage.
// Files that git does not follow are no part of it. The files are read by this program,
// through a jail and as they are: no filter, line end or encoding that attributes name is
// applied, and the repository's git folder is only read. So a file that git would convert
// is compared as it lies there; line ends count as LF.
//
// As git does, a file whose size and time are those that the index remembers counts as
// unchanged without being read. Renames are not seen: the index knows no new names.
func (r *Repository) WorkDiff(ctx context.Context, limits DiffLimits) (*Difference, error) {
	index, written, err := r.readIndex()
	if err != nil {
		return nil, err
	}
	d := &Difference{}
	if index == nil {
		return d, nil
	}
	files, err := parseIndex(index, r.hashLen())
	if err != nil {
		return nil, fmt.Errorf("%s/index: %w", r.dir, err)
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

// work compares the folder with the index.
type work struct {
	root    *jail.Root
	written time.Time // the index
	left    int64     // bytes that may still be kept
}

// look compares one file with what the index says of it.
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

// asIndexed reports whether a file's record is the one in the index, with a time before the index was
// written: later changes could have the same time.
func (w *work) asIndexed(info fs.FileInfo, s staged) bool {
	at := info.ModTime()
	same := uint32(info.Size()) == s.size && uint32(at.Unix()) == s.seconds && (s.nanos == 0 || uint32(at.Nanosecond()) == s.nanos)
	return same && at.Before(w.written) && s.seconds != 0
}

// BlobHash names a text as git does, by a hash of hashLen hex digits.
func BlobHash(text []byte, hashLen int) string {
	header := []byte("blob " + strconv.Itoa(len(text)) + "\x00")
	if hashLen == 64 {
		h := sha256.New()
		h.Write(header)
		h.Write(text)
		return hex.EncodeToString(h.Sum(nil))
	}
	h := sha1.New()
	h.Write(header)
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}

// dropEqual leaves out files that differ in their line ends alone.
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
