package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// MaxFileSize is the largest file read as an entry, in bytes. Curated entries
// are some kilobytes; a larger file is a mistake or an attack.
const MaxFileSize = 1 << 20

// maxFiles bounds how many files a tree may hold, so that a tree that links
// into something huge does not take the machine's memory.
const maxFiles = 100_000

// Store owns one context tree on disk and publishes its snapshots. Reading is
// safe from any goroutine; refreshes follow one another.
type Store struct {
	root     *jail.Root
	snapshot atomic.Pointer[Snapshot]

	mu   sync.Mutex // held by Refresh
	seen map[string]stamp
}

// stamp is what tells that a file is unchanged since it was read.
type stamp struct {
	size    int64
	mod     time.Time
	entry   *Entry // nil if the file was skipped
	skipped string
}

// Open reads the tree in dir. It writes nothing.
func Open(ctx context.Context, dir string) (*Store, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, seen: map[string]stamp{}}
	if _, err := s.Refresh(ctx); err != nil {
		root.Close()
		return nil, err
	}
	return s, nil
}

// Close releases the folder. Snapshots stay valid.
func (s *Store) Close() error { return s.root.Close() }

// Snapshot returns the tree as of the last refresh.
func (s *Store) Snapshot() *Snapshot { return s.snapshot.Load() }

// Refresh looks at every file's size and time, reads those that changed and
// publishes a new snapshot if any did. The touched paths are read in any case:
// two writes within one tick of the file system's clock look the same.
func (s *Store) Refresh(ctx context.Context, touched ...string) (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range touched {
		if st, ok := s.seen[p]; ok {
			st.size = -1
			s.seen[p] = st
		}
	}
	files, skipped, err := s.walk(ctx)
	if err != nil {
		return nil, err
	}
	seen, changed, err := s.read(ctx, files)
	if err != nil {
		return nil, err
	}
	if last := s.snapshot.Load(); last != nil && !changed && len(seen) == len(s.seen) {
		return last, nil
	}
	s.seen = seen
	var entries []*Entry
	for _, f := range files {
		switch st := seen[f.path]; {
		case st.entry != nil:
			entries = append(entries, st.entry)
		case st.skipped != "":
			skipped = append(skipped, Skipped{f.path, st.skipped})
		}
	}
	slices.SortFunc(skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	snap := NewSnapshot(entries, skipped)
	s.snapshot.Store(snap)
	return snap, nil
}

type file struct {
	path string
	size int64
	mod  time.Time
}

// walk lists the tree's markdown files. Links are never followed.
func (s *Store) walk(ctx context.Context) ([]file, []Skipped, error) {
	var files []file
	var skipped []Skipped
	var visit func(dir string) error
	visit = func(dir string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, err := s.root.ReadDir(cleanDir(dir))
		if err != nil {
			if dir == "" {
				return err
			}
			skipped = append(skipped, Skipped{dir, err.Error()})
			return nil
		}
		for _, d := range list {
			p := path.Join(dir, d.Name())
			switch {
			case d.IsDir():
				if !strings.HasPrefix(d.Name(), ".") {
					if err := visit(p); err != nil {
						return err
					}
				}
			case !strings.HasSuffix(d.Name(), ".md") || strings.HasPrefix(d.Name(), "."):
			case !utf8.ValidString(d.Name()):
				skipped = append(skipped, Skipped{strings.ToValidUTF8(p, "\ufffd"), "the file's name is not UTF-8"})
			case !d.Type().IsRegular():
				skipped = append(skipped, Skipped{p, "not a regular file"})
			case len(files) >= maxFiles:
				return fmt.Errorf("%s: the context tree holds over %d files", s.root.Dir(), maxFiles)
			default:
				info, err := d.Info()
				if err != nil {
					if !errors.Is(err, fs.ErrNotExist) {
						skipped = append(skipped, Skipped{p, err.Error()})
					}
					continue
				}
				files = append(files, file{p, info.Size(), info.ModTime()})
			}
		}
		return nil
	}
	err := visit("")
	return files, skipped, err
}

func cleanDir(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// read parses the files that changed, on all cores.
func (s *Store) read(ctx context.Context, files []file) (seen map[string]stamp, changed bool, err error) {
	stamps := make([]stamp, len(files))
	var fresh atomic.Bool
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(len(files), 1)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				old, ok := s.seen[files[i].path]
				if ok && old.size == files[i].size && old.mod.Equal(files[i].mod) {
					stamps[i] = old
					continue
				}
				fresh.Store(true)
				stamps[i] = s.load(files[i])
			}
		})
	}
	wg.Wait()
	seen = make(map[string]stamp, len(files))
	for i, f := range files {
		seen[f.path] = stamps[i]
	}
	return seen, fresh.Load(), ctx.Err()
}

func (s *Store) load(f file) stamp {
	st := stamp{size: f.size, mod: f.mod}
	data, err := s.root.ReadFile(f.path, MaxFileSize)
	switch {
	case errors.Is(err, jail.ErrTooLarge):
		st.skipped = fmt.Sprintf("%d bytes, the limit is %d", f.size, MaxFileSize)
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		st.skipped = err.Error()
	case bytes.IndexByte(data, 0) >= 0:
		st.skipped = "binary: it holds NUL bytes"
	case !utf8.Valid(data):
		st.skipped = "not UTF-8 text"
	default:
		st.entry = Parse(f.path, string(data))
	}
	return st
}
