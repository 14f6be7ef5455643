package workspace

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// headFiles change when a commit is made or a branch switched. Where the repository
// is not in the folder, as that of a worktree or submodule, they are reported under these
// names too (see [commitState.headOutside]).
var headFiles = []string{".git/HEAD", ".git/logs/HEAD"}

// MovesHead reports whether a change of the file p may mean another commit or branch.
func MovesHead(p string) bool { return p == headFiles[0] || p == headFiles[1] }

// commitState holds git's history of the folder.
type commitState struct {
	*shown
	home    *treeState
	reading sync.Mutex                   // held while the history is read; guards dated
	files   atomic.Pointer[history.Past] // earlier versions of files; nil: not known
	dated   *tree.Snapshot               // whose entries files dated last

	outside atomic.Pointer[git.Repository] // that the folder belongs to without holding it; nil: none
}

// gitBusy reports that git holds its index: files are about to change.
func (s *commitState) gitBusy() bool {
	if repo := s.outside.Load(); repo != nil {
		return repo.Busy()
	}
	_, err := s.root.Lstat(".git/index.lock")
	return err == nil
}

// headOutside finds the repository that the folder belongs to if that is elsewhere, and returns its files to
// watch with the names under which they are reported here. Package git follows only a `.git` whose target
// leads back to the folder.
func (s *commitState) headOutside() map[string]string {
	repo, err := git.Open(s.root.Dir())
	if err != nil || repo.Dir() == filepath.Join(s.root.Dir(), ".git") {
		return nil
	}
	s.outside.Store(repo)
	files := map[string]string{}
	for _, p := range headFiles {
		files[filepath.Join(repo.Dir(), filepath.FromSlash(strings.TrimPrefix(p, ".git/")))] = p
	}
	return files
}

// readBeside reads the history in a goroutine of its own. The first read of the code waits for it at its end:
// reading 2,000 commits takes about half a second without a cache.
func (s *commitState) readBeside() *Stage {
	read := NewStage()
	started := s.Go(func() {
		defer s.tellCode() // what was not waited for may say more of entries
		defer read.End(nil)
		s.read(s.ctx)
	})
	if !started {
		read.End(ErrClosed)
	}
	return read
}

// read reads git's history of the files. Without git, without a repository, or in an untrusted folder, the
// ranking has no history.
func (s *commitState) read(ctx context.Context) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if !s.trusted() {
		return
	}
	repo, err := git.Open(s.root.Dir())
	if err != nil {
		if !errors.Is(err, git.ErrNone) {
			s.opts.Log.Info("git history is not used for ranking", "reason", err)
		}
		return
	}
	before := s.View().code.History()
	if before == nil {
		before = history.Kept(s.opts.Cache, s.shared)
	}
	past, err := history.Read(ctx, repo, history.Options{Before: before, Progress: s.set})
	if err != nil {
		if ctx.Err() == nil {
			s.opts.Log.Info("git history is not used for ranking", "reason", err)
		}
		return
	}
	if !s.trusted() { // any more
		return
	}
	files := s.files.Load()
	if files == nil || past != before {
		files, s.dated = history.NewPast(repo, past), nil
		s.files.Store(files) // first: a new map asks it
	}
	s.dateEntries(ctx, files)
	s.set(past)
	if past != before && past.Partial() == "" {
		if err := past.Keep(s.opts.Cache, s.shared); err != nil {
			s.opts.Log.Debug("history cache not written", "err", err)
		}
	}
}

// dateAgain is dateEntries of a tree that was read after the history.
func (s *commitState) dateAgain() {
	s.reading.Lock()
	defer s.reading.Unlock()
	if files := s.files.Load(); files != nil {
		s.dateEntries(s.ctx, files)
	}
}

// dateEntries asks git since when the entries that this machine did not change itself have their present
// content: their signals count from then. reading is held.
func (s *commitState) dateEntries(ctx context.Context, past *history.Past) {
	s.mu.Lock()
	store := s.store
	s.mu.Unlock()
	if store == nil {
		return
	}
	now := store.Snapshot()
	if now == s.dated {
		return
	}
	kept := history.KeptDates(s.opts.Cache, s.Root())
	var asks []history.Ask
	var asked, dating []*format.Entry
	for _, e := range now.Entries() {
		if _, exact := now.Changed(e.Path); exact || e.Role != format.RoleEntry {
			continue
		}
		if dating = append(dating, e); kept.Of[e.Path].Hash != e.Hash {
			asked = append(asked, e)
			asks = append(asks, history.Ask{Neighbour: tree.FromProject + e.Path, Saying: link.Saying(e)})
		}
	}
	var since []time.Time
	var err error
	if len(asks) > 0 { // otherwise git is not asked
		since, err = past.Since(ctx, asks)
	}
	if err != nil {
		s.opts.Log.Info("dates of entries were not read from git history", "reason", err)
		return
	}
	for i, e := range asked {
		kept.Of[e.Path] = history.Dated{Hash: e.Hash, At: max(0, since[i].Unix())}
	}
	if err := kept.Keep(len(asked)); err != nil {
		s.opts.Log.Debug("cache of dates", "err", err)
	}
	known := map[string]time.Time{}
	for _, e := range dating {
		if at := kept.Of[e.Path].At; at > 0 {
			known[e.Path] = time.Unix(at, 0).UTC()
		}
	}
	store.SetCommits(known)
	s.dated = store.Snapshot()
	s.home.adopt(store)
}

// set makes a history the present one.
func (s *commitState) set(past *history.History) {
	s.swap(func(v *View) *View { return withCode(v, v.code.WithHistory(past)) })
}

// forget drops git's data.
func (s *commitState) forget() {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.trusted() { // again
		return
	}
	s.files.Store(nil)
	s.set(nil)
	s.tellCode()
}
