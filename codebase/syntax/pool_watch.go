package syntax

import "time"

// watched is when the file that a worker parses was first seen by the parent's
// clock, and what the worker's process had used by then.
type watched struct {
	call *call
	at   time.Time
	cpu  time.Duration
	ok   bool // cpu is known
}

const (
	// looks is how often the parent looks at a worker within the time that it
	// has for a file. One that answers in the first of them costs nothing.
	looks = 8
	// maxLook bounds that time, so that what nobody waits for ends soon.
	maxLook = 250 * time.Millisecond
	// asleep is the share of the processor, one in so many, below which a worker
	// hangs without using it; it is taken over patience times the limit and not
	// less than minAsleep. C code that hangs spins, so this is rare, while on a
	// machine with 40 busy processes for 2 cores a worker was seen to get less
	// for 1.5 s.
	asleep    = 100
	patience  = 5
	minAsleep = time.Second
	// starved is how many times its limit a worker may take by the clock in any
	// case.
	starved = 30
	// loading is added to the limit of a process's first file of a language,
	// whose grammar and query it loads then: up to 0.2 s of processor time
	// (Swift; measured) and more on slower machines. The limit that the worker
	// itself keeps begins after that.
	loading = 500 * time.Millisecond
	// unknown is how many times its limit a worker may take by the clock where
	// the system does not tell its processor time.
	unknown = 3
)

// look is how often a worker is looked at.
func (p *Pool) look() time.Duration { return min(p.opts.Timeout/looks, maxLook) }

// overdue decides whether a worker that has been busy with one file for wall,
// and used cpu of the processor meanwhile, is to be killed, and why; extra is
// processor time on top of its limit. Where the processor time is not known the
// clock decides, with room for a busy machine.
func overdue(wall, cpu time.Duration, known bool, limit, extra time.Duration) error {
	switch {
	case known && cpu >= limit+extra:
		return errNoAnswer
	case !known && wall >= unknown*limit,
		known && wall >= max(patience*limit, minAsleep) && cpu < wall/asleep,
		known && wall >= starved*max(limit, minAsleep):
		return errNoTurn
	}
	return nil
}

// arm starts the watch over the first of the calls, or for the end of a worker that has
// none. Pool.mu is held.
func (w *worker) arm() {
	after := w.lane.pool.look()
	if len(w.inflight) == 0 {
		after = w.idle()
	}
	if w.timer == nil {
		w.timer = time.AfterFunc(after, w.watch)
		return
	}
	w.timer.Reset(after)
}

// idle is how long the worker may have nothing to do. Pool.mu is held.
func (w *worker) idle() time.Duration {
	if w.waited {
		return w.lane.pool.opts.Idle
	}
	return w.lane.pool.opts.Idle / unwaitedOf
}

// watch looks whether the worker is still busy with the same file, and kills it
// if that takes too long, or if it has nothing to do. A first look lies up to one interval after the file's
// begin and the last one before the limit, so the limit is kept from below.
func (w *worker) watch() {
	p := w.lane.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.cause != nil {
		return
	}
	if len(w.inflight) == 0 {
		w.kill(errIdle)
		return
	}
	if w.proc == nil { // still starting
		w.timer.Reset(p.look())
		return
	}
	head, now := w.inflight[0], time.Now()
	cpu, known := processCPU(w.proc.cmd.Process.Pid)
	if head.abandoned {
		w.kill(errNoAnswer)
		return
	}
	if w.seen.call != head {
		w.seen = watched{head, now, cpu, known}
	}
	limit, extra := p.opts.Timeout-2*p.look(), time.Duration(0)
	if !w.ready[head.request.Language] {
		extra = loading
	}
	if err := overdue(now.Sub(w.seen.at), cpu-w.seen.cpu, known && w.seen.ok, limit, extra); err != nil {
		w.kill(err)
		return
	}
	w.timer.Reset(p.look())
}

// kill ends the process, which ends the worker; cause is what its call is told.
// Pool.mu is held.
func (w *worker) kill(cause error) {
	w.cause = cause
	if w.proc != nil {
		w.proc.kill()
	}
}
