package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/internal/cachefile"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// headFiles change when a commit is made or a branch switched. Where the repository
// is not in the folder, as that of a worktree or submodule, they are reported under these
// names too (see [Workspace.headOutside]).
var headFiles = []string{".git/HEAD", ".git/logs/HEAD"}

// MovesHead reports whether a change of the file p may mean another commit or branch.
func MovesHead(p string) bool { return p == headFiles[0] || p == headFiles[1] }

// commitState is what git knows of the folder.
type commitState struct {
	w         *Workspace
	reading   sync.Mutex       // held while the history is read
	past      *history.History // nil: none; guarded by Workspace.mu
	revisions link.Past        // what files were in earlier commits; nil: not known; guarded by Workspace.mu
	files     *history.Past    // of past; nil: none; guarded by reading
	dated     *tree.Snapshot   // whose entries files dated last; guarded by reading

	outside atomic.Pointer[git.Repository] // that the folder belongs to without holding it; nil: none
}

// gitBusy reports that git holds its index: files are about to change.
func (s *commitState) gitBusy() bool {
	w := s.w
	if repo := w.commits.outside.Load(); repo != nil {
		return repo.Busy()
	}
	_, err := w.root.Lstat(".git/index.lock")
	return err == nil
}

// headOutside finds the repository that the folder belongs to if that is elsewhere, and
// returns its files to watch by the names that they are known under here. Package git
// follows only what leads back to the folder.
func (s *commitState) headOutside() map[string]string {
	w := s.w
	repo, err := git.Open(w.root.Dir())
	if err != nil || repo.Dir() == filepath.Join(w.root.Dir(), ".git") {
		return nil
	}
	w.commits.outside.Store(repo)
	files := map[string]string{}
	for _, p := range headFiles {
		files[filepath.Join(repo.Dir(), filepath.FromSlash(strings.TrimPrefix(p, ".git/")))] = p
	}
	return files
}

// historyPatience is how long the end of the first read waits for the newest
// commits: reading 2,000 takes about half a second where none are kept.
const historyPatience = time.Second

// readBeside reads the history in a goroutine of its own; the channel is
// closed when its newest part is there.
func (s *commitState) readBeside() <-chan struct{} {
	w := s.w
	ready := make(chan struct{})
	started := w.Go(func() {
		defer w.code.tell() // what was not waited for may say more of entries
		defer close(ready)
		w.ReadHistory(w.ctx)
	})
	if !started {
		close(ready)
	}
	return ready
}

// await waits for the history, not for long.
func (s *commitState) await(ready <-chan struct{}) {
	w := s.w
	enough := time.NewTimer(historyPatience)
	defer enough.Stop()
	select {
	case <-ready:
	case <-enough.C:
	case <-w.ctx.Done():
	}
}

// ReadHistory brings what git knows of the files up to date. Without git, or
// without a repository, or in a folder that is not trusted, the ranking does without it.
func (w *Workspace) ReadHistory(ctx context.Context) {
	w.commits.reading.Lock()
	defer w.commits.reading.Unlock()
	if !trusted(w) {
		return
	}
	repo, err := git.Open(w.root.Dir())
	if err != nil {
		if !errors.Is(err, git.ErrNone) {
			w.opts.Log.Info("the ranking does without git", "reason", err)
		}
		return
	}
	w.mu.Lock()
	before := w.commits.past
	w.mu.Unlock()
	if before == nil {
		before = w.commits.kept()
	}
	past, err := history.Read(ctx, repo, history.Options{Before: before, Progress: w.commits.set})
	if err != nil {
		if ctx.Err() == nil {
			w.opts.Log.Info("the ranking does without git", "reason", err)
		}
		return
	}
	if !trusted(w) { // any more
		return
	}
	if w.commits.files == nil || past != before {
		w.commits.files, w.commits.dated = history.NewPast(repo, past), nil
	}
	w.commits.setPast(w.commits.files) // first: a new map asks it
	w.commits.dateEntries(ctx, w.commits.files)
	w.commits.set(past)
	if past != before && past.Partial() == "" {
		w.commits.keep(past)
	}
}

// dateEntries asks git since when the entries that this machine did not change itself say what they
// say: their signals count from then.
func (s *commitState) dateEntries(ctx context.Context, past *history.Past) {
	w := s.w
	w.mu.Lock()
	store := w.store
	w.mu.Unlock()
	if store == nil {
		return
	}
	now := store.Snapshot()
	if now == w.commits.dated {
		return
	}
	var asks []history.Ask
	var paths []string
	for _, e := range now.Entries() {
		if _, exact := now.Changed(e.Path); !exact && e.Role == format.RoleEntry {
			paths = append(paths, e.Path)
			asks = append(asks, history.Ask{Beside: link.TreeDir + e.Path, Says: e})
		}
	}
	since, err := past.Since(ctx, asks)
	if err != nil {
		w.opts.Log.Info("when entries were changed elsewhere is not known", "reason", err)
		return
	}
	known := map[string]time.Time{}
	for i, at := range since {
		if !at.IsZero() {
			known[paths[i]] = at
		}
	}
	store.SetCommits(known)
	w.commits.dated = store.Snapshot()
	w.Adopt(store)
}

// setPast makes what files were in earlier commits known; nil: it is not.
func (s *commitState) setPast(past link.Past) {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits.revisions = past
}

// Past tells what files were in earlier commits; nil: that is not known, or not yet.
func (w *Workspace) Past() link.Past {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.commits.revisions
}

// set makes a history the present one.
func (s *commitState) set(past *history.History) {
	w := s.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits.past = past
	v := w.view.Load()
	w.view.Store(withCode(v, v.code.WithHistory(past)))
}

// The history is kept in the user's cache: reading that of a large repository
// takes seconds.
const (
	historyKind    = "history"
	historyVersion = "1"       // of the file; history's own form has one too
	maxHistory     = 128 << 20 // bytes; 40,000 commits take about 8 MB
)

func (s *commitState) kept() *history.History {
	w := s.w
	if w.opts.Cache == "" {
		return nil
	}
	blocks, err := cachefile.Of(w.opts.Cache, historyKind, w.root.Dir()).Read(historyVersion, maxHistory)
	if err != nil || len(blocks) != 1 {
		return nil
	}
	past, err := history.Decode(blocks[0])
	if err != nil {
		return nil
	}
	return past
}

func (s *commitState) keep(past *history.History) {
	w := s.w
	if w.opts.Cache == "" {
		return
	}
	err := cachefile.Of(w.opts.Cache, historyKind, w.root.Dir()).Write(historyVersion, cachefile.Block{past.Append(nil)})
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		w.opts.Log.Debug("cache of the history", "err", err)
	}
}
