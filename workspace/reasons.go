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

// Reasons are the messages of commits that say why, as entries, and the search in them.
type Reasons struct {
	Tree   *tree.Snapshot
	Search retrieval.Search
}

// reasonState keeps the reasons of the history read last. Nothing of them is written.
type reasonState struct {
	*core
	mu     sync.Mutex // guards the rest
	engine *retrieval.Retriever
	of     *history.History
	made   *lazy[Reasons]
}

// ReasonsOf returns what the commits of a view's history give as reasons; none where git's history is not known. ctx bounds
// the wait.
func ReasonsOf(ctx context.Context, v *View) (Reasons, error) {
	h, s := v.Code().History(), v.ws.reasons
	if h == nil {
		return Reasons{}, nil
	}
	s.mu.Lock()
	if s.of == nil || s.of.Head() != h.Head() {
		s.of, s.made = h, &lazy[Reasons]{}
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
	all, err := history.Reasons(s.ctx, repo, h)
	if err != nil {
		return r, err
	}
	entries := map[string]*format.Entry{}
	for _, reason := range all {
		e := documents.CommitEntry(reason.Hash, reason.Subject, reason.Text, reason.Time, reason.Files)
		entries[e.Path] = e
	}
	r.Tree = tree.NewSnapshot(nil, nil).Update(entries)
	s.mu.Lock()
	if s.engine == nil {
		s.engine, err = retrieval.New(retrieval.Options{Cache: s.opts.Cache, Root: s.root.Dir(), Kind: "commits"})
	}
	engine := s.engine
	s.mu.Unlock()
	if err != nil {
		return r, err
	}
	r.Search, err = engine.Open(s.ctx, r.Tree)
	return r, err
}

func (s *reasonState) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine != nil {
		s.engine.Close()
	}
}
