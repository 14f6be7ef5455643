package syntax

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

const withoutCgo = "not parsed: built without cgo"

// ErrClosed is returned by a pool after Close.
var ErrClosed = errors.New("syntax: pool is closed")

// Options configures a [Pool]. The zero value works for a program whose main function handles [WorkerArg].
type Options struct {
	Command []string      // how to start a worker; default: this executable with WorkerArg
	Workers int           // the most workers, besides one for urgent requests; default 2
	Timeout time.Duration // when to kill a worker that does not answer; default killAfter
	Idle    time.Duration // when to end an idle worker; default idleAfter
}

// idleAfter is how long an idle worker stays. One that has loaded its grammars uses some 40 MB, one that has read
// thousands of files 80 MB, and a new one answers after 5 to 180 ms (see worthLoading). While a user types in a
// file of code, a worker stays busy. A worker without urgent requests stays only for a part of that time, since a
// folder is read only once.
const (
	idleAfter  = 10 * time.Second
	unwaitedOf = 10 // 1 / unwaitedOf is that part
)

// defaultWorkers keeps two cores busy; users rarely wait for a parse.
const defaultWorkers = 2

// Pool parses files in worker processes. It starts them when they are first needed, and it is safe for concurrent
// use.
//
// Requests wait in two queues. An urgent request goes to an idle worker, or else to the one that is reserved for
// urgent requests, and it is served first if it must wait. So an open document does not wait for a scan of the
// folder, nor for a file of that scan that hangs. Other requests go to the worker with the fewest, each up to
// [depth] ahead, so that no worker waits for the parent. A language with few files stays with one worker; see
// [Pool.spreads].
type Pool struct {
	opts    Options
	done    chan struct{} // closed by Close
	running sync.WaitGroup

	mu      sync.Mutex
	lanes   []*lane                   // guarded by mu; the last one takes only urgent requests
	urgent  []*call                   // guarded by mu: the queue of urgent requests
	waiting []*call                   // guarded by mu: the queue of the others
	closed  bool                      // guarded by mu
	sent    map[Language]int          // guarded by mu: bytes given to workers, without urgent requests
	strikes map[[sha256.Size]byte]int // guarded by mu: kills and crashes by content
}

// maxStrikes is the number of kills or crashes after which a content is not tried again. maxRemembered bounds the
// memory of strikes.
const (
	maxStrikes    = 2
	maxRemembered = 10_000
)

// NewPool returns a pool. It starts no process.
func NewPool(opts Options) *Pool {
	if opts.Workers <= 0 {
		opts.Workers = defaultWorkers
	}
	if opts.Timeout <= 0 {
		opts.Timeout = killAfter
	}
	if opts.Idle <= 0 {
		opts.Idle = idleAfter
	}
	p := &Pool{opts: opts, done: make(chan struct{}), sent: map[Language]int{}, strikes: map[[sha256.Size]byte]int{}}
	for i := range opts.Workers + 1 {
		p.lanes = append(p.lanes, &lane{pool: p, reserved: i == opts.Workers})
	}
	return p
}

// Close kills the workers and waits for their end. Running and later calls of Parse return ErrClosed.
func (p *Pool) Close() {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.done)
		for _, l := range p.lanes {
			l.kill()
		}
	}
	p.mu.Unlock()
	p.running.Wait()
}

// Parse reads one file. File.Partial tells what is wrong with the file. An error means that no worker could be
// started, that ctx ended, or ErrClosed. The result depends only on the language and the source: limits are
// processor time, so a busy machine takes longer and gives the same answer.
func (p *Pool) Parse(ctx context.Context, req Request) (File, error) {
	if !Available {
		return File{Partial: withoutCgo}, nil
	}
	if reason := refuse(req.Source); reason != "" {
		return File{Partial: reason}, nil
	}
	if p.quarantined(req) {
		return File{Partial: "not parsed: the file stopped the parser before"}, nil
	}
	return p.try(ctx, req, min(parseLimit, p.opts.Timeout/2))
}

