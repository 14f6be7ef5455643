package txntest

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/txn"
)

var _ txn.FS = (*Steps)(nil)

// Step is one call of a file system, before it is made.
type Step struct {
	N    int // from 1
	Op   string
	Path string
	To   string // the second path
}

// String names the step.
func (s Step) String() string {
	if s.To != "" {
		return fmt.Sprintf("%d %s %s %s", s.N, s.Op, s.Path, s.To)
	}
	return fmt.Sprintf("%d %s %s", s.N, s.Op, s.Path)
}

// ErrTorn, returned by a hook, makes Create and Append write half of the data
// before they fail.
var ErrTorn = errors.New("torn")

// ErrStopped is the error of every step after [StopAt].
var ErrStopped = errors.New("stopped")

// Steps calls Hook before each step. An error of the hook is the step's result,
// and the step is not made.
type Steps struct {
	FS   txn.FS
	Hook func(Step) error

	mu sync.Mutex
	n  int
}

// StopAt returns a hook that ends everything at step n, as if the process were
// killed there: that step and all later ones fail. torn lets a write at that step
// happen in half.
func StopAt(n int, torn bool) func(Step) error {
	return func(s Step) error {
		switch {
		case s.N == n && torn:
			return errors.Join(ErrTorn, ErrStopped)
		case s.N >= n:
			return ErrStopped
		}
		return nil
	}
}

// FailAt returns a hook that lets step n fail, or all from n on.
func FailAt(n int, from bool, err error) func(Step) error {
	return func(s Step) error {
		if s.N == n || from && s.N > n {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		return nil
	}
}

// Count returns the number of steps so far.
func (s *Steps) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *Steps) step(op, path, to string) error {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	if s.Hook == nil {
		return nil
	}
	return s.Hook(Step{n, op, path, to})
}

// ReadFile implements [txn.FS], as do the methods after it.
func (s *Steps) ReadFile(path string, limit int64) ([]byte, error) {
	if err := s.step("read", path, ""); err != nil {
		return nil, err
	}
	return s.FS.ReadFile(path, limit)
}

// ReadHead reads the beginning of a file.
func (s *Steps) ReadHead(path string, n int64) ([]byte, error) {
	if err := s.step("read", path, ""); err != nil {
		return nil, err
	}
	return s.FS.ReadHead(path, n)
}

// ReadDir lists a folder.
func (s *Steps) ReadDir(path string) ([]fs.DirEntry, error) {
	if err := s.step("list", path, ""); err != nil {
		return nil, err
	}
	return s.FS.ReadDir(path)
}

// Lstat describes what stands at a path.
func (s *Steps) Lstat(path string) (fs.FileInfo, error) {
	if err := s.step("stat", path, ""); err != nil {
		return nil, err
	}
	return s.FS.Lstat(path)
}

// Mkdir makes a folder.
func (s *Steps) Mkdir(path string) error {
	if err := s.step("mkdir", path, ""); err != nil {
		return err
	}
	return s.FS.Mkdir(path)
}

// Create makes a file.
func (s *Steps) Create(path string, data []byte, mode fs.FileMode, modTime time.Time) error {
	if err := s.step("create", path, ""); err != nil {
		if errors.Is(err, ErrTorn) {
			_ = s.FS.Create(path, data[:len(data)/2], mode, modTime)
		}
		return err
	}
	return s.FS.Create(path, data, mode, modTime)
}

// Append writes at the end of a file.
func (s *Steps) Append(path string, data []byte) error {
	if err := s.step("append", path, ""); err != nil {
		if errors.Is(err, ErrTorn) {
			_ = s.FS.Append(path, data[:len(data)/2])
		}
		return err
	}
	return s.FS.Append(path, data)
}

// Sync makes a file's content durable.
func (s *Steps) Sync(path string) error {
	if err := s.step("sync", path, ""); err != nil {
		return err
	}
	return s.FS.Sync(path)
}

// SyncDir makes a folder's names durable.
func (s *Steps) SyncDir(path string) error {
	if err := s.step("syncdir", path, ""); err != nil {
		return err
	}
	return s.FS.SyncDir(path)
}

// Rename moves and replaces.
func (s *Steps) Rename(from, to string) error {
	if err := s.step("rename", from, to); err != nil {
		return err
	}
	return s.FS.Rename(from, to)
}

// RenameNew moves to a free name.
func (s *Steps) RenameNew(from, to string) error {
	if err := s.step("renamenew", from, to); err != nil {
		return err
	}
	return s.FS.RenameNew(from, to)
}

// Link gives a file a second name.
func (s *Steps) Link(from, to string) error {
	if err := s.step("link", from, to); err != nil {
		return err
	}
	return s.FS.Link(from, to)
}

// Exchange swaps two names.
func (s *Steps) Exchange(a, b string) error {
	if err := s.step("exchange", a, b); err != nil {
		return err
	}
	return s.FS.Exchange(a, b)
}

// Remove removes a file.
func (s *Steps) Remove(path string) error {
	if err := s.step("remove", path, ""); err != nil {
		return err
	}
	return s.FS.Remove(path)
}

// RemoveDir removes an empty folder.
func (s *Steps) RemoveDir(path string) error {
	if err := s.step("rmdir", path, ""); err != nil {
		return err
	}
	return s.FS.RemoveDir(path)
}

// Lock takes a file's lock.
func (s *Steps) Lock(path string) (func(), error) {
	if err := s.step("lock", path, ""); err != nil {
		return nil, err
	}
	return s.FS.Lock(path)
}
