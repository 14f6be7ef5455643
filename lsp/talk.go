package lsp

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
)

// clientSession is the client of one session, and what talks to it: the goroutines that the end of the
// session waits for. Its zero value talks to nobody; [newClient] makes one.
type clientSession struct {
	client.Features // of the client; initialize sets them before anything else is read

	ctx   context.Context // ends with shutdown, else with the session, as the work of each request does
	life  context.Context // ends with the session
	stop  func()          // ends ctx
	log   *slog.Logger    // warnings go to the client as well
	conn  protocol.Client
	now   func() time.Time
	after func(d time.Duration, f func()) (stop func() bool) // calls f in its own goroutine after d
	raw   jsonrpc2.Conn                                      // for what is not in the protocol
	trace atomic.Int32                                       // a [traceLevel]
	shown sync.Map                                           // progress token → *progress that the user can cancel
	work  sync.WaitGroup                                     // goroutines of spawn

	mu     sync.Mutex // guards ending
	ending bool       // nothing is spawned any more
}

// newClient is the client at the other end of a connection, for as long as life lasts.
func newClient(life context.Context, conn jsonrpc2.Conn, log *slog.Logger, now func() time.Time, after func(time.Duration, func()) func() bool) *clientSession {
	c := &clientSession{life: life, conn: protocol.ClientDispatcher(conn), raw: conn, now: now, after: after}
	c.ctx, c.stop = context.WithCancel(life)
	c.log = slog.New(&clientLog{Handler: log.Handler(), sink: &logSink{conn: c.conn, now: now}})
	return c
}

// spawn runs f in a goroutine that the session waits for. Calls to the client
// are only made from such goroutines and from the work of requests: on the read
// loop they would wait for an answer that only the read loop can read.
func (c *clientSession) spawn(what string, f func() error) {
	c.beside(func() {
		if err := guard(what, f); err != nil && c.ctx.Err() == nil {
			c.log.Warn(what, "err", err)
		}
	})
}

// beside runs f in a goroutine that the end of the session waits for; false after it.
func (c *clientSession) beside(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ending {
		c.work.Go(f)
	}
	return !c.ending
}

// end has nothing be spawned any more.
func (c *clientSession) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
}

// wait waits for what was spawned.
func (c *clientSession) wait() { c.work.Wait() }

// request asks the client for what is not in the protocol, and cancels it there when ctx
// ends; it is called where calls to the client are, see [clientSession.spawn].
func (c *clientSession) request(ctx context.Context, method string, params, result any) error {
	return protocol.Call(ctx, c.raw, method, params, result)
}

// notify tells the client what is not in the protocol.
func (c *clientSession) notify(ctx context.Context, method string, params any) error {
	return c.raw.Notify(ctx, method, params)
}

// register asks the client for further requests or notifications.
func (c *clientSession) register(what string, all ...protocol.Registration) {
	c.spawn("registering "+what, func() error {
		return c.conn.RegisterCapability(c.ctx, &protocol.RegistrationParams{Registrations: all})
	})
}

// parentPoll is how often the client's process is looked at. A server whose
// editor died without closing the pipe is gone within five seconds.
const parentPoll = 2 * time.Second

// watchParent ends the session when the client's process is gone. A process that
// is not there from the start is not the client as this machine sees it (a
// client outside of our container, say) and is not watched.
func (c *clientSession) watchParent(pid int, alive func(pid int) bool, quit func()) {
	if pid <= 0 || !alive(pid) {
		return
	}
	var look func()
	look = func() {
		switch {
		case c.life.Err() != nil:
		case !alive(pid):
			c.log.Warn("the client's process is gone", "pid", pid)
			quit()
		default:
			c.after(parentPoll, look)
		}
	}
	c.after(parentPoll, look)
}
