package ipc

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
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
	gone, err := net.Listen("unix", base(dir, root)+"-0.sock") // of a process that was killed
	if err != nil {
		t.Fatal(err)
	}
	gone.(*net.UnixListener).SetUnlinkOnClose(false)
	gone.Close()
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
