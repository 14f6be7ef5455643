package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// staged is one file of the index: its content in the next commit, and the file's state on disk when git last
// checked it.
type staged struct {
	path     string // inside the repository
	mode     uint32
	hash     string
	seconds  uint32    // of the file's modification time
	nanos    uint32    // 0 if git does not record them
	changed  [2]uint32 // seconds and nanoseconds of the last change of the file's metadata
	inode    uint32    // modulo 2^32
	size     uint32    // bytes, modulo 2^32
	conflict bool      // one side of an unresolved merge
	intended bool      // `git add -N`: a path without content
	ignored  bool      // git was told not to check the file on disk
	skipped  bool      // left out by a sparse checkout
}

// Modes of files in trees and in the index.
const (
	modeFile       = 0o100644
	modeExecutable = 0o100755
)

func isText(mode uint32) bool { return mode == modeFile || mode == modeExecutable }

// readIndex returns the index's bytes and its time; no bytes if there is none. Git replaces the index in one
// step, so a reader needs no lock.
func (r *Repository) readIndex() (data []byte, written time.Time, err error) {
	data, err = readIn(r.dir, "index")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, time.Time{}, nil
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("%s: %w", r.dir, err)
	}
	info, err := os.Lstat(filepath.Join(r.dir, "index"))
	if err != nil {
		return nil, time.Time{}, err
	}
	return data, info.ModTime(), nil
}

// checkedIndex is readIndex with the files of the index. An index that cannot be read whole is an error: git must not be run
// on it.
func (r *Repository) checkedIndex() (data []byte, written time.Time, files []staged, err error) {
	if data, written, err = r.readIndex(); err != nil || data == nil {
		return nil, written, nil, err
	}
	if files, err = parseIndex(data, r.hashLen()); err != nil {
		err = fmt.Errorf("%s/index: %w", r.dir, err)
	}
	return data, written, files, err
}

// Staged returns the path of a file in the index that is at or below a path inside the opened folder, "" if there
// is none. It runs no program.
func (r *Repository) Staged(at string) (string, error) {
	data, _, err := r.readIndex()
	if err != nil || data == nil {
		return "", err
	}
	files, err := entries(r, data)
	for _, f := range files {
		if p, ok := strings.CutPrefix(f.path, r.prefix); ok && (p == at || strings.HasPrefix(p, at+"/")) {
			return p, nil
		}
	}
	return "", err
}

// IndexStamp returns the size and time of the index, which show whether it changed. Both are zero if there is
// none.
func (r *Repository) IndexStamp() (size int64, written time.Time) {
	info, err := os.Lstat(filepath.Join(r.dir, "index"))
	if err != nil {
		return 0, time.Time{}
	}
	return info.Size(), info.ModTime()
}

// Lengths of the parts of an index, in bytes (gitformat-index).
const (
	indexHeader = 12
	maxPaths    = 2 * maxSmall // of all paths together; in version 4 they can be longer than the index
	statLength  = 40           // ten numbers of 32 bits: times, device, inode, mode, owner, group, size
)

var errIndex = errors.New("the index is damaged")

// modeFolder is the mode of a folder in a sparse index. No file of such a folder is on disk.
const modeFolder = 0o040000

// parseIndex reads the files of an index, see [parseEntries]. Folders of a sparse index are left out.
func parseIndex(data []byte, hashLen int) ([]staged, error) {
	files, err := parseEntries(data, hashLen)
	return slices.DeleteFunc(files, func(f staged) bool { return f.mode == modeFolder }), err
}

// splitIndex is the error for an index that contains only what differs from a shared one, which it names by its hash.
type splitIndex string

func (splitIndex) Error() string {
	return "the index is split; brv-lsp can read it after you run `git update-index --no-split-index`"
}

// entries parses an index as parseEntries does. Of a split index, it returns the files of the shared one too, even
// those that are deleted since.
func entries(r *Repository, data []byte) ([]staged, error) {
	files, err := parseEntries(data, r.hashLen())
	name, split := err.(splitIndex)
	if !split {
		return files, err
	}
	data, err = readIn(r.dir, "sharedindex."+string(name))
	if err != nil {
		return nil, err
	}
	shared, err := parseEntries(data, r.hashLen())
	files = append(shared, slices.DeleteFunc(files, func(f staged) bool { return f.path == "" })...)
	slices.SortStableFunc(files, func(a, b staged) int { return strings.Compare(a.path, b.path) })
	return files, err
}

