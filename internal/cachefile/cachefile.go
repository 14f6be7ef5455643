// Package cachefile keeps what can be made again in files of the user's cache, one
// for each kind of thing and each project, shared by any number of processes without
// a lock.
//
// A file is written aside and renamed when it is complete, and never changed in
// place: a reader sees all of what one process wrote, or nothing. Of several that
// write at once the last one's file stays. It is read into memory, not mapped, and
// verified as a whole before anything in it is believed: whoever damages, truncates
// or deletes it afterwards does nobody any harm. A file that is missing, damaged, or
// of another version is an error that callers answer by making the thing again.
//
// A folder that another user owns or others can write to is neither read nor written ([Usable]), and no file of that kind
// is read: what stands there may be anybody's.
//
// Nothing is forced to the disk: after a power cut a file may be empty or hold zeros,
// which its checksums tell, and writing costs no wait.
//
// # Format
//
//	magic     8 bytes
//	version   32 bytes  SHA-256 of what the caller names
//	blocks    u32
//	 size     u64       of each block, in bytes
//	 crc      u32       CRC-32C of the block
//	crc       u32       CRC-32C of all above
//	blocks
//
// all numbers little endian.
package cachefile

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
)

// errUnusable: the file is damaged, too large, of another version, or accessible to others.
var errUnusable = errors.New("not a usable cache file")

const (
	suffix  = ".cache"
	partial = ".partial" // a file while it is written

	// partialAge is the age after which a partial file is abandoned: writing takes less than a second.
	partialAge = 10 * time.Minute

	// unusedAge is how long an unread file is kept: a project that was deleted or moved leaves its files
	// behind.
	unusedAge = 90 * 24 * time.Hour

	// markEvery is the interval at which a file that is read gets a new time, from which unusedAge is
	// counted.
	markEvery = 24 * time.Hour
)

// Block is a part of a file that is verified separately, as a list of consecutive pieces.
type Block [][]byte

// File is one file of a cache folder; it need not exist.
type File struct{ folder, name string }

// Of returns the file of a kind, a short word, for the project at root, in a folder that kinds and projects
// share. A project that is reached by several paths has one file. A root with a zero byte is a name and not a
// path.
func Of(folder, kind, root string) File {
	if !strings.Contains(root, "\x00") { // otherwise it is a name and not a path
		if real, err := filepath.EvalSymlinks(root); err == nil {
			root = real
		}
	}
	sum := sha256.Sum256([]byte(root))
	return File{folder, kind + "-" + hex.EncodeToString(sum[:8]) + suffix}
}

// Path is the file's path, whether it exists or not.
func (f File) Path() string { return filepath.Join(f.folder, f.name) }

// Name is the file's name in its folder.
func (f File) Name() string { return f.name }

// Beside is the file of a name in the same folder; for a name that [Of] cannot have made, it is f itself.
func (f File) Beside(name string) File {
	if !ours().MatchString(name) {
		return f
	}
	return File{f.folder, name}
}

// Remove removes a file whose content is useless.
func (f File) Remove() { os.Remove(f.Path()) }

// Usable returns the reason why a folder cannot be this user's cache: others can access it. A missing folder
// is usable.
func Usable(folder string) error {
	info, err := os.Lstat(folder)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := jail.Private(info, 0); err != nil { // a link's own permissions mean nothing
			return fmt.Errorf("the symbolic link %s %w", folder, err)
		}
		info, err = os.Stat(folder)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := jail.Private(info, jail.Written); err != nil {
		return fmt.Errorf("%s %w", folder, err)
	}
	return nil
}

