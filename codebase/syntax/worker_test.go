//go:build cgo

package syntax

import (
	"os"
	"testing"
	"time"
)

// ended waits for a process, or fails when it lives on.
func ended(t *testing.T, w *process) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- w.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("worker: %v", err)
		}
	case <-time.After(30 * time.Second):
		_ = w.cmd.Process.Kill()
		t.Error("worker outlives its stdin")
	}
}

func testWorker(t *testing.T) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w, err := startProcess([]string{exe, WorkerArg})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWorkerEndsWithItsStdin(t *testing.T) {
	w := testWorker(t)
	if err := w.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	ended(t, w)
}

func TestBusyWorkerEndsWithItsStdin(t *testing.T) {
	w := testWorker(t)
	src := []byte(hostile()["quotes"])
	frame := appendRequest(nil, &request{Request{Path: "q.js", Language: JavaScript, Source: src}, time.Hour})
	if _, err := w.stdin.Write(frame); err != nil {
		t.Fatal(err)
	}
	if err := w.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	ended(t, w)
}
