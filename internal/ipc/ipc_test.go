package ipc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// short is a folder whose path leaves room for a socket.
func short(t *testing.T) string {
	dir, err := os.MkdirTemp("", "brv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestAFolderIsAsked(t *testing.T) {
	dir, root := short(t), t.TempDir()
	if _, ok := Ask(t.Context(), dir, root, []byte("x")); ok {
		t.Error("nobody listens, and there is an answer")
	}
	gone, err := net.Listen("unix", base(dir, root)+"0"+ending) // of a process that was killed
	if err != nil {
		t.Fatal(err)
	}
	gone.(*net.UnixListener).SetUnlinkOnClose(false)
	gone.Close()
	if _, ok := Ask(t.Context(), dir, root, []byte("x")); ok {
		t.Error("nobody listens any more, and there is an answer")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		echo := func(_ context.Context, q []byte) []byte { return append([]byte("you said "), q...) }
		if err := Listen(ctx, dir, root, echo); err != context.Canceled {
			t.Error(err)
		}
	})
	large := bytes.Repeat([]byte("é"), 1<<20)
	var answer []byte
	for ok := false; !ok && t.Context().Err() == nil; { // until it listens
		answer, ok = Ask(t.Context(), dir, root, large)
	}
	if string(answer) != "you said "+string(large) {
		t.Errorf("the answer has %d bytes", len(answer))
	}
	if _, ok := Ask(t.Context(), dir, t.TempDir(), []byte("x")); ok {
		t.Error("another folder is answered")
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	cancel()
	done.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

func TestNobodyListensWhereOthersCanEnter(t *testing.T) {
	dir := short(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, filepath.Join(t.TempDir(), string(bytes.Repeat([]byte("x"), maxPath)))} {
		if err := Listen(t.Context(), d, "/project", nil); err == nil {
			t.Errorf("%s is listened in", d)
		}
	}
}

func TestNobodyIsAskedWhereOthersCanEnter(t *testing.T) {
	dir, root := filepath.Join(short(t), "a[1]"), t.TempDir()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	serve := func(name string, answers bool) {
		l, err := net.Listen("unix", base(dir, root)+name+ending)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				if answers { // the others hold the question
					_, _ = io.ReadAll(c)
					_, _ = c.Write([]byte("here"))
					c.Close()
				}
			}
		}()
	}
	serve("0", true)
	serve("1", false)
	file := base(dir, root) + "2" + ending
	if err := os.WriteFile(file, []byte("no socket"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if got, ok := Ask(ctx, dir, root, []byte("x")); !ok || string(got) != "here" {
		t.Errorf("one that hangs leaves no time for another: %q, %v", got, ok)
	}
	if _, err := os.Stat(file); err != nil {
		t.Error("a file that is no socket was removed")
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, ok := Ask(t.Context(), dir, root, []byte("x")); ok {
		t.Errorf("a folder that others can enter is asked: %q", got)
	}
	t.Chdir(dir)
	if got, ok := Ask(t.Context(), "", root, []byte("x")); ok {
		t.Errorf("the working folder is asked: %q", got)
	}
}

// TestASocketThatBeginsIsNotTakenForGone has folders asked while their processes begin to listen.
func TestASocketThatBeginsIsNotTakenForGone(t *testing.T) {
	dir := short(t)
	for round := range 100 {
		root := fmt.Sprint("/", round)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		var listens, asks sync.WaitGroup
		listens.Go(func() { _ = Listen(ctx, dir, root, func(_ context.Context, q []byte) []byte { return q }) })
		for range 4 {
			asks.Go(func() {
				for ok := false; !ok && ctx.Err() == nil; { // until it listens
					_, ok = Ask(ctx, dir, root, []byte("x"))
				}
			})
		}
		asks.Wait()
		if ctx.Err() != nil {
			t.Fatalf("round %d: it listens, and nobody reaches it", round)
		}
		cancel()
		listens.Wait()
	}
}
