package history

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/internal/lru"
)

// NewPast returns the past of a repository's folder. h may be nil; with it, files of side
// branches are found, and commits are counted.
func NewPast(repo *git.Repository, h *History) *Past {
	p := &Past{
		repo: repo, history: h, texts: lru.New[string, string](keptTexts),
		ends: lru.New[string, map[string][]string](keptTrees), holding: lru.New[string, []string](keptTexts),
	}
	p.forget()
	return p
}

func (p *Past) forget() {
	p.objects = map[git.Place]git.Object{}
	p.arrivals, p.origins, p.changed = map[string]string{}, map[string]string{}, map[string]bool{}
	p.fates, p.births = map[git.Place]Event{}, map[git.Place]Event{}
	p.changes, p.statements = map[string][]change{}, map[string]string{}
}

// At answers the questions, in their order, with as few runs of git as possible. The error is git's; the
// versions have the answers found before it.
func (p *Past) At(ctx context.Context, asks []Ask) ([]Version, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]Version, len(asks))
	if err := p.refresh(ctx); err != nil || len(p.line) == 0 {
		return out, err
	}
	l := &lookup{past: p, ctx: ctx, asks: asks, out: out}
	for _, step := range []func() error{l.states, l.elsewhere, l.ends, l.backward, l.forward, l.texts} {
		if err := step(); err != nil {
			return out, err
		}
	}
	for i := range out {
		if out[i].There {
			out[i].Commits = p.history.changesSince(cmp.Or(out[i].Now, asks[i].Path), out[i].State.Time)
		}
	}
	return out, nil
}

// Since returns, for each question, the time of the commit since which the neighbouring file has its content
// of HEAD, zero if unknown.
func (p *Past) Since(ctx context.Context, asks []Ask) ([]time.Time, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]time.Time, len(asks))
	if err := p.refresh(ctx); err != nil || len(p.line) == 0 {
		return out, err
	}
	states, err := p.states(ctx, asks)
	for i, at := range states {
		if at.Hash != "" {
			out[i] = time.Unix(at.Time, 0).UTC()
		}
	}
	return out, err
}

// Naming returns the files that contained one of some words as a whole word at a moment, at most limit of
// them, with their state. It finds none before a commit that changed only documents, since that commit
// removed no name.
func (p *Past) Naming(ctx context.Context, a Ask, words []string, limit int) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refresh(ctx); err != nil || len(p.line) == 0 {
		return nil, err
	}
	states, err := p.states(ctx, []Ask{a})
	if err != nil || states[0].Hash == "" {
		return nil, err
	}
	if a.Before {
		a.Before = false
		at, err := p.states(ctx, []Ask{a})
		if err != nil || p.history.leftCodeAlone(at[0]) {
			return nil, err
		}
	}
	state := states[0]
	key := fmt.Sprintf("%s %q %d", state.Hash, words, limit)
	if files, known := p.holding.Get(key); known {
		return files, nil
	}
	files, ok, err := p.expected.naming(ctx, p.repo, state.Hash, words, limit)
	if err == nil && !ok {
		files, err = p.repo.Grep(ctx, state.Hash, words, limit)
	}
	if err == nil {
		p.holding.Add(key, files, 1)
	}
	return files, err
}

// Expect announces the words for the next calls of [Past.Naming], for many moments: each text is then read
// once for all of them, instead of one request to git each. Other words are found as well.
func (p *Past) Expect(words []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = newExpected(words)
}

// leftCodeAlone reports whether a commit of the history changed documents only.
func (h *History) leftCodeAlone(m git.Moment) bool {
	if h == nil {
		return false
	}
	for i, t := range h.commits.times {
		if t == m.Time && h.Hash(i) == m.Hash {
			return !slices.ContainsFunc(h.Files(i), func(f string) bool { return syntax.LanguageOf(f) != "" })
		}
	}
	return false
}

// refresh reads the line again if HEAD moved.
func (p *Past) refresh(ctx context.Context) error {
	head, err := p.repo.Head()
	if err != nil || head == p.head {
		return err
	}
	if head == "" {
		p.head, p.line = "", nil
		return nil
	}
	line, err := p.repo.Mainline(ctx, head, maxLine)
	if err != nil {
		return err
	}
	p.head, p.line, p.index = head, line, make(map[string]int, len(line))
	for i, m := range line {
		p.index[m.Hash] = i
	}
	p.forget()
	return nil
}

// Changes counts the commits that changed a file; 0 for a nil history.
func (h *History) Changes(path string) int { return h.changesSince(path, math.MinInt64) }

// changesSince counts the commits that changed a file later than a moment.
func (h *History) changesSince(path string, since int64) (n int) {
	if h == nil {
		return 0
	}
	x := h.index()
	id, ok := x.ids[path]
	if !ok {
		return 0
	}
	from, to := span(x.fileEnd, int(id))
	for _, commit := range x.ofFile[from:to] {
		if h.commits.times[commit] > since {
			n++
		}
	}
	return n
}

// newestBefore returns the newest commit that changed a file not later than a moment.
func (h *History) newestBefore(path string, moment int64) (git.Moment, bool) {
	if h == nil {
		return git.Moment{}, false
	}
	x := h.index()
	id, ok := x.ids[path]
	if !ok {
		return git.Moment{}, false
	}
	from, to := span(x.fileEnd, int(id))
	for _, commit := range x.ofFile[from:to] { // newest first
		if t := h.commits.times[commit]; t <= moment {
			return git.Moment{Hash: h.Hash(int(commit)), Time: t}, true
		}
	}
	return git.Moment{}, false
}

// Past returns the files of a folder as they were at a moment, and their later history. It is safe for
// concurrent use, and caches what it reads: contents and renames never change, and the states of the branch
// are read again when HEAD moves.
//
// A moment means the state of the newest commit of HEAD's first-parent line whose committer's time is
// not later. A file that is missing in that state is looked for in the newest commit of any branch that
// changed it before, as far as the [History] has it.
//
// Limits: a shallow clone has no moment before its oldest commit. Work that was on another branch, or not
// committed at the moment, is seen only by [Ask.Neighbour]. Rebased and squashed commits have the time at
// which they were made anew, and a committer's clock may be wrong. Renames are git's: half of the text is the
// same, within one commit of the line (a merge is one commit). Files above [MaxText] have no text.
type Past struct {
	repo    *git.Repository
	history *History // nil: none

	mu         sync.Mutex // held while git is asked, so that two requests are not for the same data
	head       string
	line       []git.Moment                            // the first-parent line, newest first
	index      map[string]int                          // of hashes in line
	texts      *lru.Cache[string, string]              // contents by hash
	ends       *lru.Cache[string, map[string][]string] // by commit: file name → paths
	holding    *lru.Cache[string, []string]            // results of Naming
	expected   *expected
	objects    map[git.Place]git.Object
	arrivals   map[string]string   // by commit, NUL and former path: the path it was moved to
	origins    map[string]string   // by commit, NUL and path: the former one
	changed    map[string]bool     // commits that are in arrivals and origins
	fates      map[git.Place]Event // by path and state: the next removal of it after the state
	births     map[git.Place]Event // by path and state: what made it after the state
	changes    map[string][]change // by path: what became of it in the line, newest first
	statements map[string]string   // what entries said, by the hashes of their contents
}
