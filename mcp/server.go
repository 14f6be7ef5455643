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

// Options configures [Serve].
type Options struct {
	Version string            // reported in serverInfo
	Root    string            // the folder to serve; "" if Here or the client determines it
	Here    string            // the working directory
	Now     func() time.Time  // time.Now if nil
	Log     *slog.Logger      // discards if nil; must never write to out
	User    workspace.Options // the options that are the same for all folders of a user: Worker, Cache and Secret
	Config  string            // the user's folder of this program's configuration, see [settings.ReadUser]; "" if there is none
	// Getenv returns environment variables, for the keys of models. If it is nil, there are none.
	Getenv func(name string) string

	// Trust reports whether a folder is trusted, and if not, the reason. If it is nil, no folder is trusted.
	Trust func(folder string) (trusted bool, why string)

	// Nearest returns the project folder for a folder inside it. If it is nil, that is the folder itself.
	Nearest func(dir string) string

	extra []tool // further tools, for this package's own tests
}

// server is one session.
type server struct {
	opts  Options
	sdk   *sdk.Server
	tools []tool
	slots chan struct{}  // holds a token for each running request
	work  sync.WaitGroup // goroutines that end with ctx
	ctx   context.Context

	moving sync.Mutex               // held while serves changes
	roots  atomic.Pointer[[]string] // the roots of the client that was asked last
	serves atomic.Pointer[opening]  // the folder that is served; it changes with the client's roots

	progress  progress
	questions questions
	told      atomic.Pointer[tree.Snapshot] // the tree that the clients know
}

// opening is a folder that is opened once, with the result.
type opening struct {
	once   sync.Once
	opened chan struct{} // closed when the other fields are valid
	root   string
	folder *workspace.Workspace
	failed error
	ended  func() // stops the parts that answer for it besides the session
}

// options returns the folder's options and settings. The project and the user determine which code is read. The
// user determines which model may be called, and whether the folder is trusted.
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

// trusts reports whether a folder is trusted, and if not, the reason.
func (s *server) trusts(folder string) (bool, string) {
	if s.opts.Trust == nil {
		return false, ""
	}
	return s.opts.Trust(folder)
}

// warningsOnly passes only the SDK's warnings and errors on, since the SDK logs each session and each
// notification.
type warningsOnly struct{ slog.Handler }

func (q warningsOnly) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// stack returns the stack of a panic.
func stack() string {
	buf := make([]byte, 16<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

// tool is one row of the table.
type tool struct {
	name, title, about string
	writes             bool // proposes changes; all others only read
	destroys           bool // after a person's yes, it may remove entries
	lists              bool // its structured result has sources, as in [listing]
	budget             int  // tokens of a result if the caller names no number; 8,000 if 0
	params             []param
	run                func(context.Context, *call) (answer, error)
}
