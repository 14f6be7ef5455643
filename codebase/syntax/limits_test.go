//go:build cgo

package syntax

import (
	"os"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sampletest"
)

// TestLimitIsProcessorTime runs with an artificial clock: a process that gets a
// tenth of the processor may take ten times as long.
func TestLimitIsProcessorTime(t *testing.T) {
	for _, share := range []time.Duration{1, 3, 10, 100} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			clock := func() time.Duration { return time.Since(start) / share }
			stopped := make(chan time.Duration, 1)
			defer watchClock(time.Second, clock, func() { stopped <- time.Since(start) })()
			at := <-stopped
			if at < share*time.Second || at > share*time.Second+2*minWatch*share {
				t.Errorf("with 1/%d of the processor stopped after %v", share, at)
			}
		})
	}
}

func TestEndedWatchStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := func() time.Duration { return 0 }
		end := watchClock(time.Second, clock, func() { t.Error("stopped") })
		time.Sleep(10 * time.Second) // of artificial time
		end()
		time.Sleep(10 * time.Second)
	})
}

func TestOverdue(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		wall, cpu time.Duration
		known     bool
		extra     time.Duration
		want      error
	}{
		"within the limit":               {s, s, true, 0, nil},
		"over it":                        {3 * s, 2 * s, true, 0, errNoAnswer},
		"over it while loading":          {3 * s, 2 * s, true, s, nil},
		"over both":                      {3 * s, 3 * s, true, s, errNoAnswer},
		"starved":                        {20 * s, s, true, 0, nil},
		"asleep":                         {10 * s, 10 * time.Millisecond, true, s, errNoTurn},
		"asleep but not long":            {9 * s, 0, true, 0, nil},
		"starved for ever":               {60 * s, s, true, 0, errNoTurn},
		"processor time not known":       {5 * s, 0, false, s, nil},
		"processor time not known, over": {6 * s, 0, false, s, errNoTurn},
	} {
		if got := overdue(c.wall, c.cpu, c.known, 2*s, c.extra); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestProcessorTimeOfAProcess(t *testing.T) {
	cpu, known := processCPU(os.Getpid())
	if !known {
		t.Skip("not told by this system")
	}
	if own := cpuTime(); cpu > own+clockTick || cpu < own-own/2-10*clockTick {
		t.Errorf("%v by the process's number, %v by itself", cpu, own)
	}
	if _, known := processCPU(-1); known {
		t.Error("a process that is not there is known")
	}
}

// TestBusyMachineChangesNothing parses the same files twice beside threads that
// never rest, and compares with what an idle machine gave.
func TestBusyMachineChangesNothing(t *testing.T) {
	files := goSources(t, "", sampletest.Count(40, 1500))
	p := newTestPool(t, Options{Timeout: killAfter})
	read := func() []File {
		out := make([]File, len(files))
		next := make(chan int)
		var wg sync.WaitGroup
		for range defaultWorkers * depth {
			wg.Go(func() {
				for i := range next {
					var err error
					if out[i], err = p.Parse(t.Context(), files[i]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for i := range files {
			next <- i
		}
		close(next)
		wg.Wait()
		return out
	}
	idle := read()
	defer keepBusy(4)()
	for range 2 {
		differ := 0
		for i, f := range read() {
			if !reflect.DeepEqual(f, idle[i]) {
				differ++
				t.Errorf("%s: partial %q, then %q", files[i].Path, idle[i].Partial, f.Partial)
			}
		}
		t.Logf("%d of %d files differ", differ, len(files))
	}
}

// keepBusy lets n threads of this process spin until the function it returns is
// called.
func keepBusy(n int) (end func()) {
	before := runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for !stop.Load() { // spins: that is what it is for
			}
		})
	}
	return func() {
		stop.Store(true)
		wg.Wait()
		runtime.GOMAXPROCS(before)
	}
}
