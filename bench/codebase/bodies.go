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
	Needs    [][]int   `json:"needs"` // of each gold body, the excerpts with its changes; null if a file is not among the best
}

// scored is a file with its score; its place is its rank.
type scored struct {
	Gold  bool    `json:"gold,omitempty"`
	Score float64 `json:"score"`
}

// excerpt is what could be shown of a file.
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
			g, err := goldOf(b.ours.code, p, i.BaseLines[p])
			if err != nil {
				return e, err
			}
			for range g.functions {
				e.Needs = append(e.Needs, nil)
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
	g, err := goldOf(b.ours.code, r.Path, changed)
	if err != nil {
		return err
	}
	for _, body := range g.functions {
		e.Needs = append(e.Needs, needs(g.spans[body], spans, first))
	}
	return nil
}

// needs are the excerpts that together show some lines; nil if none do.
func needs(lines [][2]int, spans []span, first int) []int {
	var out []int
	for _, l := range lines {
		covered := 0
		for n, s := range spans {
			if from, to := max(l[0], s[0]), min(l[1], s[1]); from <= to {
				covered += to - from + 1
				out = append(out, first+n)
			}
		}
		if covered < l[1]-l[0]+1 {
			return nil
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
