package main

// This file alone knows how the project's map, ranking and pack are called.

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// ours is the project's map of one checkout.
type ours struct {
	dir   string // the checkout; git sees nothing there that is later than the base commit
	root  *jail.Root
	pool  *syntax.Pool
	code  *codebase.RepoMap
	links *link.Links
	git   *git.Repository
	past  *history.History

	noHistory bool

	store  *store.Store // nil: packs are made of code alone
	engine *retrieval.Retriever
	tree   *tree.Snapshot
	search retrieval.Search
}

// parseLimit is wide, so that what is found does not depend on how busy the machine is.
const parseLimit = time.Minute

// nothing is a context tree without entries: what is measured is code alone.
var nothing = tree.NewSnapshot(nil, nil)

// openOurs opens a checkout and maps nothing yet.
func openOurs(dir string) (*ours, error) {
	root, err := jail.Open(dir)
	if err != nil {
		return nil, err
	}
	repo, err := git.Open(dir)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &ours{dir: dir, git: repo, root: root, tree: nothing, pool: syntax.NewPool(syntax.Options{Timeout: parseLimit})}, nil
}

// learn reads the context tree of a folder; "" is none.
func (o *ours) learn(ctx context.Context, dir string) (err error) {
	if dir == "" {
		return nil
	}
	if o.store, err = store.Open(ctx, filepath.Join(dir, ".brv"), store.Options{}); err != nil {
		return err
	}
	o.tree = o.store.Snapshot()
	if o.engine, err = retrieval.New(retrieval.Options{}); err == nil {
		o.search, err = o.engine.Open(ctx, o.tree)
	}
	return err
}

// Close ends the parsers.
func (o *ours) Close() (err error) {
	o.pool.Close()
	if o.engine != nil {
		err = o.engine.Close()
	}
	if o.store != nil {
		err = errors.Join(err, o.store.Close())
	}
	return errors.Join(err, o.root.Close())
}

// scan maps the checkout for the first time, at a commit.
func (o *ours) scan(ctx context.Context, base string) error {
	m, err := codebase.Scan(ctx, o.root, codebase.Options{Parser: o.pool})
	if err != nil {
		return err
	}
	return o.follow(ctx, m, base)
}

// update brings the map to another commit, at which the changed paths differ.
func (o *ours) update(ctx context.Context, base string, changed []string) error {
	m, err := o.code.Update(ctx, changed)
	if err != nil {
		return err
	}
	return o.follow(ctx, m, base)
}

// follow takes a new map, of the base commit. No history later than that commit may be
// read: what came next is the answer.
func (o *ours) follow(ctx context.Context, m *codebase.RepoMap, base string) error {
	o.code = m
	if !o.noHistory {
		past, err := history.Read(ctx, o.git, history.Options{Head: base, Before: o.past})
		if err != nil {
			return err
		}
		o.past, o.code = past, m.WithHistory(past)
	}
	o.links = link.Build(o.tree, o.code)
	return nil
}

// rank orders the files for a task, best first.
func (o *ours) rank(task string) []string {
	return pathsOf(o.code.Rank(codebase.Query{Task: task, Offset: -1}))
}

// rankEditing does so while a file is open with the cursor at an offset, in bytes. The
// task may be empty.
func (o *ours) rankEditing(task, file string, offset int) []string {
	return pathsOf(o.code.Rank(codebase.Query{Task: task, File: file, Offset: offset}))
}

// rankHinted orders the files for a task while another file is known to be close to it.
func (o *ours) rankHinted(task, hint string) []string {
	return pathsOf(o.code.Rank(codebase.Query{Task: task, Offset: -1, Hints: []codebase.Hint{{Path: hint, Weight: 1}}}))
}

func pathsOf(ranked []codebase.Ranked) []string {
	out := make([]string, len(ranked))
	for i, r := range ranked {
		out[i] = r.Path
	}
	return out
}

// pack answers a task within a budget of tokens.
func (o *ours) pack(ctx context.Context, task string, budget int) (string, error) {
	p, err := pack.Build(ctx, pack.Inputs{
		Tree: o.tree, Code: o.code, Links: o.links, Count: tokens.Count, Estimate: tokens.Estimate,
		Search: func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
			if o.search == nil {
				return nil, nil
			}
			return retrieval.ForTask(ctx, o.search, o.tree, retrieval.Query{Text: text, Limit: limit}, pack.Certainty)
		},
	}, pack.Task{Text: task, Budget: budget})
	if errors.Is(err, pack.ErrBudget) {
		return "", nil
	}
	return p.Text, err
}

// late lists the files whose symbols a time limit cut short: with any, figures are not
// those of an idle machine.
func (o *ours) late() (out []string) {
	for _, c := range o.code.Chunks() {
		if strings.Contains(c.Partial, "too long") || strings.Contains(c.Partial, "in time") {
			out = append(out, c.Path+": "+c.Partial)
		}
	}
	return out
}
