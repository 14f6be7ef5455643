package state

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/names"
)

// Folder is one workspace folder of the client, or a project inside of one. Its workspace opens in the background,
// so that initialize is answered at once. Buffers that the client opens meanwhile are kept and passed to the
// workspace when it is open.
type Folder struct {
	Spelled string  // absolute path as the client names it
	Real    string  // the same folder with symbolic links resolved
	Outer   *Folder // the client's folder that contains this project; nil for a client's own folder

	opened chan struct{} // closed when ws or err is set

	mu      sync.Mutex // guards the fields below
	ws      *workspace.Workspace
	err     error
	closed  bool
	buffers map[string]string // path → text of open files

	Settings atomic.Pointer[settings.Settings] // the settings in force; nil until it is opened
}

var errFolderClosed = errors.New("workspace folder was closed")

// NewFolder describes the folder at an absolute path.
func NewFolder(path string) *Folder {
	f := &Folder{Spelled: path, Real: path, opened: make(chan struct{}), buffers: map[string]string{}}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		f.Real = real
	}
	return f
}

// Open opens the workspace, once, and passes it the buffers that were opened meanwhile.
func (f *Folder) Open(ctx context.Context, o workspace.Options) {
	defer close(f.opened)
	ws, err := workspace.Open(ctx, f.Real, o)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && f.closed {
		_ = ws.Close()
		ws, err = nil, errFolderClosed
	}
	f.ws, f.err = ws, err
	if ws != nil && o.CodeScan {
		names.Prepare(ws)
	}
	f.layBuffers()
}

// Reopen replaces the workspace by one with other options.
func (f *Folder) Reopen(ctx context.Context, o workspace.Options) error {
	o.Patience = 0 // the present workspace answers until the new one is read completely
	ws, err := workspace.Open(ctx, f.Real, o)
	if err != nil {
		return err
	}
	f.mu.Lock()
	old := ws
	if !f.closed {
		f.ws, f.err, old = ws, nil, f.ws
		if o.CodeScan {
			names.Prepare(ws)
		}
		f.layBuffers()
	}
	f.mu.Unlock()
	if old == nil {
		return nil
	}
	return old.Close()
}

// layBuffers passes the open buffers to the workspace. The caller holds mu.
func (f *Folder) layBuffers() {
	if f.ws == nil {
		return
	}
	for path, text := range f.buffers {
		f.ws.Overlay(path, text)
	}
}

// Close releases the workspace.
func (f *Folder) Close(log *slog.Logger) {
	f.mu.Lock()
	ws := f.ws
	f.closed, f.ws, f.err = true, nil, errFolderClosed
	f.mu.Unlock()
	if ws == nil {
		return
	}
	if err := ws.Close(); err != nil {
		log.Warn("closing a workspace", "folder", f.Spelled, "err", err)
	}
}

// Current returns the workspace if it is open already.
func (f *Folder) Current() *workspace.Workspace {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ws
}

// opening reports whether the opening has not ended yet, with or without success.
func (f *Folder) opening() bool {
	select {
	case <-f.opened:
		return false
	default:
		return true
	}
}

// Wait returns the workspace as soon as it is open.
func (f *Folder) Wait(ctx context.Context) (*workspace.Workspace, error) {
	select {
	case <-f.opened:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ws, f.err
}

// Overlay passes a buffer's text to the workspace.
func (f *Folder) Overlay(path, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buffers[path] = text
	if f.ws != nil {
		f.ws.Overlay(path, text)
	}
}

// Drop tells the workspace that a buffer was closed.
func (f *Folder) Drop(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ws != nil {
		f.ws.Drop(path)
	}
	delete(f.buffers, path)
}

// Rel returns path relative to the folder, with slashes, if it lies inside.
func (f *Folder) Rel(path string) (string, bool) {
	for _, root := range []string{f.Spelled, f.Real} {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// Holds reports whether a path of the folder stays inside it after links are resolved. The file, and folders above
// it, need not exist yet.
func (f *Folder) Holds(path string) bool {
	at := filepath.Join(f.Real, filepath.FromSlash(path))
	for below := ""; ; at, below = filepath.Dir(at), filepath.Join(filepath.Base(at), below) {
		if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return false // a broken link may lead anywhere later
		}
		rel, err := filepath.Rel(f.Real, filepath.Join(real, below))
		return err == nil && filepath.IsLocal(rel)
	}
}

// URI returns the URI of a file in the client's spelling of the folder. A file of another tree has an absolute
// path.
func (f *Folder) URI(path string) uri.URI {
	if filepath.IsAbs(path) {
		return uri.File(filepath.FromSlash(path))
	}
	return uri.File(filepath.Join(f.Spelled, filepath.FromSlash(path)))
}

// HoldsManyProjects reports whether the folder is a home folder or a file system's root. Editors send those when a
// file outside of any project is opened. Scanning all code below it would be useless.
func (f *Folder) HoldsManyProjects() bool {
	home, err := os.UserHomeDir()
	return err == nil && (f.Real == home || f.Spelled == home) || filepath.Dir(f.Real) == f.Real
}

// FilePath returns the cleaned absolute path of a URI. Only the scheme file has one: the path of
// "untitled:Untitled-1" is not a file's. A host is a share on Windows and is not accepted elsewhere, except
// localhost (RFC 8089).
func FilePath(u uri.URI) (string, bool) {
	if !strings.EqualFold(u.Scheme(), "file") || u.Path() == "" {
		return "", false
	}
	path := filepath.Clean(u.FsPath())
	switch host := u.Authority(); {
	case host == "" || runtime.GOOS == "windows":
	case strings.EqualFold(host, "localhost"):
		path = filepath.Clean(u.Path())
	default:
		return "", false
	}
	return path, filepath.IsAbs(path)
}

// Innermost returns the deepest folder with a project that contains the file, and the file's path there. If none
// of them has a project, it is the deepest one.
func Innermost(folders []*Folder, path string) (*Folder, string) {
	best, rel := within(folders, path)
	if best != nil {
		return best, rel
	}
	if real, err := resolved(path); err == nil && real != path {
		return within(folders, real)
	}
	return nil, ""
}

func within(folders []*Folder, path string) (*Folder, string) {
	paths := map[*Folder]string{}
	var holding []*Folder
	for _, f := range folders {
		if rel, ok := f.Rel(path); ok {
			paths[f], holding = rel, append(holding, f)
		}
	}
	if len(holding) == 0 {
		return nil, ""
	}
	slices.SortStableFunc(holding, func(a, b *Folder) int { return len(paths[a]) - len(paths[b]) })
	best := max(0, slices.IndexFunc(holding, func(f *Folder) bool {
		return len(holding) > 1 && !f.HoldsManyProjects() && workspace.HasProject(f.Real, paths[f])
	}))
	return holding[best], paths[holding[best]]
}

// resolved resolves the symbolic links in the folders above path. The file itself need not exist.
func resolved(path string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}
