package workspace

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Neighbour is another repository: a folder that the session has open, or that the user names. Its files are read, nothing of
// it is run, and git is not asked.
type Neighbour struct {
	Name string // of its folder, with that above where two have one name
	Code *codebase.RepoMap
}

// maxNeighbours bounds the repositories that one folder is compared with: an hour's reading of the largest is no answer.
const maxNeighbours = 32

// neighbours are the repositories that no workspace of the session has open.
type neighbours struct {
	*core
	pool   *syntax.Pool
	mu     sync.Mutex // guards the rest
	read   map[string]*neighbour
	places map[string]string // see place
}

func newNeighbours(c *core, pool *syntax.Pool) *neighbours {
	return &neighbours{core: c, pool: pool, read: map[string]*neighbour{}, places: map[string]string{}}
}

// neighbour is a repository as it was read last.
type neighbour struct {
	ready  *Stage // the first reading
	mu     sync.Mutex
	root   *jail.Root
	code   *codebase.RepoMap
	looked time.Time
}

// Neighbours returns the other repositories, as far as they are read before ctx ends; the rest are named.
func (w *Workspace) Neighbours(ctx context.Context) (read []Neighbour, unread []string) {
	dirs := slices.Clone(w.opts.Neighbours)
	open := map[string]*Workspace{}
	if w.opts.Peers != nil {
		for _, peer := range w.opts.Peers() {
			dirs = append(dirs, peer.Root())
			open[peer.Root()] = peer
		}
	}
	for i, dir := range dirs {
		dirs[i] = w.near.place(w, dir)
	}
	slices.Sort(dirs)
	dirs = slices.DeleteFunc(slices.Compact(dirs), func(dir string) bool { return dir == "" })
	var pending []*neighbour
	for _, dir := range FirstOf(dirs, maxNeighbours) {
		pending = append(pending, w.near.begin(dir, open[dir]))
	}
	for i, n := range pending {
		name := nameAmong(dirs, dirs[i])
		if code := w.near.now(ctx, n, open[dirs[i]]); code != nil {
			read = append(read, Neighbour{name, code})
		} else {
			unread = append(unread, name)
		}
	}
	for _, dir := range dirs[len(pending):] {
		unread = append(unread, nameAmong(dirs, dir))
	}
	return read, unread
}

// place is the folder that is compared for one that is named, "" for none. It is looked up once: hovers ask for it.
func (s *neighbours) place(w *Workspace, dir string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.places[dir]
	if !known {
		real, err := filepath.EvalSymlinks(dir)
		if at = dir; err == nil {
			at = real
		}
		if !filepath.IsAbs(dir) || SameRepository(w, at) {
			at = ""
		}
		s.places[dir] = at
	}
	return at
}

// SameRepository reports whether a folder is the one of a workspace, one around it or in it, or another working tree of it. Its path
// has no links.
func SameRepository(w *Workspace, dir string) bool {
	return Inside(dir, w.Root()) || Inside(w.Root(), dir) || git.Shared(dir) == w.shared
}

// Inside reports whether a file or folder lies in a folder, or is it.
func Inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// nameAmong names a folder by its last part, and that above it where another one ends alike.
func nameAmong(dirs []string, dir string) string {
	base := filepath.Base(dir)
	if slices.ContainsFunc(dirs, func(o string) bool { return o != dir && strings.EqualFold(filepath.Base(o), base) }) {
		return filepath.Base(filepath.Dir(dir)) + "/" + base
	}
	return base
}

// begin starts the reading of a folder that is not open, once.
func (s *neighbours) begin(dir string, open *Workspace) *neighbour {
	if open != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.read[dir]
	if n == nil {
		n = &neighbour{ready: NewStage()}
		s.read[dir] = n
		if !s.Go(func() { n.open(s, dir) }) {
			n.ready.End(ErrClosed)
		}
	}
	return n
}

// open reads a folder for the first time.
func (n *neighbour) open(s *neighbours, dir string) {
	defer n.ready.End(nil)
	root, err := jail.Open(dir)
	if err == nil {
		n.root, n.looked = root, s.opts.Now()
		n.code, err = codebase.Scan(s.ctx, root, codebase.Options{
			Parser: s.pool, Cache: s.opts.Cache, Now: s.opts.Now, Repository: git.Shared(dir),
		})
	}
	if err == nil {
		err = n.code.Save()
	}
	if err != nil && s.ctx.Err() == nil {
		s.opts.Log.Warn("another repository was not read", "folder", dir, "err", err)
	}
}

// now is the code of a neighbour; nil if it is not known yet. What changed there is read again, at most once in [lookEvery].
func (s *neighbours) now(ctx context.Context, n *neighbour, open *Workspace) *codebase.RepoMap {
	if open != nil {
		if open.WaitCode(ctx) != nil {
			return nil
		}
		return open.View().Code()
	}
	if n.ready.Wait(ctx) != nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := s.opts.Now(); n.code != nil && now.Sub(n.looked) >= lookEvery {
		if code, err := n.code.Update(ctx, []string{"."}); err == nil {
			n.code, n.looked = code, now
		}
	}
	return n.code
}

func (s *neighbours) close() {
	for _, n := range s.read {
		if n.root != nil {
			n.root.Close()
		}
	}
}
