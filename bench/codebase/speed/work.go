package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/bench/sources"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// packBudget is the budget of a pack in tokens.
const packBudget = 4000

// nothing is a context tree without entries: what is measured is code alone.
var nothing = tree.NewSnapshot(nil, nil)

// ask measures the answers to all queries: files ranked and selected, and, each query
// asked anew, files ranked and packed. With the same file open, ranking looks at its
// neighbours too.
func ask(ctx context.Context, j job, m *codebase.RepoMap, s *size) error {
	queries := j.Queries
	if len(queries) == 0 {
		queries = namesOf(m, j.Asked)
	}
	tokens.Count("loads the vocabulary")
	m.Rank(codebase.Query{Task: "makes the index of names"})
	open := m.Chunks()[len(m.Chunks())/2].Path
	in := inputs(m)
	other := codebase.Query{Task: "forget the last query"}
	for _, text := range queries {
		q := codebase.Query{Task: text}
		s.Rank.took(func() error { m.Rank(q); return nil })
		m.RankSymbols(other, open) // the last query is remembered
		s.Select.took(func() error {
			m.Order(codebase.SelectRequest{Query: q, IncludeTypes: true})
			return nil
		})
		m.RankSymbols(other, open)
		if err := s.Pack.took(func() error {
			_, err := pack.Build(ctx, in, pack.Task{Text: text, Budget: packBudget})
			return err
		}); err != nil {
			return err
		}
		s.Open.took(func() error {
			m.Rank(codebase.Query{Task: text, File: open, Offset: 100})
			return nil
		})
	}
	return nil
}

func inputs(m *codebase.RepoMap) pack.Inputs {
	return pack.Inputs{
		Tree: nothing, Code: m, Links: link.Build(nothing, m), Count: tokens.Count, Estimate: tokens.Estimate,
		Search: func(context.Context, string, int) ([]retrieval.Hit, error) { return nil, nil },
	}
}

// namesOf makes queries of what files are called and define.
func namesOf(m *codebase.RepoMap, n int) []string {
	var out []string
	for _, c := range spread(m.Chunks(), n) {
		words := []string{strings.TrimSuffix(path.Base(c.Path), path.Ext(c.Path))}
		for _, symbol := range spread(c.Symbols(), 3) {
			words = append(words, symbol.Name)
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// edit measures how long the map takes to follow one changed file: at first a comment
// more, which moves no import, then a name more, which may move those of others.
func edit(ctx context.Context, j job, m *codebase.RepoMap, s *size) (*codebase.RepoMap, error) {
	change := func(p, text string, into *kind) error {
		if err := appendTo(filepath.Join(j.Root, filepath.FromSlash(p)), text); err != nil {
			return err
		}
		return into.tookWithChildren(func() (err error) {
			m, err = m.Update(ctx, []string{p})
			return err
		})
	}
	files := spread(m.Chunks(), j.Edits)
	if len(files) == 0 {
		return m, nil
	}
	// A worker loads a language with its first file of it: once for each program.
	loaded := map[syntax.Language]bool{}
	for _, c := range files {
		if loaded[c.Language] {
			continue
		}
		loaded[c.Language] = true
		if err := change(c.Path, sources.Comment(c.Path, "first"), &s.Load); err != nil {
			return m, err
		}
	}
	for i, c := range files {
		if err := change(c.Path, sources.Comment(c.Path, fmt.Sprint("edit ", i)), &s.Edit); err != nil {
			return m, err
		}
		text := sources.Definition(c.Path, i)
		if text == "" {
			continue
		}
		if err := change(c.Path, text, &s.Define); err != nil {
			return m, err
		}
	}
	return m, nil
}

func appendTo(name, text string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(old, text...), 0o666)
}

// kind is one kind of answer. Durations are in milliseconds.
type kind struct {
	N     int     `json:"n"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	CPU50 float64 `json:"cpu_p50"`
	CPU95 float64 `json:"cpu_p95"`

	Walls []float64 `json:"all,omitempty"`
	CPUs  []float64 `json:"all_cpu,omitempty"`
}

func (k *kind) took(work func() error) error { return k.add(process.Timed(work)) }

func (k *kind) tookWithChildren(work func() error) error {
	return k.add(process.TimedWithChildren(work))
}

func (k *kind) add(used process.Spent, err error) error {
	k.N++
	k.Walls, k.CPUs = append(k.Walls, used.Wall), append(k.CPUs, used.CPU)
	return err
}

// finish computes the percentiles.
func (k *kind) finish() {
	k.P50, k.P95 = process.Percentile(k.Walls, .5), process.Percentile(k.Walls, .95)
	k.CPU50, k.CPU95 = process.Percentile(k.CPUs, .5), process.Percentile(k.CPUs, .95)
	k.Walls, k.CPUs = nil, nil
}
