// Package records keeps what was read of a folder's files, so that a program that
// starts anew, comes back to a branch, or opens another working tree of the repository
// parses only files that it never saw.
//
// What was read of a file is called its data: bytes that belong to the caller. They
// depend on the file's content alone, and are kept by it ([Sum]) for all working trees
// of a repository. A file need not be read at all where git's index names its content
// ([Store.ByBlob]), or where it is as it was when its path was read last, by its [Stamp]
// ([Store.ByStamp]); a file that was touched, renamed or changed back is read and then
// found by content ([Store.ByContent]).
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
// The data of a repository are one file of the user's cache (package cachefile), and the
// paths of a folder another, without those that git's index answers for: any number
// of processes read them, none locks them, and each that saves adds to what others saved
// meanwhile. The store is an accelerator: whatever is wrong with the files, it starts
// empty, and without a folder for them there are no records.
//
// The name that git has for a content is the repository's word. It leads to data only
// where this program read a text of that name itself, and only in the repository whose
// working tree the text was read in: data of another repository, whose texts this one
// need not have, cannot be asked for by naming them.
//
// # Limits
//
// A file's data is at most maxData and the whole at most maxSize; what is beyond
// is read again each time. Two processes that save at the same moment may lose what
// one of them added. While a store is used it holds the whole file in memory; Save
// and Release let go of it, and the next look-up reads it again.
//
// 10,000 files of 4 KB open in 20 to 40 ms of CPU, depending on the machine's load, and
// all look-ups by stamp take 5 ms (BenchmarkOpen, BenchmarkByStamp; two cores). 20,000
// hold 88 MB, and nothing after Release (BenchmarkMemory). The data is not compressed:
// on what syntax keeps of Go files, snappy saves 39 % and decodes in 5 µs a file, deflate
// saves 51 % and takes 48 µs, while reading 40 MB takes 18 ms in all.
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

	// maxData bounds what is kept of one file, in bytes. Sources of a megabyte, the
	// largest that are parsed, give less.
	maxData = 4 << 20

	headerRoom = 1 << 10 // more than what the file has beside the records

	// keepFor is how long is kept what belongs to no file any more, counted from the
	// last time the records were written: a branch is seldom away for longer.
	keepFor = 14 * 24 * time.Hour

	// racy is how near to each other a file's time and a look at it can be while a
	// later write may still give the file the same time: FAT counts in steps of 2 s,
	// the coarsest of common file systems.
	racy = int64(2 * time.Second)
)

// Stamp tells that a file is unchanged without reading it. What an operating system
// does not give is 0.
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
	Blob  [sha256.Size]byte // see [BlobKey]; zero where the content is not the one that git's index names

	// Data belongs to the caller who made it, and must not be changed afterwards. Of a
	// record that was found it is part of the memory that holds all records: whoever
	// keeps it keeps that.
	Data []byte
}

// Sum is the hash of a content. The kind is whatever beside the text decides what is
// read of it, as the language that a name stands for.
func Sum(kind string, text []byte) [sha256.Size]byte {
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(kind))))
	h.Write([]byte(kind))
	h.Write(text)
	return [sha256.Size]byte(h.Sum(nil))
}

// BlobKey is the key of a content by the name that git's index has for it, for a file that is converted from it to so many
// bytes. The kind is as for [Sum], as far as it is known without the text. Who puts a record by it has compared text and name.
func BlobKey(kind, blob string, size int64) [sha256.Size]byte {
	return Sum(kind, fmt.Appendf(nil, "%s %d", blob, size))
}

// Store holds the records of one folder. It is safe for concurrent use, and a nil one
// is empty and stays so.
type Store struct {
	file    cachefile.File // the contents
	paths   cachefile.File // the rows of paths
	dir     string         // of the files
	origin  string         // what the repository was cloned from
	version string
	limit   int // of what is in the files, in bytes
	now     func() time.Time

	saving sync.Mutex // held by Save

	mu    sync.RWMutex // guards what follows
	saved *table       // what the file held when it was read last; nil if that is released

	// What was put and not saved yet: of paths, and contents that were not in the file.
	// The values are never changed, so that Save knows what it saved.
	files map[string]*row
	fresh map[[sha256.Size]byte]*content

	used map[[sha256.Size]byte]bool // the contents that this process found or put by the name of git's index
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
	used int64             // when a file last had it, Unix seconds
	blob [sha256.Size]byte // as of a [Record]
	data []byte
}

// Project says whose records a store has.
type Project struct {
	Root       string // the folder, a working tree of a repository or a part of one
	Repository string // see [git.Shared]; the folder where there is none
	Origin     string // as [git.Origin] of Root says if it is empty; what a clone lacks it borrows, see [Store.borrow]
}

// Open reads the records of a project from the cache folder dir; without one, "", there are none. The version is that of
// the data: records of another one count as none.
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

// table returns what the file holds, and reads it if that is not known.
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

// ByStamp returns what was read of a file that is as it was then. A file that changed
// so shortly before it was read that a later write may have left its times as they
// are is not found (as in the index of git).
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

// doubtful reports whether a file that was read at a time may have been written again
// since and have kept its stamp.
func (s Stamp) doubtful(read int64) bool {
	last := max(s.ModTime, s.Change)
	return last+racy > read || last+racy < last
}

// ByContent returns what was read of a content, under whatever path. The record has
// the path asked for, and no stamp.
func (s *Store) ByContent(path string, hash [sha256.Size]byte) (Record, bool) {
	if s == nil {
		return Record{}, false
	}
	t := s.table()
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.record(t, path, row{hash: hash})
}

// ByBlob returns what was read of the content of a key, which must not be zero.
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

// record makes the record of a row. The lock is held for reading.
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

// Put keeps a record in memory until it is saved. The last one of a path counts, and the last data of a content. One
// with too much data is forgotten.
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

// Release lets go of the memory that holds the saved records.
func (s *Store) Release() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.saved = nil
	s.mu.Unlock()
}
