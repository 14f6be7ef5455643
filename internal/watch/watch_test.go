package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// start watches a fresh folder. Batches are collected by the system's own clock:
// the tests wait for events, never for time.
func start(t *testing.T, opts Options) (dir string, w *Watcher) {
	t.Helper()
	dir = t.TempDir()
	opts.Delay = time.Millisecond
	w, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return dir, w
}

func write(t *testing.T, dir, path string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// await receives batches until all paths were reported and returns all that were.
func await(t *testing.T, w *Watcher, paths ...string) map[string]bool {
	t.Helper()
	seen := map[string]bool{}
	missing := func() bool {
		return slices.ContainsFunc(paths, func(p string) bool { return !seen[p] })
	}
	for missing() {
		select {
		case batch, ok := <-w.Events():
			if !ok {
				t.Fatalf("closed; seen %v, want %v", seen, paths)
			}
			if !slices.IsSorted(batch.Paths) {
				t.Errorf("batch out of order: %v", batch.Paths)
			}
			for _, path := range batch.Paths {
				seen[path] = true
			}
		case <-t.Context().Done():
			t.Fatalf("seen %v, want %v", seen, paths)
		}
	}
	return seen
}

func TestFilesAreReported(t *testing.T) {
	dir, w := start(t, Options{})
	write(t, dir, "a.md")
	await(t, w, "a.md")
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	await(t, w, "a.md")
}

func TestFilesInNewNestedFoldersAreReported(t *testing.T) {
	dir, w := start(t, Options{})
	for _, path := range []string{"d1/d2/d3/a.md", "d1/d2/b.md", "d1/c.md"} {
		write(t, dir, path)
	}
	await(t, w, "d1", "d1/d2/d3/a.md", "d1/d2/b.md", "d1/c.md")
	write(t, dir, "d1/d2/d3/later.md")
	await(t, w, "d1/d2/d3/later.md")
}

func TestFolderMovedInsideIsWatchedUnderItsNewName(t *testing.T) {
	dir, w := start(t, Options{})
	write(t, dir, "old/sub/a.md")
	await(t, w, "old/sub/a.md")
	if err := os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	await(t, w, "old", "new", "new/sub/a.md")
	write(t, dir, "new/sub/b.md")
	if seen := await(t, w, "new/sub/b.md"); seen["old/sub/b.md"] {
		t.Error("reported under the old name")
	}
}

func TestFolderMadeAgainIsWatchedAgain(t *testing.T) {
	dir, w := start(t, Options{})
	write(t, dir, "d/a.md")
	await(t, w, "d/a.md")
	if err := os.RemoveAll(filepath.Join(dir, "d")); err != nil {
		t.Fatal(err)
	}
	await(t, w, "d")
	write(t, dir, "d/b.md")
	await(t, w, "d/b.md")
	write(t, dir, "d/c.md")
	await(t, w, "d/c.md")
}

func TestIgnoredFoldersAreSilent(t *testing.T) {
	ignore := func(folder string) bool { return strings.HasSuffix(folder, "node_modules") }
	dir, w := start(t, Options{Ignore: ignore})
	write(t, dir, "node_modules/x.js")
	write(t, dir, "p/node_modules/y.js")
	write(t, dir, "p/z.js")
	for path := range await(t, w, "p/z.js") {
		if strings.Contains(path, "node_modules") {
			t.Errorf("%s reported", path)
		}
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	dir, w := start(t, Options{})
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	await(t, w, "link")
	write(t, outside, "a.md")
	write(t, dir, "b.md")
	if seen := await(t, w, "b.md"); seen["link/a.md"] {
		t.Error("a file outside was reported")
	}
}

// The clock is the test's: changes are collected until it says so.
func TestChangesAreCollectedUntilTheDelayIsOver(t *testing.T) {
	c := newClock()
	w, changes, _ := newLoop(t, Options{After: c.after, Delay: time.Minute})
	changes <- fsnotify.Event{Name: filepath.Join(w.dir, "b.md"), Op: fsnotify.Write}
	if d := <-c.armed; d != time.Minute {
		t.Errorf("delay %v", d)
	}
	changes <- fsnotify.Event{Name: filepath.Join(w.dir, "a.md"), Op: fsnotify.Write}
	changes <- fsnotify.Event{Name: filepath.Join(w.dir, "b.md"), Op: fsnotify.Write}
	changes <- fsnotify.Event{Name: filepath.Join(w.dir, "c.md"), Op: fsnotify.Chmod}
	c.fire <- time.Time{}
	if got := <-w.Events(); !slices.Equal(got.Paths, []string{"a.md", "b.md"}) || got.Rescan || got.Err != nil {
		t.Errorf("batch %+v", got)
	}
}

func TestOverflowAsksForARescanAndFindsNewFolders(t *testing.T) {
	w, _, faults := newLoop(t, Options{Delay: time.Millisecond})
	write(t, w.dir, "missed/a.md")
	faults <- fsnotify.ErrEventOverflow
	if got := <-w.Events(); !got.Rescan || got.Err != nil {
		t.Errorf("batch %+v", got)
	}
	w.Close()
	if _, ok := w.watched["missed"]; !ok {
		t.Error("the folder made meanwhile is not watched")
	}
}

// newLoop starts a watcher whose events come from the test instead of the system.
func newLoop(t *testing.T, opts Options) (*Watcher, chan<- fsnotify.Event, chan<- error) {
	t.Helper()
	system, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	return newLoopBy(t, t.TempDir(), opts, system)
}

// never is as long as no test takes.
const never = time.Hour

func newLoopBy(t *testing.T, dir string, opts Options, by system) (*Watcher, chan<- fsnotify.Event, chan<- error) {
	t.Helper()
	if opts.After == nil {
		opts.After = time.After
	}
	if opts.Poll == 0 {
		opts.Poll = never
	}
	opts.Ignore = func(string) bool { return false }
	changes, faults := make(chan fsnotify.Event), make(chan error)
	w, err := begin(dir, opts, by, changes, faults)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, changes, faults
}

func created(name string) fsnotify.Event { return fsnotify.Event{Name: name, Op: fsnotify.Create} }

func TestRunningOutOfWatchesHasItsOwnError(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EMFILE, &os.PathError{Op: "add", Path: "x", Err: syscall.ENOSPC}} {
		if !errors.Is(limit(err), errLimit) {
			t.Errorf("%v is not recognised", err)
		}
	}
}

func TestMissingFolderIsAnError(t *testing.T) {
	if w, err := New(filepath.Join(t.TempDir(), "none"), Options{}); err == nil {
		w.Close()
		t.Error("no error")
	}
}

func TestCloseEndsTheEvents(t *testing.T) {
	dir, w := start(t, Options{})
	write(t, dir, "a.md")
	w.Close()
	w.Close()
	for range w.Events() {
		t.Error("a batch after Close")
	}
}
