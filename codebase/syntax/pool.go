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

const withoutCgo = "no syntax: built without cgo"

// ErrClosed is returned by a pool after Close.
var ErrClosed = errors.New("syntax: pool is closed")

// Options configure a [Pool]. The zero value is good for a program whose main
// function knows [WorkerArg].
type Options struct {
	Command []string      // how to start a worker; default: this executable with WorkerArg
	Workers int           // how many at most, and one more for urgent requests; default 2
	Timeout time.Duration // when to kill one that does not answer; default killAfter
	Idle    time.Duration // when to end one that has nothing to do; default idleAfter
}

// idleAfter is how long a worker stays without work. One that has loaded its grammars holds
// some 40 MB, one that read thousands of files 80, and a new one answers after 5 to 180 ms (see
// worthLoading). Who types in a file of code keeps one at work; one for which nobody waited
// stays only a part of that time: when a folder is read, it is read.
const (
	idleAfter  = 10 * time.Second
	unwaitedOf = 10 // that part
)

// defaultWorkers keeps two cores busy; a parse is rarely what a user waits for.
const defaultWorkers = 2

// Pool parses files in worker processes. It starts them when they are first
// needed, and it is safe for concurrent use.
//
// Requests wait in two lines. Urgent ones go to a worker with nothing to do, or
// else to one that is kept for them, and they are served first where they must
// wait: an open document does not stand behind a scan of the folder, nor behind
// the files of that scan that hang. The others are handed to the worker with the
// fewest, each up to [depth] ahead, so that no worker waits for the parent. A
// language with few files stays with one worker; see [Pool.spreads].
type Pool struct {
	opts    Options
	done    chan struct{} // closed by Close
	running sync.WaitGroup

	mu      sync.Mutex
	lanes   []*lane                   // guarded by mu; the last one is for urgent requests only
	urgent  []*call                   // guarded by mu: waiting, first come first served
	waiting []*call                   // guarded by mu: the same for the others
	closed  bool                      // guarded by mu
	sent    map[Language]int          // guarded by mu: bytes given to workers, but for urgent requests
	strikes map[[sha256.Size]byte]int // guarded by mu: kills and crashes by content
}

// maxStrikes quarantines a content; maxRemembered bounds the memory for it.
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

// Close kills the workers and waits for them. Running and later calls of Parse
// return ErrClosed.
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

// Parse reads one file. What is wrong with the file is said in File.Partial; an
// error means that no worker could be started, that ctx ended, or ErrClosed. The
// result is a function of language and source: limits are processor time, so a
// busy machine takes longer and answers the same.
func (p *Pool) Parse(ctx context.Context, req Request) (File, error) {
	if !Available {
		return File{Partial: withoutCgo}, nil
	}
	if reason := refuse(req.Source); reason != "" {
		return File{Partial: reason}, nil
	}
	if p.quarantined(req) {
		return File{Partial: "no syntax: stopped the parser before"}, nil
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
		return File{Partial: "no syntax: " + c.err.Error(), Slow: true}, nil
	}
	return c.file, c.err
}

// submit gives a call to a worker, or puts it in line.
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

// laneFor returns the lane with the fewest calls that may take c, the first of
// several, or nil. It is called with mu held.
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

// worthLoading is from how many bytes of a language a second worker loads its grammar
// and query too. Loading takes 5 ms for Go, 82 for TypeScript, 97 for TSX and 178 for
// Swift (measured), as much as parsing 20 to 700 KB at 4 MB/s; but what stays with one
// worker is not parsed by two at once.
const worthLoading = 512 << 10

// spreads reports whether files of a language go to any worker: there have been many
// of them, or no worker has loaded it. It is called with mu held.
func (p *Pool) spreads(language Language) bool {
	return p.sent[language] >= worthLoading ||
		!slices.ContainsFunc(p.lanes, func(l *lane) bool { return !l.reserved && l.loads(language) })
}

// dispatch hands out what waits. It is called with mu held after a lane has less
// to do.
func (p *Pool) dispatch() {
	p.urgent = p.handOut(p.urgent)
	p.waiting = p.handOut(p.waiting)
}

// lookAhead bounds how many calls are passed over because their language's worker is
// busy; a scan has fewer in line.
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

// abandon forgets a call whose answer nobody waits for. A worker that is busy
// with it may finish; see lane.look.
func (p *Pool) abandon(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.abandoned = true
	is := func(o *call) bool { return o == c }
	p.urgent = slices.DeleteFunc(p.urgent, is)
	p.waiting = slices.DeleteFunc(p.waiting, is)
}

// command returns how to start a worker. A worker that gets here is a program
// whose main does not know WorkerArg (a test binary, say) and would start itself
// again without end.
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

// contentKey identifies what is parsed, independent of where it lies.
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
