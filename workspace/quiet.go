package workspace

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// quietAfter is how long nothing must have changed and nobody asked until memory goes back to the system:
// longer than the pause between two keys, shorter than that of somebody who reads.
const quietAfter = time.Second

// releasable is how much there must be to give back, in bytes. A collection marks what
// lives, some 100 ms of processor time for 10,000 entries and 5,000 files; with as much
// garbage it would come soon anyway.
const releasable = 16 << 20

// idle gives memory back when a server has nothing to do. The collector alone keeps what a
// first read or an hour of typing needed, and gives it back slowly, in the background, long
// after the last request.
type idle struct {
	give func() // release, but in tests

	mu    sync.Mutex // guards the fields below
	timer *time.Timer
	ended bool
}

// stir says that something changed, or was asked.
func (q *idle) stir() {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.ended:
	case q.timer == nil:
		q.timer = time.AfterFunc(quietAfter, q.give)
	default:
		q.timer.Reset(quietAfter)
	}
}

// end stops it.
func (q *idle) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	if q.timer != nil {
		q.timer.Stop()
	}
}

// release gives back what is not used, if that is much.
func release() {
	if unused() >= releasable {
		debug.FreeOSMemory()
	}
}

// unused is about what a collection would free, and what earlier ones freed and the system has
// not got back, in bytes.
func unused() uint64 {
	sizes := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/gc/heap/live:bytes"}, // of the objects, when they were marked last
	}
	metrics.Read(sizes)
	all, live := sizes[0].Value.Uint64()+sizes[1].Value.Uint64(), sizes[2].Value.Uint64()
	return all - min(all, live)
}
