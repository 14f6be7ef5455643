package syntax

import (
	"errors"
	"fmt"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/panics"
)

// depth is how many requests a worker has at once: the one that it parses, and those that wait in its pipe. More
// would only lengthen the queue behind a file that hangs.
const depth = 3

var (
	errNoAnswer = errors.New("parser did not answer in time")
	errNoTurn   = fmt.Errorf("%w: the time limit was reached", errNoAnswer) // the file or the machine may be at fault
	errDied     = errors.New("parser died")
	errIdle     = errors.New("parser had nothing to do")
)

// call is one request in the pool.
type call struct {
	request   request
	answered  chan struct{} // closed when file and err are set
	file      File
	err       error
	abandoned bool // guarded by Pool.mu: the caller has gone
	retried   bool // guarded by Pool.mu: this is the second try
}

func (c *call) answer(f File, err error) {
	c.file, c.err = f, err
	close(c.answered)
}

// lane is a slot for one worker. Its fields are guarded by Pool.mu.
type lane struct {
	pool     *Pool
	reserved bool // for urgent requests only
	worker   *worker
}

// worker is one process of a lane. It ends with the process; the lane's next call makes a new one.
type worker struct {
	lane   *lane
	calls  chan *call    // to be sent; never full
	exited chan struct{} // closed when the process has ended

	// Guarded by Pool.mu:
	inflight []*call           // calls that the process has or will get; the first is being parsed
	given    map[Language]bool // languages whose grammar the process has loaded, or will load
	ready    map[Language]bool // languages whose grammar the process has loaded
	proc     *process
	cause    error // why the process was killed
	waited   bool  // one of its calls was urgent
	seen     watched
	timer    *time.Timer
}

// load returns how many calls the lane has. The caller holds Pool.mu.
func (l *lane) load() int {
	if l.worker == nil {
		return 0
	}
	return len(l.worker.inflight)
}

// takes reports whether the lane may be given c now. The reserved lane has one call at a time, so that no urgent
// request waits behind a file that hangs. The caller holds Pool.mu.
func (l *lane) takes(c *call) bool {
	if l.worker != nil && l.worker.cause != nil {
		return false // its process is ending; then the lane gets a new one
	}
	if l.reserved {
		return c.request.Urgent && l.load() == 0
	}
	return l.load() < depth
}

// loads reports whether the lane's worker has loaded the grammar of a language, or will have with the calls that
// it was given. The caller holds Pool.mu.
func (l *lane) loads(language Language) bool { return l.worker != nil && l.worker.given[language] }

// give gives a call to the lane. The caller holds Pool.mu.
func (l *lane) give(c *call) {
	w := l.worker
	if w == nil {
		w = &worker{lane: l, calls: make(chan *call, depth), exited: make(chan struct{}), given: map[Language]bool{},
			ready: map[Language]bool{}}
		l.worker = w
		l.pool.running.Go(w.run)
	}
	if !c.request.Urgent {
		l.pool.sent[c.request.Language] += len(c.request.Source)
	}
	w.waited = w.waited || c.request.Urgent
	w.given[c.request.Language] = true
	w.inflight = append(w.inflight, c)
	w.calls <- c
	if len(w.inflight) == 1 {
		w.arm()
	}
}

// kill ends the lane's process, if there is one. The caller holds Pool.mu.
func (l *lane) kill() {
	if l.worker != nil {
		l.worker.kill(ErrClosed)
	}
}

// run is the main loop of a worker. It starts the process, sends calls from one goroutine, and reads answers in
// this one until the process ends.
func (w *worker) run() {
	p := w.lane.pool
	proc, err := w.start()
	if err != nil {
		w.end(err)
		return
	}
	p.running.Go(func() { w.send(proc) })
	for {
		var f File
		err := panics.Try(func() (err error) { f, err = proc.in.answer(); return err })
		if err != nil {
			proc.kill()
			proc.wait()
			w.end(fmt.Errorf("%w: %v", errDied, err))
			return
		}
		if !w.answered(f) {
			proc.kill() // this answer has no request; killing makes the next read fail
		}
	}
}

func (w *worker) start() (*process, error) {
	p := w.lane.pool
	command, err := p.command()
	if err != nil {
		return nil, err
	}
	proc, err := startProcess(command)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w.proc = proc
	if p.closed {
		w.kill(ErrClosed)
	}
	return proc, nil
}

// send writes calls to the process as they arrive. Calls that arrive during a write go into the next one together.
func (w *worker) send(proc *process) {
	var buf []byte
	for {
		select {
		case <-w.exited:
			return
		case c := <-w.calls:
			buf = appendRequest(buf[:0], &c.request)
		}
		for more := true; more && len(buf) < keepBuffer; {
			select {
			case c := <-w.calls:
				buf = appendRequest(buf, &c.request)
			default:
				more = false
			}
		}
		if _, err := proc.stdin.Write(buf); err != nil {
			proc.kill()
			return
		}
		if cap(buf) > keepBuffer {
			buf = nil
		}
	}
}

// answered passes the next answer to the call that waits for it. It reports whether there was such a call.
func (w *worker) answered(f File) bool {
	p := w.lane.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(w.inflight) == 0 {
		return false
	}
	c := w.inflight[0]
	w.inflight = append(w.inflight[:0], w.inflight[1:]...)
	w.ready[c.request.Language] = true
	c.answer(f, nil)
	w.arm()
	p.dispatch()
	return true
}

// end runs after the process has ended, or could not be started. The call that it was busy with fails; the later
// ones are tried again elsewhere.
func (w *worker) end(err error) {
	p := w.lane.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	close(w.exited)
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.cause != nil {
		err = w.cause
	}
	rest := w.inflight
	w.inflight, w.lane.worker = nil, nil
	for len(rest) > 0 && (w.proc == nil || p.closed) { // without a process, all of them fail
		rest[0].answer(File{}, err)
		rest = rest[1:]
	}
	if len(rest) > 0 {
		p.putBack(rest[1:])
		p.failed(rest[0], err)
	}
	p.dispatch()
}

// failed answers a call whose worker was lost. If the machine may be at fault and not the file, the call is tried
// once more, after all queued calls. The caller holds Pool.mu.
func (p *Pool) failed(c *call, err error) {
	if !errors.Is(err, errNoTurn) || c.retried || c.abandoned {
		c.answer(File{}, err)
		return
	}
	c.retried = true
	if c.request.Urgent {
		p.urgent = append(p.urgent, c)
	} else {
		p.waiting = append(p.waiting, c)
	}
}

// putBack puts calls at the front of their queues. The caller holds Pool.mu.
func (p *Pool) putBack(calls []*call) {
	var urgent, waiting []*call
	for _, c := range calls {
		switch {
		case c.abandoned:
		case c.request.Urgent:
			urgent = append(urgent, c)
		default:
			waiting = append(waiting, c)
		}
	}
	p.urgent = append(urgent, p.urgent...)
	p.waiting = append(waiting, p.waiting...)
}
