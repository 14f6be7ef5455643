package txn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/sampletest"
	. "github.com/brv-lsp/brv-lsp/internal/txn"
)

func TestOneHolderIsWaitedForSoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		unlock, err := d.Lock("state/lock")
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		err = Open(d, "state", Options{Seal: testSeal, Wait: 3 * time.Second}).Locked(ctx, func() error { return nil })
		if waited := time.Since(begun); !errors.Is(err, ErrBusy) || waited < 3*time.Second || waited > 3100*time.Millisecond {
			t.Errorf("%v after %v", err, waited)
		}
		if err == nil || !strings.Contains(err.Error(), "process 1 on disk") {
			t.Errorf("%v does not name the holder", err)
		}
		unlock()
		if err := Open(d, "state", Options{Seal: testSeal}).Locked(ctx, func() error { return nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestHoldersThatFollowOneAnotherAreWaitedForLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		held := make(chan struct{})
		done := make(chan struct{})
		go func() { // the lock changes hands each second, and is never free in between for others to see
			defer close(done)
			for i := range 10 {
				unlock, err := d.Lock("state/lock")
				if err != nil {
					t.Error(err)
					return
				}
				if i == 0 {
					close(held)
				}
				time.Sleep(time.Second)
				unlock()
			}
		}()
		<-held
		begun := time.Now()
		if err := Open(d, "state", Options{Seal: testSeal}).Locked(ctx, func() error { return nil }); err != nil {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		<-done
	})
}

// Who is next in the queue was stopped: the others pass.
func TestStoppedInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		if _, err := d.Lock("state/lock.next"); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := Open(d, "state", Options{Seal: testSeal}).Locked(ctx, func() error { return nil }); err != nil ||
			time.Since(begun) > 200*time.Millisecond {
			t.Error(err, time.Since(begun))
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		if _, err := d.Lock("state/lock"); err != nil {
			t.Fatal(err)
		}
		limited, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := Open(d, "state", Options{Seal: testSeal}).Locked(limited, func() error { return nil }); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// The wall clock decides nothing, wherever it jumps.
func TestClockJumps(t *testing.T) {
	d := newDisk()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	jumps := []time.Time{now, now.AddDate(-10, 0, 0), now.AddDate(10, 0, 0), time.Unix(0, 0), {}, now, now,
		time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	j := Open(d, "state", Options{Seal: testSeal, Now: func() time.Time { return now }})
	for i, to := range jumps {
		now = to
		h, _, err := j.Commit(ctx, func(int) (any, []Change, error) {
			return nil, []Change{{fmt.Sprintf("context-tree/%d.md", i), nil, &Image{Data: []byte("x"), ModTime: to}}}, nil
		})
		if err != nil || h.ID != i+1 {
			t.Fatalf("%v: %+v, %v", to, h, err)
		}
	}
	list, err := j.Records()
	if err != nil || len(list) != len(jumps) || list[0].ID != len(jumps) {
		t.Errorf("%v, %v", list, err)
	}
	for _, h := range list {
		r, err := j.Load(h.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := j.Commit(ctx, func(int) (any, []Change, error) { return nil, r.Inverse(), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if _, dirs := visible(d); slices.Contains(dirs, "context-tree/0.md") {
		t.Error(dirs)
	}
}

func TestProcessesThatCommitAtOnce(t *testing.T) {
	t.Parallel()
	const processes = 8
	rounds := sampletest.Count(50, 1000)
	root, err := jail.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.WriteFile("context-tree/counter.md", []byte("0")); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	type counting struct {
		cmd      *exec.Cmd
		out, err strings.Builder
	}
	var all []*counting
	for i := range processes {
		c := &counting{cmd: child(t, "count", root.Dir(), fmt.Sprintf("p%d", i), rounds)}
		c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
		if err := c.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	var times []time.Duration
	conflicts := 0
	for i, c := range all { // all are waited for: none writes into a folder that is gone
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, &c.err)
			continue
		}
		var report countReport
		if err := json.Unmarshal([]byte(c.out.String()), &report); err != nil {
			t.Errorf("process %d: %v in %q", i, err, &c.out)
		}
		times, conflicts = append(times, report.Times...), conflicts+report.Conflicts
	}
	if t.Failed() {
		return
	}
	checkCount(t, root, processes, rounds)
	slices.Sort(times)
	t.Logf("%d changes in %v, %d conflicts; p50 %v, p99 %v, longest %v", len(times), time.Since(begun).Round(time.Millisecond), conflicts,
		times[len(times)/2], times[len(times)*99/100], times[len(times)-1])
}

func checkCount(t *testing.T, root *jail.Root, processes, rounds int) {
	t.Helper()
	if text, err := root.ReadFile("context-tree/counter.md", 100); err != nil || string(text) != strconv.Itoa(processes*rounds) {
		t.Errorf("the counter is %s, %v; want %d", text, err, processes*rounds)
	}
	for i := range processes {
		list, err := root.ReadDir(fmt.Sprintf("context-tree/p%d", i))
		if err != nil || len(list) != rounds {
			t.Errorf("process %d made %d files, %v; want %d", i, len(list), err, rounds)
		}
	}
	next := 1
	for h, err := range Open(root, "state", Options{Seal: testSeal}).Audit() {
		if err != nil || h.ID != next {
			t.Fatalf("audit: %d, %v; want %d", h.ID, err, next)
		}
		next++
	}
	if next-1 != processes*rounds {
		t.Errorf("%d changes on record", next-1)
	}
}
