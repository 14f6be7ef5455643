package watch

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// moved renames a folder below dir, into a folder that may hold an empty one of that name.
func moved(t *testing.T, dir, from, to string) {
	t.Helper()
	os.Remove(filepath.Join(dir, to))
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Error(err)
	}
}

// followed checks that what happens in folders that came to stand at new/a is told under
// their new names, and that the watcher outlives their end.
func followed(t *testing.T, dir string, w *Watcher) {
	t.Helper()
	await(t, w, "p/a", "new/a")
	write(t, dir, "new/a/one.md")
	write(t, dir, "new/a/sub/two.md")
	for p := range await(t, w, "new/a/one.md", "new/a/sub/two.md") {
		if p == "p/a/one.md" || p == "p/a/sub/two.md" {
			t.Errorf("%s was reported, the old name", p)
		}
	}
	for _, folder := range []string{"p", "new"} {
		if err := os.RemoveAll(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	await(t, w, "p", "new")
	write(t, dir, "p/a/sub/three.md")
	await(t, w, "p/a/sub/three.md")
	write(t, dir, "p/a/sub/four.md")
	await(t, w, "p/a/sub/four.md")
}

// A folder that is moved into a new one is found there before the system tells that it
// left: a checkout does so, and `git mv`.
func TestFolderMovedIntoANewOneIsWatched(t *testing.T) {
	var (
		dir  string
		once sync.Once
	)
	dir, w := start(t, Options{Ignore: func(folder string) bool {
		if folder == "new" { // asked before it is walked
			once.Do(func() { moved(t, dir, "p/a", "new/a") })
		}
		return false
	}})
	write(t, dir, "p/a/sub/a.md")
	await(t, w, "p/a/sub/a.md")
	if err := os.Mkdir(filepath.Join(dir, "new"), 0o755); err != nil {
		t.Fatal(err)
	}
	followed(t, dir, w)
}

// late does something between the walk's look at a folder and its watching.
type late struct {
	notify
	before func(folder string)
}

func (l late) Add(folder string) error {
	l.before(folder)
	return l.notify.Add(folder)
}

func TestFolderMovedWhileItIsWatched(t *testing.T) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var once sync.Once
	by := late{notify{system}, func(folder string) {
		if folder == filepath.Join(dir, "new", "a") {
			once.Do(func() { moved(t, dir, "p/a", "new/a") })
		}
	}}
	w, err := begin(dir, Options{
		Delay: time.Millisecond, Poll: never, After: time.After, Ignore: func(string) bool { return false },
	}, by, system.Events, system.Errors)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	write(t, dir, "p/a/sub/a.md")
	await(t, w, "p/a/sub/a.md")
	if err := os.MkdirAll(filepath.Join(dir, "new", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	followed(t, dir, w)
}

// A folder that was moved onto the path of another, before the system's word of either was
// read, is none that the system can stop to watch.
func TestRemoveOutlivesAFolderOfTwoPaths(t *testing.T) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer system.Close()
	dir, by := t.TempDir(), notify{system}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	add := func(folder string) {
		if err := by.Add(folder); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{a, b} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		add(folder)
	}
	write(t, dir, "a/x.md") // nothing behind it is read before this is received
	moved(t, dir, "a", "b")
	add(b)
	by.Remove(b)
	by.Remove(a)
	add(b)
	write(t, dir, "b/y.md")
	for e := range system.Events {
		if e.Name == filepath.Join(b, "y.md") {
			break
		}
	}
}
