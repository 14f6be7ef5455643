package workspace

import (
	"context"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Reasons holds messages of commits that say why, as entries, and the search in them.
type Reasons struct {
	Tree   *tree.Snapshot
	Search retrieval.Search
}

// reasonState keeps the reasons of the history read last.
type reasonState struct {
	*core
	mu     sync.Mutex // guards head and made
	head   string     // the commit that they were read at
	made   *lazy[Reasons]
	engine *retrieval.Retriever // set once
}

func newReasons(c *core) (*reasonState, error) {
	engine, err := retrieval.New(retrieval.Options{Cache: c.opts.Cache, Root: c.shared, Kind: "commits"})
	return &reasonState{core: c, engine: engine}, err
}

// ReasonsOf returns what the commits of a view's history give as reasons; none where git's history is not known. ctx bounds
// the wait.
func ReasonsOf(ctx context.Context, v *View) (Reasons, error) {
	h, s := v.Code().History(), v.ws.reasons
	if h == nil || h.Head() == "" { // no commit yet
		return Reasons{}, nil
	}
	s.mu.Lock()
	if s.made == nil || s.head != h.Head() {
		s.head, s.made = h.Head(), &lazy[Reasons]{}
	}
	made := s.made
	s.mu.Unlock()
	return made.get(ctx, s.core, func() (Reasons, error) { return s.produce(h) })
}

func (s *reasonState) produce(h *history.History) (r Reasons, err error) {
	repo, err := git.Open(s.root.Dir())
	if err != nil {
		return r, err
	}
	all, err := history.Reasons(s.ctx, repo, h, s.opts.Cache, s.shared)
	if err != nil {
		return r, err
	}
	entries := map[string]*format.Entry{}
	for _, reason := range all {
		e := documents.CommitEntry(reason.Hash, reason.Subject, reason.Text, reason.Time, reason.Files)
		entries[e.Path] = e
	}
	r.Tree = tree.NewSnapshot(nil, nil).Update(entries)
	r.Search, err = s.engine.Open(s.ctx, r.Tree)
	return r, err
}
