package lsp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

// drainWithin bounds how long the end of a session waits for its last replies and for
// its own work.
const drainWithin = 500 * time.Millisecond

// Options configure [Serve]. The zero value is what cmd/brv-lsp uses, but for
// Version and Log.
type Options struct {
	Version string           // reported in serverInfo
	Now     func() time.Time // the clock of what is computed from dates; time.Now if nil
	Log     *slog.Logger     // discards if nil; never write to out
	Worker  []string         // the syntax worker's command, see [workspace.Options]
	Cache   string           // folder for what can be made again, see [workspace.Options]
	Secret  *seal.Secret     // seals what is kept of changes, see [workspace.Options]
	Config  string           // the user's folder of this program's configuration, see [settings.ReadUser]; "" for none
	// Getenv asks the environment for the keys of models, and who the user is; nothing is
	// there if it is nil.
	Getenv func(name string) string
	// Trust reports whether a folder is trusted, and if not why, where the client does not
	// say it; none is if it is nil.
	Trust func(folder string) (trusted bool, why string)

	// After calls f in its own goroutine after d, unless stop is called before;
	// time.AfterFunc if nil. Debouncing and polling are timed by it.
	After func(d time.Duration, f func()) (stop func() bool)
	// ProcessAlive reports whether the process exists; asks the system if nil.
	ProcessAlive func(pid int) bool

	// For this package's own tests: further methods, what becomes of each method, how
	// long one write may take, in place of [drainWithin], [workspace.Options.Unhurried],
	// what is called before a part of a tree is read, and when the folders of an idle editor
	// were looked after.
	extra     map[string]method
	wrap      func(name string, m method) method
	stall     time.Duration
	drain     time.Duration
	unhurried bool
	reading   func()
	idled     func()
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.After == nil {
		o.After = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	after, log := o.After, o.Log
	o.After = func(d time.Duration, f func()) func() bool {
		return after(d, func() {
			if err := client.Guard("timer", func() error { f(); return nil }); err != nil {
				log.Error("timer", "err", err)
			}
		})
	}
	if o.ProcessAlive == nil {
		o.ProcessAlive = processAlive
	}
	return o
}

// table is the method table of a session.
func (o Options) table() map[string]method {
	table := methodTable(o.extra)
	if o.wrap != nil {
		for name, m := range table {
			table[name] = o.wrap(name, m)
		}
	}
	return table
}

// Serve speaks the language server protocol over in and out until the client
// exits, in ends, ctx is cancelled, or the client's process is gone. It returns
// the exit code that the protocol asks for: 0 if the client sent shutdown before
// the end, else 1. All goroutines have ended when it returns, except one that is
// blocked in a Read or Write of an in or out without a Close method, and what
// does not end within [drainWithin]: an editor must not wait for it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) (exitCode int) {
	o = o.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	stream := wire.Open(in, out, o.Log, o.stall)
	conn := jsonrpc2.NewConn(stream, jsonrpc2.WithCodec(wire.Codec{}))
	s := newServer(ctx, conn, o)
	s.quit = stream.End
	d := dispatch.New(s, s.Client, s.quit, o.table())
	conn.Go(ctx, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if d.Running() {
			s.config.Greet() // the answer to initialize was sent before this message was read
			s.idle.Seen(req.Method())
		}
		return d.Handle(ctx, req)
	})

	select {
	case <-stream.Ended():
	case <-ctx.Done():
	}
	cancel() // whatever is under way
	within, done := o.draining()
	defer done()
	stream.Shut(within)
	s.releaseWithin(within)
	select {
	case <-conn.Done():
	case <-within.Done():
		o.Log.Debug("a request or a read did not end in time")
	}
	if s.wasShutDown.Load() {
		return 0
	}
	return 1
}

// draining is the time that the end of a session has.
func (o Options) draining() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), cmp.Or(o.drain, drainWithin))
}

// processAlive asks the system whether a process exists. Where that needs more
// than a signal (Windows), finding it is enough.
func processAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	if runtime.GOOS == "windows" {
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
