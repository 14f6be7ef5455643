package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/seal"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// open opens the folder that the options name. A verb can change the options of the workspace.
func (f *flags) open(ctx context.Context, otherwise ...func(*workspace.Options)) (*workspace.Workspace, error) {
	root, err := f.folder()
	if err != nil {
		return nil, err
	}
	// The person who types a command wants it done in this folder, so git may be read and a model may be called.
	now := settingsOf(root)
	o := f.opts
	o.Cache, o.Secret, o.Trusted, o.Forgotten = cacheDir(), seal.OfUser(), true, forgotten
	if !f.json && isTerminal(os.Stderr) {
		o.Progress = newBar(os.Stderr, time.Now).tell
	}
	for _, change := range otherwise {
		change(&o)
	}
	w, err := workspace.Open(ctx, root, o.WithCode(now.Code).WithDocuments(now.Documents).WithOthers(configDir()))
	if err == nil && o.Trusted {
		ask(w, now)
	}
	for _, complete := range f.opened {
		if err == nil {
			if err = complete(w); err != nil {
				w.Close()
			}
		}
	}
	return w, err
}

// forgotten warns that a change could not be recorded, so the next command will not know it.
func forgotten(reason error) {
	sayf(&screen{out: os.Stderr}, "brv-lsp: no key can be stored (%v), so other commands cannot undo or approve this change;"+
		" set HOME or XDG_CONFIG_HOME to a folder that you can write to\n", reason)
}

// folder returns the path of the folder that the options name.
func (f *flags) folder() (root string, err error) {
	if root = f.root; root == "" {
		if root, err = os.Getwd(); err != nil {
			return "", err
		}
		root = workspace.Above(root)
	}
	if f.tree == "" {
		return root, nil
	}
	others := workspace.OthersIn(configDir())
	for _, o := range append(others, workspace.Outer(root, others)...) {
		if o.Name == f.tree {
			return o.Dir, nil
		}
	}
	return "", fmt.Errorf("%w: there is no tree %q; `brv-lsp tree list` lists the trees", errUsage, f.tree)
}

// cacheDir returns the user's folder for caches, or "" if the user has no folder that only they can access.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir = filepath.Join(dir, "brv-lsp")
	if err := cachefile.Usable(dir); err != nil {
		if _, said := refusedCache.LoadOrStore(dir, true); !said {
			sayf(&screen{out: os.Stderr}, "brv-lsp: the cache cannot be used, so brv-lsp is slower: %v\n", err)
		}
		return ""
	}
	return dir
}

// refusedCache holds the cache folders that a warning already named as not used.
var refusedCache sync.Map

// verbMemory is the soft memory limit of a verb, in bytes.
const verbMemory = 512 << 20

// serverGC is the server's GOGC. With it, garbage is collected once the heap grew by a quarter of its live size
// instead of doubling: 20,000 files of code take 190 MB.
const serverGC = 25

// asks makes a verb that opens the folder and requests something from it. draw returns the text and the exit code
// of the response.
func asks[Req, Res any](
	ctx context.Context, f *flags, do func(context.Context, *workspace.View, Req) (*Res, error), req *Req,
	draw func(*Res) (string, int),
) (answer, error) {
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, req Req) (*Res, error) {
		return do(ctx, w.View(), req)
	}, req, draw)
}

// does is like asks, for requests that change the folder.
func does[Req, Res any](
	ctx context.Context, f *flags, do func(context.Context, *workspace.Workspace, Req) (*Res, error), req *Req,
	draw func(*Res) (string, int),
) (answer, error) {
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	r, err := do(ctx, w, *req)
	if err != nil {
		return answer{}, err
	}
	text, code := draw(r)
	return answer{json: r, text: text, code: code}, nil
}
