// Package records stores the parsed data of a folder's files. A program that starts again, returns to a branch, or
// opens another working tree of the repository then parses only files that are new to it.
//
// The data of a file are bytes that belong to the caller. They depend only on the file's content, and are stored
// by its hash ([Sum]) for all working trees of a repository. A file need not be read if git's index names its
// content ([Store.ByBlob]), or if its [Stamp] is the same as when its path was last read ([Store.ByStamp]). A file
// that was touched, renamed or changed back is read, and then found by its content ([Store.ByContent]).
//
//	store := records.Open(dir, records.Project{Root: root, Repository: git.Shared(root)}, syntax.Version)
//	rec, ok := store.ByStamp(path, stamp)
//	if !ok {
//		read, text := time.Now(), …         // the time before the file is read
//		sum := records.Sum(language, text)
//		if rec, ok = store.ByContent(path, sum); !ok {
//			rec.Data = parse(text)
//		}
//		store.Put(records.Record{Path: path, Stamp: stamp, Read: read.UnixNano(), Hash: sum, Data: rec.Data})
//	}
//	err := store.Save(live)
//
// The data of a repository are in one file of the user's cache (package cachefile). The paths of a folder are in
// another one, without those that git's index can answer for. Any number of processes may read the files; none
// locks them. A process that saves adds to the records that others saved meanwhile. The store only saves time: if
// something is wrong with the files, it starts empty, and without a cache folder it stores nothing.
//
// A repository may claim any git hash for a content. So a hash leads to data only if this program itself read a
// text with that hash, and only in the repository whose working tree contained the text. A repository cannot get
// data of another repository, whose texts it may not have, by naming their hashes.
//
// # Limits
//
// The data of a file have at most maxData bytes, and all data at most maxSize; files beyond that are parsed each
// time. If two processes save at the same moment, the additions of one may be lost. A store in use holds the whole
// file in memory. Save and Release free that memory, and the next look-up reads the file again.
//
// 10,000 files of 4 KB open in 20 to 40 ms of CPU, depending on the machine's load, and all look-ups by stamp take
// 5 ms (BenchmarkOpen, BenchmarkByStamp; two cores). 20,000 files take 88 MB, and nothing after Release
// (BenchmarkMemory). The data are not compressed. For the data that syntax makes from Go files, snappy saves 39 %
// and decodes in 5 µs a file, and deflate saves 51 % and takes 48 µs, while reading 40 MB takes 18 ms in all.
package records

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/git"
)

const (
	// maxSize bounds a folder's records, in bytes: some 100,000 files of 4 KB.
	maxSize = 512 << 20

	// maxData bounds the data of one file, in bytes. Sources of a megabyte, the largest that are parsed, give
	// less.
	maxData = 4 << 20

	headerRoom = 1 << 10 // more than the file needs besides the records

	// keepFor is how long data without a file are kept, counted from the last write of the records; a branch is
	// rarely left for longer.
	keepFor = 14 * 24 * time.Hour

	// racy is the largest difference between a file's time and the time when it was read at which a later write
	// may still get the same time. FAT counts in steps of 2 s, the coarsest of common file systems.
	racy = int64(2 * time.Second)
)

// Stamp shows that a file is unchanged, without reading it. Values that the operating system does not provide are
// 0.
type Stamp struct {
	Size    int64  // bytes
	ModTime int64  // when the content changed, Unix nanoseconds
	Change  int64  // when anything about the file changed (ctime), Unix nanoseconds
	Inode   uint64 // number of the file in its file system
}

// Record holds the parsed data of a file.
type Record struct {
	Path  string // slash-separated, relative to the folder
	Stamp Stamp  // of the file, taken before it was read
	Read  int64  // a time before it was read, Unix nanoseconds
	Hash  [sha256.Size]byte
	Blob  [sha256.Size]byte // see [BlobKey]; zero if the content differs from the one in git's index

	// Data belongs to the caller who made it, and must not be changed afterwards. The data of a found record share
	// memory with all records, so keeping them keeps that memory.
	Data []byte
}

// Sum returns the hash of a content. kind is anything besides the text that affects the data, such as the language
// of the file's name.
func Sum(kind string, text []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(kind))))
	h.Write([]byte(kind))
	h.Write(text)
	return [sha256.Size]byte(h.Sum(nil))
}

// BlobKey returns the key of a content by its hash in git's index, for a file of the given size, which git may
// have converted. kind is as for [Sum], as far as it is known without the text. A caller who puts a record with
// such a key has compared the text and the hash.
func BlobKey(kind, blob string, size int64) [sha256.Size]byte {
	return Sum(kind, fmt.Appendf(nil, "%s %d", blob, size))
}

// Store holds the records of one folder. It is safe for concurrent use. A nil store is always empty.
type Store struct {
	file    cachefile.File // the contents
	paths   cachefile.File // the rows of paths
	dir     string         // of the files
	origin  string         // the origin of the repository
	version string
	limit   int // for the content of the files, in bytes
	now     func() time.Time

	saving sync.Mutex // held by Save

	mu    sync.RWMutex // guards the fields below
	saved *table       // the file's content when it was last read; nil after Release

	// Records that were put and not saved yet: paths, and contents that were not in the file. The values never
	// change, so that Save knows what it saved.
	files map[string]*row
	fresh map[[sha256.Size]byte]*content

	used map[[sha256.Size]byte]bool // contents that this process found or put by their hash in git's index
}

