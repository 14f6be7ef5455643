package syntax

import "time"

// watched records when the parent first saw a worker at its present file, and the processor time that the worker
// had used by then.
type watched struct {
	call *call
	at   time.Time
	cpu  time.Duration
	ok   bool // cpu is known
}

const (
	// looks is how often the parent checks a worker within the time limit of a file. A worker that answers before
	// the first check costs nothing.
	looks = 8
	// maxLook bounds the time between two checks, so that a worker with only abandoned calls ends soon.
	maxLook = 250 * time.Millisecond
	// asleep is 1 / the share of the processor below which a worker counts as hanging without using it. It is
	// measured over patience times the limit, and at least minAsleep. C code that hangs usually spins, so this is
	// rare. On a machine with 40 busy processes for 2 cores, a worker got less than that for 1.5 s.
	asleep    = 100
	patience  = 5
	minAsleep = time.Second
	// starved is how many times its limit a worker may take in real time in any case.
	starved = 30
	// loading is added to the limit of a process's first file of a language, since it then loads the grammar and
	// query. That takes up to 0.2 s of processor time (Swift; measured), and more on slower machines. The limit
	// that the worker itself applies begins after that.
	loading = 500 * time.Millisecond
	// unknown is how many times its limit a worker may take in real time if the system does not provide its
	// processor time.
	unknown = 3
)

// look returns the time between two checks of a worker.
func (p *Pool) look() time.Duration { return min(p.opts.Timeout/looks, maxLook) }

// overdue returns why a worker must be killed, or nil. The worker has been busy with one file for wall, and has
// used cpu of the processor meanwhile. extra is added to its limit. If the processor time is not known, real time
// decides, with a margin for a busy machine.
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

// arm starts the watch over the first call, or the timer that ends an idle worker. The caller holds Pool.mu.
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

// idle returns how long the worker may be idle. The caller holds Pool.mu.
func (w *worker) idle() time.Duration {
	if w.waited {
		return w.lane.pool.opts.Idle
	}
	return w.lane.pool.opts.Idle / unwaitedOf
}

// watch checks whether the worker is still busy with the same file. It kills the worker if that takes too long, or
// if it has been idle. The first check comes up to one interval after the file's begin, and the last one before
// the limit, so a worker is never killed too early.
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

// kill ends the process, which ends the worker. cause is the error of its call. The caller holds Pool.mu.
func (w *worker) kill(cause error) {
	w.cause = cause
	if w.proc != nil {
		w.proc.kill()
	}
}
