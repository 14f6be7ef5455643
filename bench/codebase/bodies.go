package main

// What the chance of an excerpt is made of, for fitting it (see the folder fit): the
// signals of all excerpts of the best files, and which of them a change touched.

import (
	"context"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// excerpted is one task with the excerpts of its best files; a line of a bodies file.
type excerpted struct {
	ID       string    `json:"id"`
	Repo     string    `json:"repo"`
	Golds    int       `json:"golds"` // gold files
	Files    []scored  `json:"files"` // best first
	Excerpts []excerpt `json:"excerpts"`
	Changes  []held    `json:"changes"` // of the gold files
}

// held is one change of the commit, a run of lines, with the excerpts that hold some of it.
type held struct {
	Path  string          `json:"path"`
	Lines [2]int          `json:"lines"`
	In    map[int]float64 `json:"in"` // the share of its lines, by excerpt
}

// scored is a file with its score; its place is its rank.
type scored struct {
	Gold  bool    `json:"gold,omitempty"`
	Score float64 `json:"score"`
}

// excerpt is one excerpt that a pack could show of a file.
type excerpt struct {
	File    int       `json:"f"`
	Tokens  int       `json:"t"` // estimated
	Changed bool      `json:"y,omitempty"`
	Values  []float32 `json:"v"` // by codebase.ExcerptSignal
}

// bodyFiles is how many of the best files have their excerpts kept: a pack of 8,192
// tokens seldom shows more.
const bodyFiles = 40

// bodies gathers the excerpts of one instance.
func (b *bench) bodies(ctx context.Context, i instance) (excerpted, error) {
	e := excerpted{ID: i.ID, Repo: i.Repo, Golds: len(i.Files)}
	var rec record
	if err := b.moveTo(ctx, i.BaseCommit, &rec); err != nil {
		return e, err
	}
	q := codebase.Query{Task: i.Query, Offset: -1}
	seen := map[string]bool{}
	for _, r := range b.ours.code.Rank(q) {
		c, _ := b.ours.code.Chunk(r.Path)
		if c.Type == codebase.Test {
			continue
		}
		if len(e.Files) == bodyFiles {
			break
		}
		seen[r.Path] = true
		if err := b.excerpts(&e, i, q, r); err != nil {
			return e, err
		}
	}
	for _, p := range i.Files {
		if !seen[p] {
			for _, l := range i.BaseLines[p] {
				e.Changes = append(e.Changes, held{p, l, nil})
			}
		}
	}
	return e, nil
}

// excerpts adds one file.
func (b *bench) excerpts(e *excerpted, i instance, q codebase.Query, r codebase.Ranked) error {
	at := len(e.Files)
	isGold := slices.Contains(i.Files, r.Path)
	e.Files = append(e.Files, scored{isGold, r.Score})
	text, err := b.ours.code.Read(r.Path)
	if err != nil {
		return err
	}
	first := len(e.Excerpts)
	changed := i.BaseLines[r.Path]
	var spans []span
	for _, x := range b.ours.code.Excerpts(b.ours.code.RankSymbols(q, r.Path), q, r.Path, text, at, r.Score) {
		lines := span{1 + strings.Count(text[:x.Span.Start], "\n"), strings.Count(text[:x.Span.End], "\n")} // with blank ones
		spans = append(spans, lines)
		out := excerpt{File: at, Tokens: tokens.Estimate(text[x.Span.Start:x.Span.End])}
		out.Changed = slices.ContainsFunc(changed, func(l [2]int) bool { return l[0] <= lines[1] && lines[0] <= l[1] })
		for _, v := range x.Signals {
			out.Values = append(out.Values, float32(v))
		}
		e.Excerpts = append(e.Excerpts, out)
	}
	if !isGold {
		return nil
	}
	for _, l := range changed {
		h := held{r.Path, l, map[int]float64{}}
		for n, s := range spans {
			if from, to := max(l[0], s[0]), min(l[1], s[1]); from <= to {
				h.In[first+n] = float64(to-from+1) / float64(l[1]-l[0]+1)
			}
		}
		e.Changes = append(e.Changes, h)
	}
	return nil
}
