//go:build unix

package workspace

import (
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// followed opens a folder of the files whose changes the system tells, and returns what
// waits until a condition holds after them.
func followed(t *testing.T, dir string, o Options) (*Workspace, func(what string, holds func(*View) bool)) {
	t.Helper()
	changes := make(chan Change, 1000)
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	o.Now, o.Watch, o.CodeScan = func() time.Time { return now }, true, true
	o.Changed = func(c Change) { changes <- c }
	w, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.WaitCode(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, func(what string, holds func(*View) bool) {
		t.Helper()
		begin := time.Now()
		for !holds(w.View()) {
			select {
			case <-changes:
			case <-time.After(2 * time.Minute): // far more, also beside other work than it takes: nothing will come
				t.Fatalf("%s: not seen", what)
			}
		}
		t.Logf("%s: seen after %v", what, time.Since(begin).Round(time.Millisecond))
	}
}

// writeAll makes a folder of the files.
func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for p, text := range files {
		write(t, dir, p, text)
	}
}

func hasEntries(n int) func(*View) bool {
	return func(v *View) bool { return v.Tree().Len() == n }
}

func hasAll(v *View) bool {
	_, code := v.Code().Chunk("src/sign.go")
	return code && v.Tree().Len() == 2
}

func hasNothing(v *View) bool { return v.Tree().Len() == 0 && len(v.Code().Chunks()) == 0 }

func TestFolderMadeAnewIsReadAgain(t *testing.T) {
	for _, o := range []Options{{}, {Cache: t.TempDir()}} {
		dir := filepath.Join(t.TempDir(), "root")
		writeAll(t, dir, files)
		w, await := followed(t, dir, o)
		await("the first read", hasAll)
		for title, away := range map[string]func() error{
			"After removal":  func() error { return os.RemoveAll(dir) },
			"After renaming": func() error { return os.Rename(dir, filepath.Join(t.TempDir(), "moved")) },
		} {
			if err := away(); err != nil {
				t.Skip("the system holds open folders:", err)
			}
			writeAll(t, dir, files)
			write(t, dir, ".brv/context-tree/auth/jwt/tokens.md", "---\ntitle: "+title+"\n---\n")
			await("the folder made anew", func(v *View) bool {
				e, ok := v.Tree().Entry("auth/jwt/tokens.md")
				return ok && e.Title == title && hasAll(v)
			})
			write(t, dir, ".brv/context-tree/auth/jwt/later.md", "later")
			await("a change in it", hasEntries(3))
			if err := os.Remove(filepath.Join(dir, ".brv/context-tree/auth/jwt/later.md")); err != nil {
				t.Fatal(err)
			}
			await("a removal in it", hasEntries(2))
		}
		if !w.HasTree() {
			t.Error("no tree")
		}
	}
}

func TestFolderGoneHasNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "root")
	writeAll(t, dir, files)
	_, await := followed(t, dir, Options{})
	await("the first read", hasAll)
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("the system holds open folders:", err)
	}
	await("the folder removed", hasNothing)
}

func TestTreeComesAndGoes(t *testing.T) {
	dir := t.TempDir()
	writeAll(t, dir, files)
	outside := t.TempDir()
	write(t, outside, "context-tree/secret.md", "secret")
	w, await := followed(t, dir, Options{})
	await("the first read", hasAll)
	brv, entries := filepath.Join(dir, brvDir), filepath.Join(dir, TreeDir)
	for _, step := range []struct {
		name string
		path string // what is taken away
		put  func() error
	}{
		{"tree removed", entries, func() error { return nil }},
		{"tree a file", entries, func() error { return os.WriteFile(entries, []byte("x"), 0o644) }},
		{"tree a link out", entries, func() error { return os.Symlink(filepath.Join(outside, "context-tree"), entries) }},
		{"tree a pipe", entries, func() error { return syscall.Mkfifo(entries, 0o644) }},
		{".brv removed", brv, func() error { return nil }},
		{".brv a file", brv, func() error { return os.WriteFile(brv, []byte("x"), 0o644) }},
		{".brv a link out", brv, func() error { return os.Symlink(outside, brv) }},
		{".brv a loop", brv, func() error { return os.Symlink(".brv", brv) }},
		{".brv a pipe", brv, func() error { return syscall.Mkfifo(brv, 0o644) }},
	} {
		if err := os.RemoveAll(step.path); err != nil {
			t.Fatal(err)
		}
		if err := step.put(); err != nil {
			t.Fatal(step.name, err)
		}
		await(step.name, hasEntries(0))
		if w.home.refresh(nil); w.HasTree() {
			t.Errorf("%s: there is a tree", step.name)
		}
		if fresh, err := Open(t.Context(), dir, Options{}); err != nil || fresh.View().Tree().Len() != 0 {
			t.Errorf("%s: opened anew: %v", step.name, err)
		} else {
			fresh.Close()
		}
		if err := os.RemoveAll(step.path); err != nil {
			t.Fatal(err)
		}
		writeAll(t, dir, files)
		await(step.name+", and made anew", hasEntries(2))
	}
}
