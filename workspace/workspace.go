package workspace

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// Workspace is one opened folder. What moves in it is in parts, each with its own locks: see the package's comment.
type Workspace struct {
	*shown
	home     *treeState   // the context tree on disk
	changes  *changeState // on disk that no view shows yet
	code     *codeState
	docs     *docState
	others   *otherTrees
	near     *neighbours
	commits  *commitState // what git knows
	reasons  *reasonState // what its commits say why
	memory   sync.Map     // see Memory
	uses     *uses        // of entries, that wait to be counted
	revision atomic.Int64 // see Revision
}

// Close stops all work and releases the folder. Views stay readable.
func (w *Workspace) Close() error {
	w.uses.flush()
	w.idle.end()
	w.starting.Lock()
	w.cancel()
	w.starting.Unlock()
	w.work.Wait()
	w.changes.end()
	w.code.pool.Close()
	w.docs.close()
	w.others.close()
	w.near.close()
	w.reasons.engine.Close()
	err := w.engine.Close()
	w.SetMeaning(nil)
	if w.store != nil {
		err = errors.Join(err, w.store.Close())
	}
	return errors.Join(err, w.root.Close())
}

// Past returns the states of files in earlier commits, nil if they are not known, or not yet.
func (w *Workspace) Past() link.Past {
	if files := w.commits.files.Load(); files != nil {
		return files
	}
	return nil
}

// ReadHistory brings what git knows of the files up to date. Without git, or
// without a repository, or in a folder that is not trusted, the ranking does without it.
func (w *Workspace) ReadHistory(ctx context.Context) { w.commits.read(ctx) }

// Adopt shows the store's newest snapshot to readers.
func (w *Workspace) Adopt(store *store.Store) { w.home.adopt(store) }

// TrackedFile is a file of the folder's personal state that git tracks, "" for none.
func (w *Workspace) TrackedFile() string { return w.home.tracked.name() }

// Used notes that entries were used; see [View.Used].
func (w *Workspace) Used(entries ...string) { w.uses.note(entries) }

// SetTrusted says whether the folder is trusted from now on, and if not why. Whoever
// trusts it gets git's history with the next answers; where trust ends, what git said is
// forgotten.
//
// It returns at once.
func (w *Workspace) SetTrusted(trusted bool, reason string) {
	now := trust(trusted, reason)
	before := w.untrusted.Swap(now)
	switch {
	case (before == nil) == (now == nil):
	case now != nil:
		w.Go(w.commits.forget)
	case w.code.at(codeBegun): // else the first read of the code reads the history too
		w.Go(func() {
			w.commits.read(w.ctx)
			w.tellCode()
		})
	}
}

// Revised notes that this process changed the tree or what waits for a review.
func (w *Workspace) Revised() { w.revision.Add(1) }

// Revision is how often it did: what was read of the tree's state is still so as long as it stands.
func (w *Workspace) Revision() int64 { return w.revision.Load() }

// DeriveStale writes the generated files behind the caller's back where the tree
// changed since they were written, by hand or by git, and where we have written
// before; not where the folder is not trusted.
func (w *Workspace) DeriveStale() {
	store, err := w.Store()
	if err != nil || !w.trusted() || !store.Written() || w.home.derived.Swap(store.Snapshot()) == store.Snapshot() {
		return
	}
	w.Go(func() { w.Derive(store) })
}

// Derive writes the generated files. Close waits for it, so that a command that ends leaves none stale. One call follows
// the other, so that none writes what an older tree says over what a newer one does.
func (w *Workspace) Derive(store *store.Store) {
	w.home.deriving.Lock()
	defer w.home.deriving.Unlock()
	defer func() { w.home.derived.Store(store.Snapshot()) }()
	if _, err := store.Derive(context.WithoutCancel(w.ctx)); err != nil {
		w.opts.Log.Warn("generated files could not be updated", "err", err)
	}
	w.Adopt(store)
}

// InitRequest asks for an empty context tree.
type InitRequest struct {
	DryRun bool `json:"dryRun,omitempty"` // only say what would be written
}

// InitReport lists what brv.init wrote, or would write.
type InitReport struct {
	DryRun  bool     `json:"dryRun,omitempty"`
	Written []string `json:"written"` // paths of the files; empty if all of them existed
	Tree    string   `json:"tree"`    // absolute path of the tree
	Survey
}

// Survey counts what the folder says about itself already.
type Survey struct {
	// the number of documents that are neither rules nor decisions; a page in several languages counts once
	Documents int `json:"documents"`
	Rules     int `json:"rules"`     // the number of rule files
	Decisions int `json:"decisions"` // the number of decision records

	Topics []string `json:"topics,omitempty"` // folders of the code, the largest first
}

// Init makes an empty context tree, and a .gitignore for what will be generated
// in it. Existing files are left as they are.
func (w *Workspace) Init(ctx context.Context, req InitRequest) (*InitReport, error) {
	if err := w.NoTree(); !w.HasTree() && err != ErrNoTree {
		return nil, err
	}
	r := &InitReport{DryRun: req.DryRun, Written: []string{}, Tree: w.root.Dir() + "/" + TreeDir}
	files := []struct{ path, text string }{{".brv/.gitignore", store.Gitignore}}
	if !w.HasTree() { // git does not keep an empty folder
		files = append(files, struct{ path, text string }{TreeDir + "/.gitkeep", ""})
	}
	root := w.root.WithoutLinks()
	for _, f := range files {
		if _, err := root.Stat(f.path); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if !req.DryRun {
			if err := root.WriteFile(f.path, []byte(f.text)); err != nil {
				return nil, err
			}
		}
		r.Written = append(r.Written, f.path)
	}
	w.home.refresh(nil)
	set, err := w.View().Documents(ctx)
	if err != nil { // it is not what was asked for
		w.opts.Log.Warn("documents", "err", err)
		return r, nil
	}
	r.Documents, r.Rules, r.Decisions = set.Count()
	of := codebase.Options{Include: w.opts.Include, Exclude: w.opts.Exclude}
	if r.Topics, err = codebase.Topics(ctx, root, of); err != nil {
		w.opts.Log.Warn("code folders not read", "err", err)
	}
	return r, nil
}

// LookAtOthers reads the other trees again, and makes a new view where one changed.
func (w *Workspace) LookAtOthers(ctx context.Context) {
	if w.others.look(ctx) {
		w.swap(func(v *View) *View { return newView(w, v.state) })
		w.Tell(Change{Tree: true})
	}
}
