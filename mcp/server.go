package mcp

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Options configure [Serve].
type Options struct {
	Version string            // reported in serverInfo
	Root    string            // the folder to serve; "" where Here or the client says it
	Here    string            // the working directory
	Now     func() time.Time  // time.Now if nil
	Log     *slog.Logger      // discards if nil; never write to out
	User    workspace.Options // what is the user's in any folder: Worker, Cache and Secret
	Config  string            // the user's folder of this program's configuration, see [settings.ReadUser]; "" for none
	// Getenv asks the environment for the keys of models; none are there if it is nil.
	Getenv func(name string) string

	// Trust reports whether a folder is trusted, and if not why; none is if it is nil.
	Trust func(folder string) (trusted bool, why string)

	// Nearest is the folder that is meant by one below it; the folder itself if nil.
	Nearest func(dir string) string

	extra []tool // further tools, for this package's own tests
}

// server is one session.
type server struct {
	opts  Options
	sdk   *sdk.Server
	tools []tool
	slots chan struct{}  // holds a token for each request that works
	work  sync.WaitGroup // goroutines that end with ctx
	ctx   context.Context

	moving sync.Mutex               // held while serves changes
	roots  atomic.Pointer[[]string] // those of the client that asked last
	serves atomic.Pointer[opening]  // the folder that is served; another one after the client's roots changed

	progress  progress
	questions questions
	told      atomic.Pointer[tree.Snapshot] // as the clients know it
}

// opening is a folder that is opened once, and how that went.
type opening struct {
	once   sync.Once
	opened chan struct{} // closed when the rest is valid
	root   string
	folder *workspace.Workspace
	failed error
	ended  func() // stops what answers for it beside the session
}

// options returns the options of the folder with its settings: project and user say which
// code is read, the user which model may be asked and whether the folder is trusted.
func (s *server) options(root string, at *opening) (workspace.Options, settings.Settings) {
	project, problems := settings.ReadProject(root)
	for _, p := range problems {
		s.opts.Log.Warn(settings.ProjectFile, "problem", p.String())
	}
	user, problems := settings.ReadUser(s.opts.Config)
	for _, p := range problems {
		s.opts.Log.Warn(settings.UserFile+" in "+s.opts.Config, "problem", p.String())
	}
	now := settings.Resolve(project, user, settings.Layer{})
	o := s.opts.User
	o.Now, o.Log, o.Progress = s.opts.Now, s.opts.Log, s.progress.tell
	o.Changed = func(c workspace.Change) { s.changed(at, c) }
	o.Neighbours = *s.roots.Load()
	o.Watch, o.FollowCode, o.CodeScan = true, true, true
	if o.Trusted, o.Untrusted = s.trusts(root); !o.Trusted {
		s.opts.Log.Warn("git history is not used because the folder is not trusted", "folder", root, "reason", o.Untrusted)
	}
	return o.WithCode(now.Code).WithDocuments(now.Documents).WithOthers(s.opts.Config), now
}

// now is the time.
func (s *server) now() time.Time {
	if s.opts.Now == nil {
		return time.Now()
	}
	return s.opts.Now()
}

// trusts reports whether a folder is trusted, and if not why.
func (s *server) trusts(folder string) (bool, string) {
	if s.opts.Trust == nil {
		return false, ""
	}
	return s.opts.Trust(folder)
}

// warningsOnly lets only warnings and errors of the SDK through: it reports each session and
// each notification.
type warningsOnly struct{ slog.Handler }

func (q warningsOnly) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// stack is where a panic came from.
func stack() string {
	buf := make([]byte, 16<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

// tool is one row of the table.
type tool struct {
	name, title, about string
	writes             bool // proposes changes; all others only read
	destroys           bool // what it does after a person's yes may take entries away
	lists              bool // its structured result has sources, as [listing] says
	budget             int  // tokens of a result, where the caller says nothing; 8,000 if 0
	params             []param
	run                func(context.Context, *call) (answer, error)
}
