package workspace

import (
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryGoesBackOnceAllIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Int32
		w := &core{opts: Options{Watch: true, Log: slog.New(slog.DiscardHandler)}, idle: idle{give: func() { given.Add(1) }}}
		after := func(d time.Duration, want int32) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if given := given.Load(); given != want {
				t.Fatalf("given back %d times, not %d", given, want)
			}
		}
		for range 20 { // keys
			w.stir()
			after(quietAfter/2, 0)
		}
		after(quietAfter, 1)
		after(time.Hour, 1)
		w.stir()
		after(quietAfter, 2)
		w.stir()
		w.idle.end()
		w.stir()
		after(time.Hour, 2)
	})
}

func TestACommandGivesNoMemoryBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &core{opts: Options{Log: slog.New(slog.DiscardHandler)}, idle: idle{give: func() { t.Error("given back") }}}
		w.stir()
		time.Sleep(time.Hour)
	})
}

// A heap without garbage is left alone, one with much is given back.
func TestReleaseGivesBackWhatIsMuch(t *testing.T) {
	for try := 1; ; try++ {
		garbage = make([]byte, 8*releasable)
		garbage = nil
		runtime.GC() // which frees it, and the system has not got it back, unless the runtime was quicker
		before := unused()
		release()
		after := unused()
		if before >= releasable && after < before {
			return
		}
		if try == 10 {
			t.Fatalf("%d bytes are not used, %d before", after, before)
		}
	}
}

var garbage []byte
