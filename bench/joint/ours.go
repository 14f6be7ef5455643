package main

// This file alone knows how the project's map, search and pack are called.

import (
	"context"
	"errors"
	"fmt"
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

// parseLimit is wide, so that what is found does not depend on how busy the machine is.
const parseLimit = time.Minute

// now is the moment of all packs: what is stale must not change with the day of a run.
var now = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// ours is a checkout as a workspace reads it, wired here step by step, because a workspace
// answers before it knows everything and what is measured must not depend on how far it is.
type ours struct {
	root   *jail.Root
	pool   *syntax.Pool
	engine *retrieval.Retriever
	store  *store.Store
	tree   *tree.Snapshot
	code   *codebase.RepoMap
	search retrieval.Search
	made   map[parts]pack.Inputs
}

func openOurs(ctx context.Context, dir string) (*ours, error) {
	o := &ours{pool: syntax.NewPool(syntax.Options{Timeout: parseLimit}), made: map[parts]pack.Inputs{}}
	if err := o.open(ctx, dir); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

func (o *ours) open(ctx context.Context, dir string) (err error) {
	if o.root, err = jail.Open(dir); err != nil {
		return err
	}
	if o.store, err = store.Open(ctx, filepath.Join(dir, ".brv"), store.Options{Now: clock}); err != nil {
		return err
	}
	o.tree = o.store.Snapshot()
	if o.engine, err = retrieval.New(retrieval.Options{}); err != nil {
		return err
	}
	if o.search, err = o.engine.Open(ctx, o.tree); err != nil {
		return err
	}
	if o.code, err = codebase.Scan(ctx, o.root, codebase.Options{Parser: o.pool}); err != nil {
		return err
	}
	repo, err := git.Open(dir)
	if err != nil {
		return err
	}
	past, err := history.Read(ctx, repo, history.Options{})
	o.code = o.code.WithHistory(past)
	return err
}

func clock() time.Time { return now }

// Close gives everything back.
func (o *ours) Close() (err error) {
	o.pool.Close()
	if o.engine != nil {
		err = o.engine.Close()
	}
	if o.store != nil {
		err = errors.Join(err, o.store.Close())
	}
	if o.root != nil {
		err = errors.Join(err, o.root.Close())
	}
	return err
}

// parts selects the sources of a pack.
type parts struct {
	knowledge, code bool      // what it knows
	only            pack.Kind // what of this is shown; "" is all
}

// inputs leave out what a pack is not to know.
func (o *ours) inputs(p parts) pack.Inputs {
	p.only = ""
	if in, ok := o.made[p]; ok {
		return in
	}
	in := pack.Inputs{
		Tree: tree.NewSnapshot(nil, nil), Code: codebase.Empty(), Now: now, Count: tokens.Count, Estimate: tokens.Estimate,
		Search: func(context.Context, string, int) ([]retrieval.Hit, error) { return nil, nil },
	}
	if p.knowledge {
		in.Tree = o.tree
		in.Search = func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
			return retrieval.ForTask(ctx, o.search, o.tree, retrieval.Query{Text: text, Limit: limit, Now: now}, pack.Certainty)
		}
	}
	if p.code {
		in.Code = o.code
	}
	in.Links = link.Build(in.Tree, in.Code)
	o.made[p] = in
	return in
}

// pack answers a task. A budget too small for anything gives nothing.
func (o *ours) pack(ctx context.Context, t task, p parts, budget int) (pack.Pack, error) {
	offset, err := o.offset(t)
	if err != nil {
		return pack.Pack{}, err
	}
	what := pack.Task{Text: t.Text, Budget: budget, File: t.Open, Offset: offset}
	if p.only != "" {
		what.Kinds = []pack.Kind{p.only}
	}
	made, err := pack.Build(ctx, o.inputs(p), what)
	if errors.Is(err, pack.ErrBudget) {
		return pack.Pack{}, nil
	}
	if err != nil {
		return made, err
	}
	return made, verify(made, p, budget)
}

// errKinds says that a pack shows what was not asked for.
var errKinds = errors.New("a pack does not keep to one kind")

// verify checks what a pack says of itself.
func verify(p pack.Pack, asked parts, budget int) error {
	if n := tokens.Count(p.Text); n != p.Tokens || n > budget {
		return fmt.Errorf("a pack for %d tokens says that it has %d and has %d", budget, p.Tokens, n)
	}
	for _, i := range p.Items {
		if !strings.Contains(p.Text, i.Path) {
			return fmt.Errorf("%s is an item and does not stand in the text", i.Path)
		}
		if asked.only != "" && i.Kind != asked.only {
			return fmt.Errorf("%w: asked for %s alone, it shows %s", errKinds, asked.only, i.Path)
		}
	}
	return nil
}

// offset is where a task's line begins, in bytes; negative if it is not known.
func (o *ours) offset(t task) (int, error) {
	if t.Line == 0 {
		return -1, nil
	}
	text, err := o.code.Read(t.Open)
	if err != nil {
		return 0, err
	}
	lines := strings.SplitAfter(text, "\n")
	if t.Line > len(lines) {
		return 0, fmt.Errorf("%s has no line %d", t.Open, t.Line)
	}
	return len(strings.Join(lines[:t.Line-1], "")), nil
}
