package syntax

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
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
	Workers int           // how many at most; default 2
	Timeout time.Duration // when to kill one that does not answer; default KillAfter
}

// defaultWorkers keeps two cores busy; a parse is rarely what a user waits for.
const defaultWorkers = 2

// Pool parses files in worker processes. It starts them when they are first
// needed, and it is safe for concurrent use.
type Pool struct {
	opts   Options
	slots  chan *process // one entry per worker; nil stands for one not started
	retry  chan struct{} // held while a file is tried again, so that retries do not compete
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
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
		opts.Timeout = KillAfter
	}
	p := &Pool{
		opts:    opts,
		slots:   make(chan *process, opts.Workers),
		retry:   make(chan struct{}, 1),
		closed:  make(chan struct{}),
		strikes: map[[sha256.Size]byte]int{},
	}
	for range opts.Workers {
		p.slots <- nil
	}
	return p
}

// Close kills the workers and waits for them. Running and later calls of Parse
// return ErrClosed.
func (p *Pool) Close() {
	p.once.Do(func() {
		close(p.closed)
		for range p.opts.Workers {
			if w := <-p.slots; w != nil {
				w.kill()
			}
		}
	})
}

// Parse reads one file. What is wrong with the file is said in File.Partial; an
// error means that no worker could be started, that ctx ended, or ErrClosed.
func (p *Pool) Parse(ctx context.Context, req Request) (File, error) {
	if !Available {
		return File{Partial: withoutCgo}, nil
	}
	if reason := refuse(req.Source); reason != "" {
		return File{Partial: reason}, nil
	}
	key := contentKey(req)
	if p.quarantined(key) {
		return File{Partial: "no syntax: stopped the parser before"}, nil
	}
	// tree-sitter's limit is wall-clock time, so an ordinary file can miss it
	// on a busy machine: 2–5 of 3,000 did. One more try, alone, with more time.
	f, err := p.try(ctx, key, req, min(ParseLimit, p.opts.Timeout/2))
	if err != nil || !f.Slow {
		return f, err
	}
	select {
	case p.retry <- struct{}{}:
		defer func() { <-p.retry }()
	case <-ctx.Done():
		return File{}, ctx.Err()
	case <-p.closed:
		return File{}, ErrClosed
	}
	return p.try(ctx, key, req, p.opts.Timeout*3/4)
}

// contentKey identifies what is parsed, independent of where it lies.
func contentKey(req Request) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", req.Language)
	h.Write(req.Source)
	return [sha256.Size]byte(h.Sum(nil))
}

// try sends one request to a free worker.
func (p *Pool) try(ctx context.Context, key [sha256.Size]byte, req Request, limit time.Duration) (f File, err error) {
	var w *process
	select {
	case <-p.closed:
		return File{}, ErrClosed
	default:
	}
	select {
	case w = <-p.slots:
	case <-ctx.Done():
		return File{}, ctx.Err()
	case <-p.closed:
		return File{}, ErrClosed
	}
	defer func() { p.slots <- w }()
	if w == nil {
		if w, err = p.start(); err != nil {
			return File{}, err
		}
	}
	a, err := w.ask(ctx, p.closed, &request{req, limit}, p.opts.Timeout)
	if err == nil {
		return a.File, nil
	}
	w.kill()
	w = nil
	if ctx.Err() != nil || errors.Is(err, ErrClosed) {
		return File{}, err
	}
	p.strike(key)
	return File{Partial: "no syntax: " + err.Error(), Slow: true}, nil
}

// start starts a worker. A worker that gets here is a program whose main does not
// know WorkerArg (a test binary, say) and would start itself again without end.
func (p *Pool) start() (*process, error) {
	if os.Getenv(workerEnv) != "" {
		return nil, errors.New("syntax worker: this program does not call WorkerMain")
	}
	command := p.opts.Command
	if len(command) == 0 {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("syntax worker: %w", err)
		}
		command = []string{exe, WorkerArg}
	}
	return startProcess(command)
}

func (p *Pool) quarantined(key [sha256.Size]byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strikes[key] >= maxStrikes
}

func (p *Pool) strike(key [sha256.Size]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.strikes) >= maxRemembered {
		clear(p.strikes)
	}
	p.strikes[key]++
}