// try sends one request to a worker and waits for the answer.
func (p *Pool) try(ctx context.Context, req Request, limit time.Duration) (File, error) {
	c := &call{request: request{req, limit}, answered: make(chan struct{})}
	if err := p.submit(ctx, c); err != nil {
		return File{}, err
	}
	select {
	case <-c.answered:
	case <-ctx.Done():
		p.abandon(c)
		return File{}, ctx.Err()
	case <-p.done:
		return File{}, ErrClosed
	}
	if errors.Is(c.err, errNoAnswer) || errors.Is(c.err, errDied) {
		p.strike(req)
		return File{Partial: "not parsed: " + c.err.Error(), Slow: true}, nil
	}
	return c.file, c.err
}

// submit gives a call to a worker, or queues it.
func (p *Pool) submit(ctx context.Context, c *call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if l := p.laneFor(c); l != nil {
		l.give(c)
		return nil
	}
	if c.request.Urgent {
		p.urgent = append(p.urgent, c)
	} else {
		p.waiting = append(p.waiting, c)
	}
	return nil
}

// laneFor returns the first lane with the fewest calls that may take c, or nil. The caller holds mu.
func (p *Pool) laneFor(c *call) *lane {
	anywhere := c.request.Urgent || p.spreads(c.request.Language)
	var best *lane
	for _, l := range p.lanes {
		if l.takes(c) && (anywhere || l.loads(c.request.Language)) && (best == nil || l.load() < best.load()) {
			best = l
		}
	}
	return best
}

// worthLoading is how many bytes of a language must be read before a second worker loads its grammar and query.
// Loading takes 5 ms for Go, 82 for TypeScript, 97 for TSX and 178 for Swift (measured), as long as parsing 20 to
// 700 KB at 4 MB/s. But while one worker reads the language, its files are not parsed in parallel.
const worthLoading = 512 << 10

// spreads reports whether files of a language may go to any worker: there have been many, or no worker has loaded
// the language. The caller holds mu.
func (p *Pool) spreads(language Language) bool {
	return p.sent[language] >= worthLoading ||
		!slices.ContainsFunc(p.lanes, func(l *lane) bool { return !l.reserved && l.loads(language) })
}

// dispatch hands out queued calls. The caller holds mu, and calls it when a lane has fewer calls.
func (p *Pool) dispatch() {
	p.urgent = p.handOut(p.urgent)
	p.waiting = p.handOut(p.waiting)
}

// lookAhead bounds how many calls are skipped because their language's worker is busy; a scan has fewer in the
// queue.
const lookAhead = 16

func (p *Pool) handOut(line []*call) []*call {
	var passed []*call
	for len(line) > 0 && len(passed) < lookAhead && !p.closed {
		c := line[0]
		if l := p.laneFor(c); l != nil {
			l.give(c)
		} else {
			passed = append(passed, c)
		}
		line[0] = nil
		line = line[1:]
	}
	if len(passed) == 0 {
		return line
	}
	return append(passed, line...)
}

// abandon forgets a call whose caller has gone. A worker that is busy with it may finish; see [worker.watch].
func (p *Pool) abandon(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.abandoned = true
	is := func(o *call) bool { return o == c }
	p.urgent = slices.DeleteFunc(p.urgent, is)
	p.waiting = slices.DeleteFunc(p.waiting, is)
}

// command returns the command that starts a worker. If this process is a worker itself, its main function does not
// handle WorkerArg (as in a test binary), and would start itself again without end.
func (p *Pool) command() ([]string, error) {
	if os.Getenv(workerEnv) != "" {
		return nil, errors.New("syntax worker: this program does not call WorkerMain")
	}
	if len(p.opts.Command) > 0 {
		return p.opts.Command, nil
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("syntax worker: %w", err)
	}
	return []string{exe, WorkerArg}, nil
}

// contentKey identifies the parsed content, independent of the file's place.
func contentKey(req Request) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", req.Language)
	h.Write(req.Source)
	return [sha256.Size]byte(h.Sum(nil))
}

func (p *Pool) quarantined(req Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.strikes) > 0 && p.strikes[contentKey(req)] >= maxStrikes
}

func (p *Pool) strike(req Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.strikes) >= maxRemembered {
		clear(p.strikes)
	}
	p.strikes[contentKey(req)]++
}
