package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// ours is the engine of this project over one set, as the server runs it.
type ours struct {
	set    *dataset
	ids    map[string]string // tree path → document
	snap   *tree.Snapshot
	cache  string // folder for an index on disk
	engine *retrieval.Retriever
	search retrieval.Search
}

// options returns the options with which the server opens its index.
func options(cache string) retrieval.Options { return retrieval.Options{Cache: cache} }

// asker makes what answers one question as the server does. Each question gets an asker
// of its own, so that no answer comes out of a cache of earlier ones.
func (o *ours) asker() asker {
	l := retrieval.NewLadder(retrieval.LadderOptions{})
	return func(ctx context.Context, q retrieval.Query) (retrieval.Answer, error) {
		return l.Answer(ctx, retrieval.In(o.engine, o.snap), q)
	}
}

// asker answers questions.
type asker func(context.Context, retrieval.Query) (retrieval.Answer, error)

// openOurs parses a set's entries and indexes nothing yet. Close gives everything back.
func openOurs(set *dataset) (*ours, error) {
	entries := make([]*format.Entry, len(set.entries))
	for i, e := range set.entries {
		entries[i] = format.Parse(e.Path, e.Text())
	}
	return oursOver(set, tree.NewSnapshot(entries, nil))
}

// oursOver is the engine over a tree that holds a set's entries.
func oursOver(set *dataset, snap *tree.Snapshot) (*ours, error) {
	cache, err := os.MkdirTemp("", "brv-bench-index-")
	if err != nil {
		return nil, err
	}
	o := &ours{set: set, ids: map[string]string{}, snap: snap, cache: cache}
	for _, e := range set.entries {
		o.ids[e.Path] = e.ID
	}
	return o, nil
}

// Close ends the engine and removes its index from the disk.
func (o *ours) Close() error {
	return errors.Join(o.stop(), os.RemoveAll(o.cache))
}

func (o *ours) stop() error {
	if o.engine == nil {
		return nil
	}
	err := o.engine.Close()
	o.engine, o.search = nil, nil
	return err
}

// start makes the tree searchable: a new engine, or one that finds its index on disk.
func (o *ours) start(ctx context.Context) (err error) {
	choice := options(o.cache)
	if o.engine, err = retrieval.New(choice); err != nil {
		return err
	}
	return o.follow(ctx, o.snap)
}

// follow takes in a new state of the tree.
func (o *ours) follow(ctx context.Context, snap *tree.Snapshot) (err error) {
	o.snap = snap
	o.search, err = o.engine.Open(ctx, snap)
	return err
}

// queryOf is a question of the set as a query to the tree.
func (o *ours) queryOf(q question) retrieval.Query {
	return retrieval.Query{Text: q.Text, Scope: o.set.folder(q.Scope), Limit: depth}
}

// ranked are hits as documents of the set.
func (o *ours) ranked(hits []retrieval.Hit) []ranked {
	out := make([]ranked, 0, len(hits))
	for _, h := range hits {
		out = append(out, ranked{o.ids[h.Path], h.Score})
	}
	return out
}

// measureOurs measures everything about the project's engine on a set. What a question
// leaves in an index makes the next ones with its words cheaper, so each question is
// asked of an index once for its ranking, and for its answer of another one.
func measureOurs(ctx context.Context, set *dataset) (findings, error) {
	found := findings{engine: engineOurs}
	o, err := openOurs(set)
	if err != nil {
		return found, err
	}
	defer o.Close()
	if err := o.build(ctx, &found.costs); err != nil {
		return found, err
	}
	for _, p := range set.passes() {
		searched, err := o.rank(ctx, p)
		if err != nil {
			return found, err
		}
		found.passes = append(found.passes, searched)
	}
	found.costs.RSSPeakMB = peak()
	if found.costs.Reopen, err = o.reopen(ctx); err != nil {
		return found, err
	}
	for i, p := range set.passes() {
		if err := o.answer(ctx, p, found.passes[i]); err != nil {
			return found, err
		}
		refused, err := o.refusals(ctx, p.scopes)
		if err != nil {
			return found, err
		}
		found.foreign = append(found.foreign, refused)
	}
	if found.costs.Again, err = o.again(ctx); err != nil {
		return found, err
	}
	found.costs.Edits, err = o.edits(ctx)
	return found, err
}

// build indexes the tree.
func (o *ours) build(ctx context.Context, c *costs) (err error) {
	before := heap()
	resetPeak()
	c.Index, err = process.Timed(func() error { return o.start(ctx) })
	c.HeapMB = heap() - before
	return errors.Join(err, o.warmUp(ctx))
}

