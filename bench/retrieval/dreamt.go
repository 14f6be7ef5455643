package main

// A dream must not hurt: a set is written as a tree, its questions are asked, the tree is dreamt of
// without a model, everything that the dream proposes is approved, and the same questions are
// asked again. Where an entry was merged into another, or archived, what holds its text now counts
// as the document.

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// The dreams: at once, when everything is new and nothing decayed; and 80 days later, when the
// importance of an entry that was never used is below the archive's threshold (50 × 0.995^72 = 35).
// Ten days before, the questions are asked, and what answers them counts as used, as everywhere.
var dreamDays = []int{0, 80}

const usedBefore = 10 * 24 * time.Hour

// runDreamt measures sets before and after dreams.
func runDreamt(ctx context.Context, names []string, c config, stdout, progress io.Writer) error {
	t := newTable("set", "scope", "when", "steps", "R@1", "R@5", "R@10", "MRR@10", "nDCG@10", "refused", "foreign refused", "turned",
		"dangling")
	for _, name := range names {
		set, err := readSet(c.data, name)
		if err != nil {
			return err
		}
		if err := dreamt(ctx, set, t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintln(progress, name, "done")
	}
	_, err := io.WriteString(stdout, t.text.String())
	return err
}

// dreamt dreams of one set.
func dreamt(ctx context.Context, set *dataset, t *table) error {
	dir, err := os.MkdirTemp("", "brv-bench-dreamt-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	time0 := &clock{time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	store, err := openWritten(ctx, set, dir, time0)
	if err != nil {
		return err
	}
	defer store.Close()
	o, err := oursOver(set, store.Snapshot())
	if err != nil {
		return err
	}
	defer o.Close()
	if err := o.start(ctx); err != nil {
		return err
	}
	asked := time0.now() // questions are always asked at one time: what is measured is the dream, not the age of the entries
	var before []worn
	report := func(when string, steps map[dream.Action]int) error {
		for i, p := range set.passes() {
			w, err := o.look(ctx, p, asked)
			if err != nil {
				return err
			}
			if len(before) <= i {
				before = append(before, w)
			}
			cells := append([]string{set.name, p.scope, when, fmt.Sprint(steps)}, numbers("%.4f", w.R1, w.R5, w.R10, w.MRR, w.NDCG,
				w.Refused, w.ForeignRefused)...)
			t.row(append(cells, fmt.Sprint(turned(before[i].foreign, w.foreign)), fmt.Sprint(dangling(o.snap)))...)
		}
		return nil
	}
	if err := report("before", nil); err != nil {
		return err
	}
	for _, days := range dreamDays {
		if days > 0 {
			time0.at = asked.Add(time.Duration(days)*24*time.Hour - usedBefore)
			if err := o.use(ctx, store, time0.now()); err != nil {
				return err
			}
		}
		time0.at = asked.Add(time.Duration(days) * 24 * time.Hour)
		l, err := dream.Run(ctx, dream.Host{Store: store, Now: time0.now, Apply: store.Apply},
			dream.Options{Force: true, Trigger: "manual", Budget: time.Hour})
		if err != nil {
			return err
		}
		steps := map[dream.Action]int{}
		for _, s := range l.Steps {
			if s.Status == dream.Failed {
				return fmt.Errorf("%s: %s", s.Reason, s.Message)
			}
			steps[s.Action]++
			if s.Status != dream.Waits {
				continue
			}
			r, err := store.Approve(ctx, s.Batch, "bench", plan.Decision{})
			if err != nil {
				return err
			}
			o.went(r)
		}
		if err := o.follow(ctx, store.Snapshot()); err != nil {
			return err
		}
		if err := report(fmt.Sprintf("dreamt, day %d", days), steps); err != nil {
			return err
		}
	}
	return nil
}

// use asks the set's questions once and counts what is shown first as used.
func (o *ours) use(ctx context.Context, store *store.Store, now time.Time) error {
	used := map[string]bool{}
	for _, q := range o.set.questions {
		query := o.queryOf(q)
		query.Now = now
		a, err := o.asker()(ctx, query)
		if err != nil {
			return err
		}
		for _, h := range first(a) {
			used[h.Path] = true
		}
	}
	return store.Credit(ctx, slices.Sorted(maps.Keys(used))...)
}

// went takes over which entry has the text of a document now.
func (o *ours) went(r *plan.Report) {
	for _, res := range r.Results {
		switch from := o.ids[res.Path]; res.Type {
		case plan.OpMerge:
			to := o.ids[res.FilePath]
			for _, labels := range o.set.relevant {
				if labels[from] {
					delete(labels, from)
					labels[to] = true
				}
			}
		case plan.OpArchive:
			for _, p := range append(slices.Clone(r.Files), res.FilePath) {
				if _, known := o.ids[p]; !known {
					o.ids[p] = from
				}
			}
		}
	}
}

// dangling counts the relations that lead nowhere.
func dangling(s *tree.Snapshot) (n int) {
	for _, e := range s.Entries() {
		for _, r := range s.Relations(e.Path) {
			if r.Target == "" {
				n++
			}
		}
	}
	return n
}