// Write replaces the file and makes the folder, for this user alone, if it is missing. If it fails, it leaves
// no trace.
func (f File) Write(version string, blocks ...Block) error {
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return err
	}
	if err := Usable(f.folder); err != nil {
		return err
	}
	clean(f.folder, MaxAll)
	out, err := os.CreateTemp(f.folder, f.name+".*"+partial) // for this user alone
	if err != nil {
		return err
	}
	if err = errors.Join(encode(out, version, blocks), out.Close()); err == nil {
		err = os.Rename(out.Name(), f.Path())
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

// Read returns the file's blocks, verified. A file of more than limit bytes is not
// read. The blocks share one array, which lives as long as one of them.
func (f File) Read(version string, limit int64) ([][]byte, error) {
	root, err := jail.Open(f.folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := Usable(f.folder); err != nil {
		return nil, err
	}
	in, info, err := root.OpenFile(f.name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if info.Size() > limit || jail.Private(info, jail.Written) != nil {
		return nil, fmt.Errorf("%s: %w", f.name, errUnusable)
	}
	blocks, err := decode(in, info.Size(), version)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	f.mark(info)
	return blocks, nil
}

// mark records that the file is in use. If that fails, the file may be deleted and made again some day.
func (f File) mark(info fs.FileInfo) {
	if now := time.Now(); now.Sub(info.ModTime()) > markEvery {
		_ = os.Chtimes(f.Path(), now, now)
	}
}

// ours matches the names from Of and Write; a folder may have files of others.
var ours = lazyregexp.New(`^[a-z]+-[0-9a-f]{16}\` + suffix + `(\.[0-9]+\` + partial + `)?$`)

const (
	magic     = "brvcache"
	fixed     = len(magic) + sha256.Size + 4 // bytes of the header in front of the table
	perBlock  = 8 + 4                        // bytes of the table for a block
	maxBlocks = 1 << 12                      // bounds the table, whose length is stated in the file
)

// castagnoli is CRC-32C, which processors compute: 40 MB in 6 ms.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes a file.
func encode(w io.Writer, version string, blocks []Block) error {
	if len(blocks) > maxBlocks {
		return errUnusable
	}
	le := binary.LittleEndian
	mark := sha256.Sum256([]byte(version))
	head := append([]byte(magic), mark[:]...)
	head = le.AppendUint32(head, uint32(len(blocks)))
	for _, b := range blocks {
		size, sum := uint64(0), uint32(0)
		for _, piece := range b {
			size += uint64(len(piece))
			sum = crc32.Update(sum, castagnoli, piece)
		}
		head = le.AppendUint64(head, size)
		head = le.AppendUint32(head, sum)
	}
	head = le.AppendUint32(head, crc32.Checksum(head, castagnoli))
	out := bufio.NewWriterSize(w, 1<<20) // pieces may be small; Flush returns the first error
	out.Write(head)
	for _, b := range blocks {
		for _, piece := range b {
			out.Write(piece)
		}
	}
	return out.Flush()
}

// decode reads a file of a given size. Memory is allocated only for sizes that a verified header states and
// the file's size confirms.
func decode(r io.Reader, size int64, version string) ([][]byte, error) {
	if size < int64(fixed) {
		return nil, errUnusable
	}
	head := make([]byte, fixed)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	mark := sha256.Sum256([]byte(version))
	n := int(le.Uint32(head[fixed-4:]))
	if string(head[:fixed-4]) != magic+string(mark[:]) || n > maxBlocks {
		return nil, errUnusable
	}
	head = append(head, make([]byte, n*perBlock+4)...)
	if _, err := io.ReadFull(r, head[fixed:]); err != nil {
		return nil, err
	}
	table := head[fixed : len(head)-4]
	if crc32.Checksum(head[:len(head)-4], castagnoli) != le.Uint32(head[len(head)-4:]) || !fills(table, size-int64(len(head))) {
		return nil, errUnusable
	}
	data := make([]byte, size-int64(len(head)))
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, err
	}
	return cut(data, table)
}

// fills reports whether the blocks of a table have so many bytes in total.
func fills(table []byte, size int64) bool {
	left := uint64(max(size, 0))
	for ; len(table) > 0; table = table[perBlock:] {
		length := binary.LittleEndian.Uint64(table)
		if length > left {
			return false
		}
		left -= length
	}
	return left == 0 && size >= 0
}

// cut returns the blocks in data, each as it was written.
func cut(data, table []byte) ([][]byte, error) {
	blocks := make([][]byte, 0, len(table)/perBlock)
	for ; len(table) > 0; table = table[perBlock:] {
		length := binary.LittleEndian.Uint64(table)
		block := data[:length:length]
		if crc32.Checksum(block, castagnoli) != binary.LittleEndian.Uint32(table[8:]) {
			return nil, errUnusable
		}
		blocks, data = append(blocks, block), data[length:]
	}
	return blocks, nil
}

// MaxAll bounds what all files of a folder take, in bytes: the largest repositories have some 0.5 GB, and few have four such.
const MaxAll = 2 << 30

// kept is a file of a folder.
type kept struct {
	name string
	info fs.FileInfo
}

// all lists our files of a folder, those used last first.
func all(folder string) (list []kept) {
	found, _ := os.ReadDir(folder) // an unreadable folder counts as empty
	for _, e := range found {
		if !e.Type().IsRegular() || !ours().MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil {
			list = append(list, kept{e.Name(), info})
		}
	}
	slices.SortStableFunc(list, func(a, b kept) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	return list
}

// Size counts the bytes of the files of a kind.
type Size struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// Sizes returns what all files of a folder take, in bytes, and for projects that are named as in [Of] what each kind takes.
func Sizes(folder string, roots ...string) (total int64, of []Size) {
	sums := map[string]int64{}
	for _, k := range all(folder) {
		total += k.info.Size()
		kind, _, _ := strings.Cut(k.name, "-")
		if slices.ContainsFunc(roots, func(root string) bool { return Of(folder, kind, root).name == k.name }) {
			sums[kind] += k.info.Size()
		}
	}
	for kind, size := range sums {
		of = append(of, Size{kind, size})
	}
	slices.SortFunc(of, func(a, b Size) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Kind, b.Kind)) })
	return total, of
}

// Clear removes all of our files in a folder, and returns their size. Running programs go on with the data in
// their memory.
func Clear(folder string) (removed int64, err error) {
	if err := Usable(folder); err != nil {
		return 0, err
	}
	for _, k := range all(folder) {
		if failed := os.Remove(filepath.Join(folder, k.name)); failed == nil {
			removed += k.info.Size()
		} else if !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return removed, err
}

// clean removes partial files of killed processes and the files of projects that were not opened for long. Of
// the rest it removes the least recently used until they take at most so many bytes. File times are the file
// system's, so the clock is the machine's.
func clean(folder string, most int64) {
	now := time.Now()
	for _, k := range all(folder) {
		age := now.Sub(k.info.ModTime())
		if filepath.Ext(k.name) == partial {
			if age > partialAge {
				os.Remove(filepath.Join(folder, k.name))
			}
		} else if most -= k.info.Size(); age > unusedAge || most < 0 {
			os.Remove(filepath.Join(folder, k.name))
		}
	}
}
