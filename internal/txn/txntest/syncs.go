package txntest

import (
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/internal/txn"
)

// Syncs counts the places in package txn that sync, and leaves out the syncs of
// one of them. A place is the line that syncs and the lines that called it,
// inside the package. See [NewSyncs].
type Syncs struct {
	txn.FS
	Drop string // a place, "" for none; "*" for all

	counter *counter
}

type counter struct {
	mu   sync.Mutex
	seen map[string]int
}

// NewSyncs returns a layer over fsys that leaves out the syncs of a place.
func NewSyncs(fsys txn.FS, drop string) *Syncs {
	return &Syncs{FS: fsys, Drop: drop, counter: &counter{seen: map[string]int{}}}
}

// Over returns a layer like s over another file system, that counts together
// with s.
func (s *Syncs) Over(fsys txn.FS) *Syncs {
	return &Syncs{FS: fsys, Drop: s.Drop, counter: s.counter}
}

// Sync makes a file's content durable, unless it is to be left out.
func (s *Syncs) Sync(path string) error {
	if s.left() {
		return nil
	}
	return s.FS.Sync(path)
}

// SyncDir makes a folder's names durable, unless it is to be left out.
func (s *Syncs) SyncDir(path string) error {
	if s.left() {
		return nil
	}
	return s.FS.SyncDir(path)
}

// Seen returns how often each place has synced.
func (s *Syncs) Seen() map[string]int {
	s.counter.mu.Lock()
	defer s.counter.mu.Unlock()
	return maps.Clone(s.counter.seen)
}

func (s *Syncs) left() bool {
	p := place()
	s.counter.mu.Lock()
	defer s.counter.mu.Unlock()
	s.counter.seen[p]++
	return s.Drop == "*" || s.Drop == p
}

// depth is how many calling lines make a place: the sync of folders, say, is one
// while a change is made and another while it is taken back.
const depth = 3

// place names the calling lines in package txn, innermost first.
func place() string {
	const inside = "/internal/txn."
	pcs := make([]uintptr, 40)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var lines []string
	for {
		f, more := frames.Next()
		if i := strings.Index(f.Function, inside); i >= 0 && !strings.HasSuffix(f.File, "_test.go") {
			name := f.Function[i+len(inside):]
			lines = append(lines, fmt.Sprintf("%s:%d", name[strings.LastIndex(name, ".")+1:], f.Line))
		}
		if !more || len(lines) == depth {
			return strings.Join(lines, " < ")
		}
	}
}
