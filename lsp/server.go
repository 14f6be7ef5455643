package lsp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/diagnostics"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/refactor"
)

// server answers one session.
type server struct {
	*state.Session
	opts Options
	quit func() // ends the session

	wasShutDown atomic.Bool
	config      *config.Config
	answers     state.Answers
	idle        *state.Idleness
	diagnostics *diagnostics.Diagnostics
	renamed     atomic.Pointer[refactor.Change] // the last rename that was planned for the client
}

// release ends everything that the session started.
func (s *server) release() {
	s.Client.End()
	for _, f := range s.Folders.All() {
		f.Close(s.Client.Log)
	}
	s.Client.Wait()
}

// releaseWithin ends everything that the session started, as far as it ends before ctx does.
func (s *server) releaseWithin(ctx context.Context) {
	s.Client.Stop()
	released := make(chan struct{})
	go func() {
		defer close(released)
		s.release()
	}()
	select {
	case <-released:
	case <-ctx.Done():
		s.opts.Log.Debug("a search index is still being built") // one batch cannot be interrupted
	}
}

// Options configure [Serve]. The zero value is usable: it logs nothing, caches nothing, and trusts
// only the folders that the client calls trusted.
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

	// Fields for this package's own tests: extra adds methods, wrap wraps each method, stall is the longest
	// time of one write, drain replaces [drainWithin], unhurried is [workspace.Options.Unhurried], reading is
	// called before a part of a tree is read, and idled after the folders of an idle editor were looked
	// after.
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

// draining is the time that the end of a session has.
func (o Options) draining() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), cmp.Or(o.drain, drainWithin))
}

// drainWithin bounds how long the end of a session waits for its last replies and for
// its own work.
const drainWithin = 500 * time.Millisecond

// method is an entry of the method table.
type method = dispatch.Method[*server]

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
