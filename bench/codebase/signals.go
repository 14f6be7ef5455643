package main

// What the ranking's score is made of, for fitting its weights (see the folder fit): the
// signals of the gold files and of the best other files, for the task alone and for each
// gold file as the open one.

import (
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// Signalled is one query with the signals of its candidates; a line of a signals file.
type signalled struct {
	ID         string      `json:"id"`
	Repo       string      `json:"repo"`
	Lang       string      `json:"lang"`
	Words      int         `json:"words"` // of the task that are no stop words
	Task       bool        `json:"task"`
	Open       bool        `json:"open"`
	Candidates []candidate `json:"candidates"`
}

// candidate is a file with its signals, in the order of codebase.SignalNames.
type candidate struct {
	Gold    bool      `json:"gold,omitempty"`
	Demoted bool      `json:"demoted,omitempty"`
	Values  []float32 `json:"v"`
}

// maxCandidates is how many files besides the gold ones are kept: the weights decide
// among the first ones.
const maxCandidates = 150

// signals gathers the queries of one instance.
func (b *bench) signals(ctx context.Context, i instance) ([]signalled, error) {
	var rec record
	if err := b.moveTo(ctx, i.BaseCommit, &rec); err != nil {
		return nil, err
	}
	alone := b.signalled(i, codebase.Query{Task: i.Query, Offset: -1}, i.Files)
	out := []signalled{alone}
	for _, open := range i.Files {
		if _, ok := b.ours.code.Chunk(open); !ok || len(i.Files) < 2 {
			continue
		}
		text, err := b.ours.code.Read(open)
		if err != nil {
			return nil, err
		}
		others := without(i.Files, open)
		at := cursor(text, i.BaseLines[open])
		out = append(out,
			b.signalled(i, codebase.Query{File: open, Offset: at}, others),
			b.signalled(i, codebase.Query{Task: i.Query, File: open, Offset: at}, others))
	}
	return out, nil
}

func (b *bench) signalled(i instance, q codebase.Query, golds []string) signalled {
	s := signalled{ID: i.ID, Repo: i.Repo, Lang: i.Lang, Words: codebase.Words(q.Task), Task: q.Task != "", Open: q.File != ""}
	kept := 0
	for _, r := range b.ours.code.Rank(q) {
		isGold := slices.Contains(golds, r.Path)
		if kept++; kept > maxCandidates && !isGold {
			continue
		}
		c := candidate{Gold: isGold, Demoted: r.Demoted}
		for _, v := range r.Signals {
			c.Values = append(c.Values, float32(v))
		}
		s.Candidates = append(s.Candidates, c)
	}
	return s
}
