package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/seal"
)

// holdLock holds the lock of the tree, so that no change of it goes on, until `! hold`.
func holdLock(ts *testscript.TestScript, free bool, _ []string) {
	if free {
		if unlock, ok := held[ts]; ok {
			delete(held, ts)
			unlock()
		}
		return
	}
	root, err := jail.Open(ts.MkAbs(".brv"))
	ts.Check(err)
	unlock, err := root.Lock("state/lock")
	ts.Check(err)
	kept := make(chan struct{})
	var keeper sync.WaitGroup
	keeper.Go(func() { keep(ts.MkAbs(".brv/state/lock"), kept) })
	held[ts] = func() {
		close(kept)
		keeper.Wait()
		unlock()
		_ = root.Close()
	}
	ts.Defer(func() { holdLock(ts, true, nil) })
}

// keep makes the holder of a lock seem another all the time: one that has it for two seconds is
// given up.
func keep(lock string, ended <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		if f, err := os.OpenFile(lock, os.O_WRONLY, 0); err == nil {
			_, _ = fmt.Fprintf(f, "%-127s\n", "1 test "+rand.Text())
			_ = f.Close()
		}
	}
}

// held are the locks of scripts, which run one after the other.
var held = map[*testscript.TestScript]func(){}

// awaitDream waits until a dream runs that has no end yet, and sets ID; negated, until the newest has ended.
func awaitDream(ts *testscript.TestScript, ended bool, _ []string) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		logs, _ := filepath.Glob(ts.MkAbs(".brv/dream-log/drm-*.json"))
		slices.Sort(logs)
		if len(logs) == 0 {
			continue
		}
		newest := logs[len(logs)-1]
		var l dream.Log
		if raw, err := os.ReadFile(newest); err == nil && json.Unmarshal(raw, &l) == nil && (l.Outcome == dream.Processing) != ended {
			ts.Setenv("ID", strings.TrimSuffix(filepath.Base(newest), ".json"))
			return
		}
	}
	ts.Fatalf("no dream runs, or it does not end")
}

// dreamtAgo says, under the user's seal, that the last dream was so many hours ago.
func dreamtAgo(ts *testscript.TestScript, _ bool, args []string) {
	hours, err := strconv.ParseFloat(args[0], 64)
	ts.Check(err)
	at := time.Now().Add(-time.Duration(hours * float64(time.Hour)))
	raw, err := json.Marshal(dream.State{Version: 1, LastDreamAt: &at, TotalDreams: 1})
	ts.Check(err)
	const name = "state/dream-state.json"
	root, err := jail.Open(ts.MkAbs(".brv"))
	ts.Check(err)
	defer root.Close()
	ts.Check(root.WriteFile(name, seal.In(ts.Getenv("XDG_CONFIG_HOME")+"/brv-lsp").For(root.ID()).Seal(name, raw)))
}

func TestTheSecondInterruptionExits(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	exited, signals := make(chan int, 1), make(chan chan<- os.Signal, 1)
	told, stderr := io.Pipe()
	twice(ctx, stderr, func(c chan<- os.Signal, _ ...os.Signal) { signals <- c }, func(code int) { exited <- code })
	interrupt()
	const want = "Cancelling... (Ctrl-C again to force exit)\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(told, got); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if len(exited) > 0 {
		t.Error("it exits at the first")
	}
	(<-signals) <- os.Interrupt
	if code := <-exited; code != 130 {
		t.Errorf("exit code %d", code)
	}
}
