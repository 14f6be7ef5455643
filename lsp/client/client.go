package client

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Client is the client of one session, and what talks to it: the goroutines that the end of the
// session waits for. Its zero value talks to nobody; [New] makes one.
type Client struct {
	Features // of the client; initialize sets them before anything else is read

	Ctx   context.Context // ends with shutdown, else with the session, as the work of each request does
	life  context.Context // ends with the session
	Stop  func()          // ends ctx
	Log   *slog.Logger    // warnings go to the client as well
	Conn  protocol.Client
	Now   func() time.Time
	After func(d time.Duration, f func()) (stop func() bool) // calls f in its own goroutine after d
	raw   jsonrpc2.Conn                                      // for what is not in the protocol
	Keys  Keys
	shown sync.Map       // progress token → *Progress that the user can cancel
	work  sync.WaitGroup // goroutines of Spawn

	mu     sync.Mutex // guards ending
	ending bool       // nothing is spawned any more
}

// New is the client at the other end of a connection, for as long as life lasts.
func New(
	life context.Context, conn jsonrpc2.Conn, log *slog.Logger,
	now func() time.Time, after func(time.Duration, func()) func() bool,
) *Client {
	c := &Client{life: life, Conn: protocol.ClientDispatcher(conn), raw: conn, Now: now, After: after}
	c.Ctx, c.Stop = context.WithCancel(life)
	c.Log = slog.New(&clientLog{Handler: log.Handler(), sink: &logSink{conn: c.Conn, now: now}})
	c.Keys.c = c
	return c
}

// Spawn runs f in a goroutine that the session waits for. Calls to the client
// are only made from such goroutines and from the work of requests: on the read
// loop they would wait for an answer that only the read loop can read.
func (c *Client) Spawn(what string, f func() error) {
	c.Background(func() {
		if err := Guard(what, f); err != nil && c.Ctx.Err() == nil {
			c.Log.Warn(what, "err", err)
		}
	})
}

// Background runs f in a goroutine that the end of the session waits for; false after it.
func (c *Client) Background(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ending {
		c.work.Go(f)
	}
	return !c.ending
}

// End has nothing be spawned any more.
func (c *Client) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
}

// Wait waits for what was spawned.
func (c *Client) Wait() { c.work.Wait() }

// request asks the client for what is not in the protocol, and cancels it there when ctx
// ends; it is called where calls to the client are, see [Client.spawn].
func (c *Client) request(ctx context.Context, method string, params, result any) error {
	return protocol.Call(ctx, c.raw, method, params, result)
}

// Notify tells the client what is not in the protocol.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	return c.raw.Notify(ctx, method, params)
}

// Register asks the client for further requests or notifications.
func (c *Client) Register(what string, all ...protocol.Registration) {
	c.Spawn("registering "+what, func() error {
		return c.Conn.RegisterCapability(c.Ctx, &protocol.RegistrationParams{Registrations: all})
	})
}

// parentPoll is how often the client's process is looked at. A server whose
// editor died without closing the pipe is gone within five seconds.
const parentPoll = 2 * time.Second

// WatchParent ends the session when the client's process is gone. A process that
// is not there from the start is not the client as this machine sees it (a
// client outside of our container, say) and is not watched.
func (c *Client) WatchParent(pid int, alive func(pid int) bool, quit func()) {
	if pid <= 0 || !alive(pid) {
		return
	}
	var look func()
	look = func() {
		switch {
		case c.life.Err() != nil:
		case !alive(pid):
			c.Log.Warn("the client's process is gone", "pid", pid)
			quit()
		default:
			c.After(parentPoll, look)
		}
	}
	c.After(parentPoll, look)
}

// Guard runs f and turns a panic into an error, for goroutines outside of a
// request.
func Guard(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", what, r, debug.Stack())
		}
	}()
	return f()
}
