package main

// This file alone knows how the project's map and ranking are called.

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/bm25"
	"github.com/brv-lsp/brv-lsp/bench/mirror"
	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/history"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// parseLimit is wide, so that what is found does not depend on how busy the machine is.
const parseLimit = time.Minute

// The engines that are measured here.
const (
	plain     = "BM25 over files"
	noHistory = "brv-lsp, no history"
	whole     = "brv-lsp"
)

var engines = []string{whole, noHistory, plain}

// measured is one repository with what was found for its questions.
type measured struct {
	project
	files   int
	answers []answer // by question
}

// answer is the engines' result for one question.
type answer struct {
	Repo     string           `json:"repo"`
	Question int              `json:"question"` // from 1, as in the annotations
	Category string           `json:"category"`
	Relevant int              `json:"relevant"`
	Ranks    map[string][]int `json:"ranks"` // by engine
	CPU      float64          `json:"cpu_ms"`

	best map[string][]string // the first files, by engine
}

// score is the NDCG@10 of one engine.
func (a answer) score(engine string) float64 { return ndcg(a.Ranks[engine], a.Relevant) }

// measure ranks the files of a repository for each of its questions.
func measure(ctx context.Context, repos string, p project) (m measured, err error) {
	m.project = p
	gitDir, err := mirror.GitDir(repos, p.repo())
	if err != nil {
		return m, err
	}
	dir, err := os.MkdirTemp("", "brv-bench-semble-")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := mirror.Checkout(ctx, gitDir, p.Revision, p.Root, dir); err != nil {
		return m, err
	}
	root, err := jail.Open(filepath.Join(dir, filepath.FromSlash(p.Root)))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	pool := syntax.NewPool(syntax.Options{Timeout: parseLimit})
	defer pool.Close()
	code, err := codebase.Scan(ctx, root, codebase.Options{Parser: pool})
	if err != nil {
		return m, err
	}
	repo, err := git.Open(root.Dir())
	if err != nil {
		return m, err
	}
	past, err := history.Read(ctx, repo, history.Options{})
	if err != nil {
		return m, err
	}
	m.files = len(code.Chunks())
	return m, m.ask(code, code.WithHistory(past))
}

// ask puts the questions to a map with and without history, and to the yardstick.
func (m *measured) ask(code, withHistory *codebase.RepoMap) error {
	var words bm25.Index
	if err := words.Update(code); err != nil {
		return err
	}
	withHistory.Rank(codebase.Query{Task: "warm up", Offset: -1}) // indexes are built when first asked for
	for i, q := range m.questions {
		a := answer{Repo: m.Name, Question: i + 1, Category: q.Category, Relevant: len(q.targets()),
			Ranks: map[string][]int{}, best: map[string][]string{}}
		rankings := map[string][]string{plain: words.Rank(q.Query), noHistory: rank(code, q.Query)}
		spent, _ := process.Timed(func() error {
			rankings[whole] = rank(withHistory, q.Query)
			return nil
		})
		a.CPU = spent.CPU
		for engine, ranking := range rankings {
			ranking = ranking[:min(depth, len(ranking))]
			for n, p := range ranking {
				ranking[n] = path.Join(m.Root, p)
			}
			a.Ranks[engine], a.best[engine] = ranksOf(ranking, q.targets()), ranking
		}
		m.answers = append(m.answers, a)
	}
	return nil
}

// rank orders the files for a question, best first, as "brv-lsp map --task" does.
func rank(code *codebase.RepoMap, task string) (paths []string) {
	for _, r := range code.Rank(codebase.Query{Task: task, Offset: -1}) {
		paths = append(paths, r.Path)
	}
	return paths
}