// row is the record of a path.
type row struct {
	stamp Stamp
	read  int64
	used  int64 // when it was last known to exist, Unix seconds
	hash  [sha256.Size]byte
}

// content is the record of a text, by its hash.
type content struct {
	used int64             // when a file last had this content, Unix seconds
	blob [sha256.Size]byte // as in [Record]
	data []byte
}

// Project identifies the owner of a store's records.
type Project struct {
	Root       string // the folder, a working tree of a repository or a part of one
	Repository string // see [git.Shared]; the folder if there is no repository
	Origin     string // [git.Origin] of Root if it is empty; records that a clone lacks come from there, see [Store.borrow]
}

// Open returns the store of a project in the cache folder dir. If dir is "", the store is empty. version is that
// of the data; records of another version do not count.
func Open(dir string, of Project, version string) *Store { return open(dir, of, version, time.Now) }

func open(dir string, of Project, version string, now func() time.Time) *Store {
	if dir == "" {
		return nil
	}
	s := &Store{
		file: cachefile.Of(dir, "code", of.Repository), paths: cachefile.Of(dir, "paths", of.Root), version: formatVersion + version,
		limit: maxSize - headerRoom, now: now,
		files: map[string]*row{}, fresh: map[[sha256.Size]byte]*content{},
		used: map[[sha256.Size]byte]bool{}, dir: dir, origin: cmp.Or(of.Origin, git.Origin(of.Root)),
	}
	s.table()
	return s
}

// table returns the content of the file, and reads it if necessary.
func (s *Store) table() *table {
	s.mu.RLock()
	t := s.saved
	s.mu.RUnlock()
	if t != nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saved == nil {
		if s.saved = s.read(); len(s.saved.contents) == 0 {
			s.saved = s.borrow()
		}
	}
	return s.saved
}

// ByStamp returns the record of a file that has the same stamp as when it was read. It does not find a file that
// changed so shortly before it was read that a later write may have the same times (as in git's index).
func (s *Store) ByStamp(path string, st Stamp) (Record, bool) {
	if s == nil {
		return Record{}, false
	}
	t := s.table()
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, known := s.files[path]
	if !known {
		saved, ok := t.files[path]
		if !ok {
			return Record{}, false
		}
		r = &saved
	}
	if r.stamp != st || st.doubtful(r.read) {
		return Record{}, false
	}
	return s.record(t, path, *r)
}

// doubtful reports whether a file may have been written again after the time when it was read, and still have the
// same stamp.
func (s Stamp) doubtful(read int64) bool {
	last := max(s.ModTime, s.Change)
	return last+racy > read || last+racy < last
}

// ByContent returns the record of a content, whatever its path was. The result has the requested path, and no
// stamp.
func (s *Store) ByContent(path string, hash [sha256.Size]byte) (Record, bool) {
	if s == nil {
		return Record{}, false
	}
	t := s.table()
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.record(t, path, row{hash: hash})
}

// ByBlob returns the record of the content with a key, which must not be zero.
func (s *Store) ByBlob(path string, key [sha256.Size]byte) (Record, bool) {
	if s == nil {
		return Record{}, false
	}
	t := s.table()
	s.mu.Lock()
	defer s.mu.Unlock()
	hash, ok := t.blobs[key]
	if !ok {
		return Record{}, false
	}
	s.used[hash] = true
	return s.record(t, path, row{hash: hash})
}

// record makes the record of a row. The caller holds the lock for reading.
func (s *Store) record(t *table, path string, r row) (Record, bool) {
	out := Record{Path: path, Stamp: r.stamp, Read: r.read, Hash: r.hash}
	if c, ok := s.fresh[r.hash]; ok {
		out.Data, out.Blob = c.data, c.blob
		return out, true
	}
	c, ok := t.contents[r.hash]
	out.Data, out.Blob = c.data, c.blob
	return out, ok
}

// Put keeps a record in memory until it is saved. The last record of a path counts, and the last data of a
// content. A record with too much data is dropped.
func (s *Store) Put(r Record) {
	if s == nil || len(r.Data) > maxData {
		return
	}
	t := s.table()
	s.mu.Lock()
	defer s.mu.Unlock()
	now, named := s.now().Unix(), r.Blob != [sha256.Size]byte{}
	if named {
		s.used[r.Hash] = true
	} else {
		s.files[r.Path] = &row{stamp: r.Stamp, read: r.Read, used: now, hash: r.Hash}
	}
	if was, ok := s.record(t, r.Path, row{hash: r.Hash}); !ok || t.borrowed || !bytes.Equal(was.Data, r.Data) || named && r.Blob != was.Blob {
		s.fresh[r.Hash] = &content{used: now, blob: r.Blob, data: r.Data}
	}
}

// Release frees the memory of the saved records.
func (s *Store) Release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.saved = nil
	s.mu.Unlock()
}
