package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// now is the moment of all drafts: they must not change with the day of a run.
var now = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// project is a repository beside a copy of a tree.
type project struct {
	root   *jail.Root
	pool   *syntax.Pool
	code   *codebase.RepoMap
	repo   *git.Repository
	store  *store.Store
	engine *retrieval.Retriever
	links  *link.Links // of the tree that was drafted on last
	temp   string
}

func openProject(ctx context.Context, o options) (p *project, err error) {
	p = &project{}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if p.root, err = jail.Open(o.repo); err != nil {
		return p, err
	}
	p.pool = syntax.NewPool(syntax.Options{Timeout: time.Minute})
	if p.code, err = codebase.Scan(ctx, p.root, codebase.Options{Parser: p.pool, Now: clock}); err != nil {
		return p, err
	}
	if p.repo, err = git.Open(o.repo); err != nil {
		return p, err
	}
	brv := filepath.Join(o.tree, ".brv")
	if !o.make {
		if p.temp, err = os.MkdirTemp("", "brv-curate-"); err != nil {
			return p, err
		}
		if err = os.CopyFS(filepath.Join(p.temp, ".brv"), os.DirFS(brv)); err != nil {
			return p, err
		}
		brv = filepath.Join(p.temp, ".brv")
	} else if err = os.MkdirAll(filepath.Join(brv, tree.Dir), 0o777); err != nil {
		return p, err
	}
	if p.store, err = store.Open(ctx, brv, store.Options{Now: clock}); err != nil {
		return p, err
	}
	p.engine, err = retrieval.New(retrieval.Options{})
	return p, err
}

// Close gives everything back.
func (p *project) Close() (err error) {
	if p.engine != nil {
		err = p.engine.Close()
	}
	if p.store != nil {
		err = errors.Join(err, p.store.Close())
	}
	if p.pool != nil {
		p.pool.Close()
	}
	if p.root != nil {
		err = errors.Join(err, p.root.Close())
	}
	if p.temp != "" {
		err = errors.Join(err, os.RemoveAll(p.temp))
	}
	return err
}

// propose drafts material on the tree as it is.
func (p *project) propose(ctx context.Context, m curate.Material) (curate.Proposal, error) {
	return p.proposeOn(ctx, p.store.Snapshot(), p.store.Apply, m)
}

// proposeOn drafts material on another tree; without a dry run where try is nil.
func (p *project) proposeOn(ctx context.Context, snap *tree.Snapshot, try func(context.Context, plan.Batch) (*plan.Report, error),
	m curate.Material) (curate.Proposal, error) {
	search, err := p.engine.Open(ctx, snap)
	if err != nil {
		return curate.Proposal{}, err
	}
	if p.links == nil {
		p.links = link.Build(snap, p.code)
	} else {
		p.links = p.links.Update(snap, p.code)
	}
	links := func(context.Context) (*link.Links, error) { return p.links, nil }
	return curate.Propose(ctx, curate.Project{Tree: snap, Search: search, Code: p.code, Links: links, Try: try, Now: now}, m)
}

// apply does what was proposed, without waiting for anyone.
func (p *project) apply(ctx context.Context, made curate.Proposal) error {
	if len(made.Ops) == 0 {
		return nil
	}
	report, err := p.store.Apply(ctx, plan.Batch{Ops: made.Ops, Hold: plan.HoldNone, Author: "bench"})
	if err != nil {
		return err
	}
	if report.Summary.Failed > 0 {
		return fmt.Errorf("what was proposed fails: %+v", report.Results)
	}
	_, err = p.store.Refresh(ctx)
	return err
}

// makeTree drafts the documents of the repository and does what is proposed.
func (p *project) makeTree(ctx context.Context) error {
	head, err := p.repo.Head()
	if err != nil {
		return err
	}
	files, err := p.repo.Files(ctx, head, 100_000)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !isDocument(f) {
			continue
		}
		text, err := p.root.ReadFile(f, 1<<20)
		if err != nil {
			return err
		}
		made, err := p.propose(
			ctx, curate.Material{Sources: []curate.Source{{Path: f, Kind: curate.KindMarkdown, Text: string(text)}}, AnyTopic: true})
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		for _, op := range made.Ops {
			fmt.Printf("%-44s %-6s %s | %s\n", f, op.Type, op.Path, op.Title)
		}
		for _, n := range made.Notes {
			fmt.Println("   note:", n)
		}
		if err := p.apply(ctx, made); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
	return nil
}

// isDocument tells what a tree is made of: see the command's documentation.
func isDocument(f string) bool {
	stem := strings.ToLower(strings.TrimSuffix(path.Base(f), path.Ext(f)))
	if path.Ext(f) != ".md" || strings.HasPrefix(stem, "change") || stem == "license" || stem == "conduct" || stem == "security" {
		return false
	}
	if stem == "readme" && path.Dir(f) == "." {
		return true
	}
	for folder := range strings.SplitSeq(path.Dir(f), "/") {
		switch folder {
		case "docs", "doc", "documentation", "content":
			return true
		}
	}
	return false
}
