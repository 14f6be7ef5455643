package syntax

import (
	"sync"
	"time"
)

// minWatch is the shortest time between two checks of the clock.
const minWatch = 5 * time.Millisecond

// watch calls stop once limit of the process's own processor time is used up. Unlike real time, that does not
// depend on how busy the machine is. If the system does not provide it, real time counts. After end has returned,
// stop is not called any more.
func watch(limit time.Duration, stop func()) (end func()) {
	return watchClock(limit, cpuTime, stop)
}

// watchClock is watch with the clock as an argument. It sets one timer, which does not fire for a file within its
// limit on an idle machine.
func watchClock(limit time.Duration, clock func() time.Duration, stop func()) (end func()) {
	if limit <= 0 {
		stop()
		return func() {}
	}
	var mu sync.Mutex // held by look, so that end waits for look to finish
	var timer *time.Timer
	ended := false
	start := clock()
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		if left := limit - (clock() - start); left > 0 {
			timer.Reset(max(left, minWatch))
			return
		}
		ended = true
		stop()
	}
	mu.Lock()
	timer = time.AfterFunc(limit, look)
	mu.Unlock()
	return func() {
		timer.Stop()
		mu.Lock()
		ended = true
		mu.Unlock()
	}
}