func (o *ours) warmUp(ctx context.Context) error {
	for _, text := range warmUp(o.set) {
		if _, err := o.search(ctx, o.queryOf(question{Text: text})); err != nil {
			return err
		}
	}
	return nil
}

// reopen ends the engine and starts it again, and measures how long a second process would need to get the
// index.
func (o *ours) reopen(ctx context.Context) (*spent, error) {
	if err := o.stop(); err != nil {
		return nil, err
	}
	used, err := process.Timed(func() error { return o.start(ctx) })
	if err != nil {
		return nil, err
	}
	return &used, o.warmUp(ctx)
}

// rank asks a pass's questions for their ranking alone.
func (o *ours) rank(ctx context.Context, p pass) ([]outcome, error) {
	out := make([]outcome, len(p.questions))
	for i, q := range p.questions {
		var err error
		out[i].id = q.ID
		if out[i].searched, err = process.Timed(func() error { _, err := o.search(ctx, o.queryOf(q)); return err }); err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
	}
	return out, nil
}

// answer asks a pass's questions for their answers.
func (o *ours) answer(ctx context.Context, p pass, out []outcome) error {
	for i, q := range p.questions {
		var a retrieval.Answer
		var err error
		ask := o.asker()
		if out[i].answered, err = process.Timed(func() error { a, err = ask(ctx, o.queryOf(q)); return err }); err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		out[i].hits = o.ranked(a.Hits)
		out[i].refused = a.OutOfDomain
		out[i].direct = a.Tier == retrieval.TierDirect && !a.OutOfDomain
	}
	return nil
}

// refusals asks the foreign questions in each of some scopes, each of which is like a small tree of its own.
// It returns for each question whether it was called out of domain.
func (o *ours) refusals(ctx context.Context, scopes []string) ([]bool, error) {
	out := make([]bool, 0, len(scopes)*len(o.set.foreign))
	for _, scope := range scopes {
		for _, q := range o.set.foreign {
			a, err := o.asker()(ctx, o.queryOf(question{Text: q.Text, Scope: scope}))
			if err != nil {
				return nil, fmt.Errorf("question %s: %w", q.ID, err)
			}
			out = append(out, a.OutOfDomain)
		}
	}
	return out, nil
}

// againQuestions bounds the questions that are asked again.
const againQuestions = 200

// again asks questions that were asked just before, in the same words and with a
// comma more, and measures the answers that came out of a cache of answers.
func (o *ours) again(ctx context.Context) (repeated, error) {
	var out repeated
	for _, q := range o.set.questions[:min(againQuestions, len(o.set.questions))] {
		ask := o.asker()
		query := o.queryOf(q)
		if _, err := ask(ctx, query); err != nil {
			return out, err
		}
		for _, text := range []string{q.Text, paused(q.Text)} {
			var a retrieval.Answer
			var err error
			query.Text = text
			used, err := process.Timed(func() error { a, err = ask(ctx, query); return err })
			if err != nil {
				return out, err
			}
			switch a.Tier {
			case retrieval.TierExact:
				out.Exact = append(out.Exact, used)
			case retrieval.TierFuzzy:
				out.Fuzzy = append(out.Fuzzy, used)
			}
		}
	}
	return out, nil
}

// paused is a question with a comma behind its second word.
func paused(text string) string {
	words := strings.Fields(text)
	if len(words) > 1 {
		words[1] += ","
	}
	return strings.Join(words, " ")
}

// editCount is how many entries are edited, one after the other.
const editCount = 50

// edits measures from the text of an edited entry until it is found, its
// parsing included, and makes sure that it can.
func (o *ours) edits(ctx context.Context) ([]spent, error) {
	var out []spent
	entries := o.snap.Entries()
	for i := range editCount {
		e := entries[i*len(entries)/editCount]
		word := "zyxw" + strings.Repeat(string(rune('b'+i%25)), 3+i/25) // stands nowhere else
		text := e.Text + "\n" + word + "\n"
		var res retrieval.Result
		used, err := process.Timed(func() error {
			if err := o.follow(ctx, o.snap.With(e.Path, text)); err != nil {
				return err
			}
			var err error
			res, err = o.search(ctx, retrieval.Query{Text: word})
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(res.Hits) == 0 || res.Hits[0].Path != e.Path {
			return nil, fmt.Errorf("%s: its edit is not found", e.Path)
		}
		out = append(out, used)
	}
	return out, nil
}
