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

// Client is the client of one session with the goroutines that talk to it, which the end of the session waits
// for. The zero value sends nothing; [New] makes a working one.
type Client struct {
	Features // of the client; initialize sets them before any other message is handled

	Ctx   context.Context // ends at shutdown, or else with the session; the contexts of requests end likewise
	life  context.Context // ends with the session
	Stop  func()          // ends ctx
	Log   *slog.Logger    // warnings go to the client as well
	Conn  protocol.Client
	Now   func() time.Time
	After func(d time.Duration, f func()) (stop func() bool) // calls f in its own goroutine after d
	raw   jsonrpc2.Conn                                      // for messages outside of the protocol
	Keys  Keys
	shown sync.Map       // progress token → *Progress that the user can cancel
	work  sync.WaitGroup // goroutines of Spawn

	mu     sync.Mutex // guards ending
	ending bool       // no goroutines may be spawned any more
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

// Spawn runs f in a goroutine that the session waits for. Calls to the client are only made from such
// goroutines and from the work of requests: on the read loop they would wait for an answer that only the read
// loop can read.
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

// End forbids further calls of Spawn.
func (c *Client) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
}

// Wait waits for the spawned goroutines.
func (c *Client) Wait() { c.work.Wait() }

// request sends the client a request outside of the protocol, and cancels it there when ctx ends; it may be
// called in the same places as other calls to the client, see [Client.Spawn].
func (c *Client) request(ctx context.Context, method string, params, result any) error {
	return protocol.Call(ctx, c.raw, method, params, result)
}

// Notify sends the client a notification outside of the protocol.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	return c.raw.Notify(ctx, method, params)
}

// Register asks the client for further requests or notifications.
func (c *Client) Register(what string, all ...protocol.Registration) {
	c.Spawn("registering "+what, func() error {
		return c.Conn.RegisterCapability(c.Ctx, &protocol.RegistrationParams{Registrations: all})
	})
}

// parentPoll is the interval of checks for the client's process. After its editor died without closing the
// pipe, a server ends within five seconds.
const parentPoll = 2 * time.Second

// WatchParent ends the session when the client's process is gone. If the process does not exist at the start,
// its id is probably not valid on this machine (a client outside of our container, for example), and it is
// not watched.
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
