package lsp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// child is a server in a process of its own, with workers.
type child struct {
	root    string // its workspace folder
	cmd     *exec.Cmd
	editor  *lsptest.Editor
	workers []int // process ids
	exited  chan struct{}
}

// startChild starts a server for a client process and has it read some code.
func startChild(t *testing.T, client int) *child {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	root := project(t)
	c := &child{root: root, cmd: exec.Command(os.Args[0], asServer), exited: make(chan struct{})}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.editor = lsptest.Attach(out, in)
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); c.editor.Close(); <-c.exited })
	go func() {
		_, _ = c.cmd.Process.Wait()
		close(c.exited)
	}()
	params := fmt.Sprintf(`{"processId":%d,"rootUri":%q,"capabilities":{}}`, client, lsptest.URI(root))
	if _, err := c.editor.Initialize(t.Context(), lsptest.Session{Params: json.RawMessage(params)}); err != nil {
		t.Fatal(err)
	}
	if err := c.editor.Execute(t.Context(), "brv.pack", map[string]any{"task": "anything", "budgetTokens": 1000}, nil); err != nil {
		t.Fatal(err) // waits for the code
	}
	c.workers = childrenOf(t, c.cmd.Process.Pid)
	if syntax.Available && len(c.workers) == 0 {
		t.Log("the workers have been let go already")
	}
	return c
}

// gone checks that the server and its workers end, and returns how long the server took.
func (c *child) gone(t *testing.T) time.Duration {
	t.Helper()
	begin := time.Now()
	select {
	case <-c.exited:
	case <-time.After(patience):
		t.Fatal("the server lives on")
	}
	took := time.Since(begin)
	for deadline := time.Now().Add(patience); slices.ContainsFunc(c.workers, running); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("workers %v live on", c.workers)
		}
	}
	return took
}

// childrenOf lists the processes that a process started.
func childrenOf(t *testing.T, parent int) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if f := statOf(pid); len(f) > 1 && f[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// statOf returns the fields of a process's state from the state on: state, parent, …
func statOf(pid int) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // the name before may hold anything
}

// running reports whether a process runs; one that nobody waits for does not.
func running(pid int) bool {
	f := statOf(pid)
	return len(f) > 0 && f[0] != "Z" && f[0] != "X"
}

func TestServerProcessEndsWithItsInput(t *testing.T) {
	c := startChild(t, os.Getpid())
	c.editor.Close()
	t.Logf("%d workers, gone %v after the end of the input", len(c.workers), c.gone(t))
}

func TestServerProcessEndsWithItsClient(t *testing.T) {
	client := exec.Command(os.Args[0], asClient)
	hold, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hold.Close() }()
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	c := startChild(t, client.Process.Pid)
	_ = client.Process.Kill()
	_ = client.Wait()
	took := c.gone(t) // though its input is open
	t.Logf("%d workers, gone %v after the client", len(c.workers), took)
	if took > 5*time.Second {
		t.Errorf("the server took %v to end after its client", took)
	}
}

func TestKilledServerLeavesNoWorker(t *testing.T) {
	c := startChild(t, os.Getpid())
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.gone(t)
}