// parseEntries parses an index of version 2, 3 or 4. hashLen is the length of the repository's hashes, in hex
// digits. Of a split index, it returns the files that differ, some without a path, and an error [splitIndex].
func parseEntries(data []byte, hashLen int) ([]staged, error) {
	if len(data) < indexHeader || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("the index has version %d: %w", version, errUnsupported)
	}
	p := &indexParser{data: data, at: indexHeader, version: version, hash: hashLen / 2}
	files := make([]staged, 0, min(int(count), len(data)/statLength))
	for range count {
		f, err := p.next()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if p.at+8 <= len(data) && string(data[p.at:p.at+4]) == "link" {
		if p.at += 8; len(data)-p.at < p.hash {
			return nil, errIndex
		}
		return files, splitIndex(hex.EncodeToString(data[p.at : p.at+p.hash]))
	}
	if slices.ContainsFunc(files, func(f staged) bool { return f.path == "" }) {
		return nil, errIndex
	}
	return files, nil
}

type indexParser struct {
	data     []byte
	at       int
	version  uint32
	hash     int // bytes
	previous []byte
	sum      int // bytes of all paths
}

// Flags of an entry of the index.
const (
	flagIgnored  = 0x8000 // assume unchanged
	flagExtended = 0x4000
	flagStages   = 0x3000
	moreSkipped  = 0x4000 // skip worktree
	moreIntended = 0x2000
)

func (p *indexParser) next() (f staged, err error) {
	start, word := p.at, binary.BigEndian.Uint32
	if len(p.data)-p.at < statLength+p.hash+2 {
		return f, errIndex
	}
	stat := p.data[p.at:]
	f.seconds, f.nanos, f.mode, f.size = word(stat[8:]), word(stat[12:]), word(stat[24:]), word(stat[36:])
	f.changed, f.inode = [2]uint32{word(stat), word(stat[4:])}, word(stat[20:])
	f.hash = hex.EncodeToString(stat[statLength : statLength+p.hash])
	flags := binary.BigEndian.Uint16(stat[statLength+p.hash:])
	p.at += statLength + p.hash + 2
	f.ignored, f.conflict = flags&flagIgnored != 0, flags&flagStages != 0
	if flags&flagExtended != 0 {
		if len(p.data)-p.at < 2 {
			return f, errIndex
		}
		more := binary.BigEndian.Uint16(p.data[p.at:])
		f.skipped, f.intended = more&moreSkipped != 0, more&moreIntended != 0
		f.ignored = f.ignored || f.skipped
		p.at += 2
	}
	path, err := p.name()
	if err != nil {
		return f, err
	}
	if p.version < 4 { // padded with NULs, at least one, to a multiple of eight
		p.at = start + (p.at-1-start)/8*8 + 8
		if p.at > len(p.data) {
			return f, errIndex
		}
	}
	p.previous, f.path = path, string(path)
	return f, nil
}

// name reads a path. In version 4 it is stored as the number of bytes to drop from the end of the previous
// path, and the text to append to the rest.
func (p *indexParser) name() ([]byte, error) {
	var prefix []byte
	if p.version == 4 {
		drop, ok := p.number()
		if !ok || drop > len(p.previous) {
			return nil, errIndex
		}
		prefix = p.previous[:len(p.previous)-drop]
	}
	n := bytes.IndexByte(p.data[p.at:], 0)
	if n < 0 || len(prefix)+n > maxPath {
		return nil, errIndex
	}
	if p.sum += len(prefix) + n; p.sum > maxPaths {
		return nil, errIndex
	}
	path := p.data[p.at : p.at+n : p.at+n]
	if p.at += n + 1; len(prefix) > 0 {
		path = slices.Concat(prefix, path)
	}
	return path, nil
}

// number reads a number with seven bits in each byte, like the offsets in packs.
func (p *indexParser) number() (n int, ok bool) {
	for i := range 4 {
		if p.at == len(p.data) {
			return 0, false
		}
		b := p.data[p.at]
		p.at++
		if i > 0 {
			n++
		}
		n = n<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			return n, true
		}
	}
	return 0, false
}
