package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/dream/overlap"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// restBetween is how long after another a dream runs here: the gate's time and an hour.
const restBetween = 13 * time.Hour

// dreamt has a tree of the entries dreamt of, again and again, until no dream proposes a merge;
// merges are approved, and all else that is held is rejected. It returns what was proposed to be
// merged, and how many dreams that took.
func dreamt(ctx context.Context, all []*format.Entry) (pairs []overlap.Pair, dreams int, err error) {
	dir, err := os.MkdirTemp("", "brv-bench-dream-")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	for _, e := range all {
		name := filepath.Join(dir, tree.Dir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, 0, err
		}
		if err := os.WriteFile(name, []byte(e.Text), 0o644); err != nil {
			return nil, 0, err
		}
	}
	now := time.Now()
	store, err := store.Open(ctx, dir, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		return nil, 0, err
	}
	defer store.Close()
	h := dream.Host{Store: store, Apply: store.Apply, Now: func() time.Time { return now }}
	for {
		l, err := dream.Run(ctx, h, dream.Options{Force: true})
		if err != nil {
			return nil, 0, err
		}
		now = now.Add(restBetween)
		merges := 0
		for _, s := range l.Steps {
			switch {
			case s.Status == dream.Failed:
				return nil, 0, fmt.Errorf("%s %s: %s", s.Action, s.Output, s.Message)
			case s.Status != dream.Waits:
			case s.Action == dream.Merge:
				merges++
				pairs = append(pairs, overlap.Pair{A: s.Inputs[0], B: s.Inputs[1], Same: s.Confidence})
				if _, err := store.Approve(ctx, s.Batch, "bench", plan.Decision{}); err != nil {
					return nil, 0, err
				}
			default:
				if _, err := store.Reject(ctx, s.Batch, "bench", "not measured"); err != nil {
					return nil, 0, err
				}
			}
		}
		if merges == 0 {
			return pairs, dreams, nil
		}
		dreams++
	}
}
