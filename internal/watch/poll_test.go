package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// rescan waits for a batch that says that anything may have changed.
func rescan(t *testing.T, w *Watcher) {
	t.Helper()
	for {
		select {
		case b, ok := <-w.Events():
			if !ok {
				t.Fatal("closed")
			}
			if b.Rescan {
				return
			}
		case <-t.Context().Done():
			t.Fatal("no rescan")
		}
	}
}

func TestWatchedFolderMadeAnewIsWatchedAgain(t *testing.T) {
	for name, lose := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"renamed": func(dir string) error { return os.Rename(dir, dir+"-before") },
		"replaced by a file": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "root")
			write(t, dir, "d/a.md")
			w, err := New(dir, Options{Delay: time.Millisecond, Poll: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			held, err := os.Open(dir) // as a workspace does: the system does not tell of the end of an open folder
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			if err := lose(dir); err != nil {
				t.Skip("the system holds watched folders:", err)
			}
			rescan(t, w)
			_ = os.Remove(dir) // what stands in its place
			write(t, dir, "d/b.md")
			rescan(t, w)
			write(t, dir, "d/c.md")
			await(t, w, "d/c.md")
		})
	}
}

func TestWatchedFolderSwappedAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "root")
	write(t, dir, "a.md")
	write(t, dir+"-next", "b.md")
	w, err := New(dir, Options{Delay: time.Millisecond, Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(os.Rename(dir, dir+"-before"), os.Rename(dir+"-next", dir)); err != nil {
		t.Skip("the system holds watched folders:", err)
	}
	rescan(t, w)
	write(t, dir, "c.md")
	await(t, w, "c.md")
}

// limited is a system with some watches left.
type limited struct{ left atomic.Int32 }

func (l *limited) Add(string) error {
	if l.left.Add(-1) < 0 {
		return &os.PathError{Op: "add", Path: "x", Err: syscall.ENOSPC}
	}
	return nil
}
func (*limited) Remove(string) error { return nil }
func (*limited) Close() error        { return nil }

func TestWithoutWatchesIsLooked(t *testing.T) {
	for _, watches := range []int32{0, 1, 2} {
		dir := t.TempDir()
		write(t, dir, "d/a.md")
		write(t, dir, "gone/b.md")
		write(t, dir, "skip/x.md")
		system := &limited{}
		system.left.Store(watches)
		looks := make(chan time.Time)
		opts := Options{Files: []string{"skip/HEAD"}, Poll: time.Hour, Delay: time.Millisecond,
			Ignore: func(f string) bool { return f == "skip" }}
		opts.After = func(d time.Duration) <-chan time.Time {
			if d == time.Hour {
				return looks
			}
			return time.After(d)
		}
		w, err := begin(dir, opts, system, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if b := <-w.Events(); !errors.Is(b.Err, errLimit) {
			t.Errorf("%d watches: first batch %+v", watches, b)
		}
		if err := os.RemoveAll(filepath.Join(dir, "gone")); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"new/c.md", "skip/y.md", "skip/HEAD"} {
			write(t, dir, p)
		}
		if err := os.WriteFile(filepath.Join(dir, "d/a.md"), []byte("longer"), 0o644); err != nil {
			t.Fatal(err)
		}
		looks <- time.Time{}
		want := []string{"d/a.md", "gone", "gone/b.md", "new", "new/c.md", "skip/HEAD"}
		if b := <-w.Events(); !slices.Equal(b.Paths, want) || b.Rescan || b.Err != nil {
			t.Errorf("%d watches: batch %+v", watches, b)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		looks <- time.Time{}
		if b := <-w.Events(); !slices.Contains(b.Paths, "d") {
			t.Errorf("%d watches: batch %+v", watches, b)
		}
	}
}

func TestNewFolderBeyondTheLimitIsLookedAt(t *testing.T) {
	dir, w := start(t, Options{})
	w.Close()
	system := &limited{}
	system.left.Store(1)
	looks := make(chan time.Time)
	w, changes, _ := newLoopBy(t, dir, Options{Delay: time.Millisecond, Poll: time.Hour, After: func(d time.Duration) <-chan time.Time {
		if d == time.Hour {
			return looks
		}
		return time.After(d)
	}}, system)
	write(t, dir, "d/a.md")
	changes <- created(filepath.Join(dir, "d"))
	if b := <-w.Events(); !errors.Is(b.Err, errLimit) || !slices.Equal(b.Paths, []string{"d"}) {
		t.Errorf("batch %+v", b)
	}
	write(t, dir, "d/b.md")
	looks <- time.Time{}
	if b := <-w.Events(); !slices.Equal(b.Paths, []string{"d/b.md"}) || b.Err != nil {
		t.Errorf("batch %+v", b)
	}
}

func TestFilesOutsideAreReportedUnderTheirPath(t *testing.T) {
	git := t.TempDir()
	dir, w := start(t, Options{Outside: map[string]string{
		filepath.Join(git, "HEAD"):                 ".git/HEAD",
		filepath.Join(git, "none", "logs", "HEAD"): ".git/logs/HEAD",
	}})
	write(t, git, "config")
	write(t, git, "HEAD")
	if seen := await(t, w, ".git/HEAD"); len(seen) != 1 {
		t.Errorf("seen %v", seen)
	}
	write(t, dir, "a.md")
	await(t, w, "a.md")
}
