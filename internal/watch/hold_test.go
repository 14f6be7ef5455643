package watch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// gitFolder is how a workspace watches a repository: .git is ignored but for HEAD.
func gitFolder(dir string) Options {
	return Options{
		Ignore: func(folder string) bool { return folder == ".git" || strings.HasPrefix(folder, ".git/") },
		Files:  []string{".git/HEAD", ".git/logs/HEAD"},
		Busy: func() bool {
			_, err := os.Lstat(filepath.Join(dir, ".git", "index.lock"))
			return err == nil
		},
	}
}

func TestFilesInIgnoredFoldersAreReportedAlone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".git/HEAD")
	opts := gitFolder(dir)
	opts.Delay = time.Millisecond
	w, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	write(t, dir, ".git/config")
	write(t, dir, ".git/objects/ab/cd")
	write(t, dir, ".git/logs/refs/x")
	write(t, dir, ".git/logs/HEAD") // in a folder that is new
	if err := os.Rename(filepath.Join(dir, ".git/config"), filepath.Join(dir, ".git/HEAD")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.go")
	seen := await(t, w, ".git/HEAD", ".git/logs/HEAD", "a.go")
	if len(seen) != 3 {
		t.Errorf("seen %v", seen)
	}
}

func TestRepositoryMadeLaterIsWatched(t *testing.T) {
	dir := t.TempDir()
	opts := gitFolder(dir)
	opts.Delay = time.Millisecond
	w, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 2 {
		write(t, dir, ".git/logs/HEAD")
		write(t, dir, ".git/HEAD")
		await(t, w, ".git/HEAD", ".git/logs/HEAD")
		if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
			t.Fatal(err)
		}
		await(t, w, ".git/HEAD", ".git")
	}
}

// clock is a test's: each delay ends when the test says so.
type clock struct {
	armed chan time.Duration
	fire  chan time.Time
}

func newClock() clock { return clock{make(chan time.Duration, 1), make(chan time.Time)} }

func (c clock) after(d time.Duration) <-chan time.Time {
	if d == never {
		return nil
	}
	c.armed <- d
	return c.fire
}

// over ends the delay that is running.
func (c clock) over() { <-c.armed; c.fire <- time.Time{} }

// TestSwitchOfBranchesIsOneBatch plays what git checkout does: it takes the lock,
// writes files, gives the lock back and moves HEAD.
func TestSwitchOfBranchesIsOneBatch(t *testing.T) {
	lock := make(chan bool, 1) // what Busy says next
	c := newClock()
	w, changes, _ := newLoop(t, Options{After: c.after, Delay: time.Second, Files: []string{".git/HEAD"},
		Busy: func() bool { return <-lock }})
	send := func(path string) {
		changes <- fsnotify.Event{Name: filepath.Join(w.dir, filepath.FromSlash(path)), Op: fsnotify.Write}
	}
	send("a.go")
	lock <- true
	c.over()
	send("b.go")
	lock <- true
	c.over()
	send("c.go")
	lock <- false // free, HEAD is still to come
	c.over()
	send(".git/HEAD")
	lock <- false // HEAD moved within the delay
	c.over()
	send("d.go")
	lock <- false
	c.over()
	if got := <-w.Events(); !slices.Equal(got.Paths, []string{".git/HEAD", "a.go", "b.go", "c.go", "d.go"}) {
		t.Errorf("batch %v", got.Paths)
	}
	if len(c.armed) != 0 {
		t.Error("the watcher still waits")
	}
}

// A batch that nobody took yet goes back when git begins to work.
func TestOfferedBatchIsHeldAgain(t *testing.T) {
	lock := make(chan bool, 1)
	c := newClock()
	w, changes, _ := newLoop(t, Options{After: c.after, Delay: time.Second, Busy: func() bool { return <-lock }})
	event := fsnotify.Event{Name: filepath.Join(w.dir, "a.go"), Op: fsnotify.Write}
	changes <- event
	lock <- false
	c.over() // offered now
	lock <- true
	changes <- event
	lock <- false
	c.over()
	lock <- false
	c.over() // would block if the batch had been offered without this delay
	<-w.Events()
}

func TestLockLeftBehindDelaysOneBatch(t *testing.T) {
	busy := true
	h := hold{busy: func() bool { return busy }, delay: time.Second}
	asked := func(moved bool) (n int) {
		for n = 1; h.more(moved); n++ {
		}
		return n
	}
	for i, step := range []struct {
		busy, moved bool
		want        int
	}{
		{true, false, 11}, // ten seconds
		{true, false, 1},  // known to be left behind
		{true, false, 1},
		{false, false, 1},
		{true, false, 11}, // a new one
		{true, true, 11},  // HEAD moves on and on, as in a rebase
		{false, false, 1},
	} {
		busy = step.busy
		if got := asked(step.moved); got != step.want {
			t.Errorf("step %d: asked %d times, want %d", i, got, step.want)
		}
	}
}

func TestSettle(t *testing.T) {
	fired := 0
	after := func(time.Duration) <-chan time.Time {
		fired++
		c := make(chan time.Time, 1)
		c <- time.Time{}
		return c
	}
	left := 3
	busy := func() bool { left--; return left >= 0 }
	if err := Settle(t.Context(), busy, time.Second, after); err != nil || fired != 4 {
		t.Error(err, fired)
	}
	fired = 0
	if err := Settle(t.Context(), func() bool { return false }, 0, after); err != nil || fired != 0 {
		t.Error(err, fired)
	}
	if err := Settle(t.Context(), func() bool { return true }, time.Second, after); err != nil || fired != 10 {
		t.Error(err, fired)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(time.Duration) <-chan time.Time { return nil }
	if err := Settle(ctx, func() bool { return true }, 0, never); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCheckoutByGitIsOneBatch switches branches with git itself, by the system's
// own clock.
func TestCheckoutByGitIsOneBatch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		cmd.Env = append(cmd.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	run("init", "-q", "-b", "one")
	run("commit", "-q", "--allow-empty", "-m", "1")
	run("checkout", "-q", "-b", "two")
	want := []string{".git/HEAD", ".git/logs/HEAD"}
	for i := range 300 {
		p := "d" + string(rune('a'+i%5)) + "/" + strings.Repeat("x", i+1)[:1+i%7] + string(rune('a'+i%26)) + "_" +
			strings.Repeat("y", i/26) + ".go"
		write(t, dir, p)
		want = append(want, p)
	}
	run("add", ".")
	run("commit", "-q", "-m", "2")
	opts := gitFolder(dir)
	opts.Delay = time.Second / 2 // far more than the system takes to tell what git did
	w, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	run("checkout", "-q", "one")
	seen := map[string]bool{}
	batch := <-w.Events()
	for _, p := range batch.Paths {
		seen[p] = true
	}
	for _, p := range want {
		if !seen[p] {
			t.Errorf("%s is not in the batch of %d", p, len(batch.Paths))
		}
	}
}
