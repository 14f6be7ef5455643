package main

// Use must not hurt: entries gain importance when they answer, and an engine that lets
// that decide about relevance buries the right entry under the popular ones. Here a
// set's questions are asked three times over a real tree, entries are credited for the
// answers, and then everything is asked once more.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

const (
	useSet       = "locomo-session" // measured if no set is named
	useQuestions = 500
	usePasses    = 3
	maxFall      = 0.01 // that use may cost of R@1 and of MRR
)

// The workspace counts further uses of an entry within an hour as one, and writes uses
// in batches (workspace/credit.go).
const (
	creditAgain = time.Hour
	creditFlush = 16
)

// habit is a way to credit entries for answers.
type habit struct {
	name     string
	credited func(retrieval.Answer) []retrieval.Hit
	every    bool          // each use counts, not one an hour
	pace     time.Duration // between questions
}

// habits are the workspace's, and harsher ones. The last is the reference system's.
var habits = []habit{
	{"as the workspace does", ofDirect, false, time.Minute},
	{"every use, an hour apart", ofDirect, true, time.Hour},
	{"every use, at once", ofDirect, true, time.Second},
	{"the first hit of any answer", first, true, time.Minute},
	{"every listed hit", listed, true, time.Minute},
}

func ofDirect(a retrieval.Answer) []retrieval.Hit {
	if a.Tier != retrieval.TierDirect {
		return nil
	}
	return first(a)
}

func first(a retrieval.Answer) []retrieval.Hit { return a.Hits[:min(1, len(a.Hits))] }

func listed(a retrieval.Answer) []retrieval.Hit { return a.Hits }

// wornRow is one habit's effect in one scope.
type wornRow struct {
	Set         string  `json:"set"`
	Scope       string  `json:"scope"`
	Habit       string  `json:"habit"`
	Asked       int     `json:"asked"`
	Credits     int     `json:"credits"`
	Importance  float64 `json:"top_importance"` // the highest one afterwards
	Core        int     `json:"core"`           // entries of that tier afterwards
	Before      worn    `json:"before"`
	After       worn    `json:"after"`
	OwnTurned   int     `json:"refused_turned"`     // questions that are now refused, or no longer
	OtherTurned int     `json:"ood_refused_turned"` // foreign ones that are
	Holds       bool    `json:"holds"`
}

// worn is how good the answers are at one time.
type worn struct {
	quality
	ForeignRefused float64 `json:"ood_refused"`

	own, foreign []bool
}

// clock is the time of the replay.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// runUse measures sets and reports.
func runUse(ctx context.Context, c config, names []string, stdout, progress io.Writer) error {
	lines := json.NewEncoder(stdout)
	t := newTable("set", "scope", "credit for", "asked", "credits", "top importance", "core", "R@1", "after", "MRR@10", "after",
		"refused", "after", "turned", "foreign refused", "after", "turned", "holds")
	for _, name := range names {
		set, err := readSet(c.data, name)
		if err != nil {
			return err
		}
		for _, h := range habits {
			rows, err := wear(ctx, set, h)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, h.name, err)
			}
			fmt.Fprintln(progress, name, h.name, "done")
			for _, r := range rows {
				if c.json {
					if err := lines.Encode(r); err != nil {
						return err
					}
				}
				t.row(r.cells()...)
			}
		}
	}
	if c.json {
		return nil
	}
	_, err := fmt.Fprintf(
		stdout, "%d questions asked %d times; R@1 and MRR may fall by %.2f, verdicts about foreign questions may not turn\n\n%s",
		useQuestions, usePasses, maxFall, t.text.String())
	return err
}

func (r wornRow) cells() []string {
	b, a := r.Before, r.After
	out := []string{r.Set, r.Scope, r.Habit, fmt.Sprint(r.Asked), fmt.Sprint(r.Credits), fmt.Sprintf("%.0f", r.Importance),
		fmt.Sprint(r.Core)}
	out = append(out, numbers("%.3f", b.R1, a.R1, b.MRR, a.MRR, b.Refused, a.Refused)...)
	out = append(out, fmt.Sprint(r.OwnTurned))
	out = append(out, numbers("%.3f", b.ForeignRefused, a.ForeignRefused)...)
	holds := "yes"
	if !r.Holds {
		holds = "NO"
	}
	return append(out, fmt.Sprint(r.OtherTurned), holds)
}

// wear measures one habit on a fresh tree of the set.
func wear(ctx context.Context, set *dataset, h habit) ([]wornRow, error) {
	dir, err := os.MkdirTemp("", "brv-bench-use-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	time0 := &clock{time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	store, err := openWritten(ctx, set, dir, time0)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	o, err := oursOver(set, store.Snapshot())
	if err != nil {
		return nil, err
	}
	defer o.Close()
	if err := o.start(ctx); err != nil {
		return nil, err
	}
	var rows []wornRow
	for _, p := range set.passes() {
		before, err := o.look(ctx, p, time0.now())
		if err != nil {
			return nil, err
		}
		rows = append(rows, wornRow{Set: set.name, Scope: p.scope, Habit: h.name, Before: before})
	}
	r := &replay{ours: o, store: store, clock: time0, habit: h, last: map[string]time.Time{}}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	for i, p := range set.passes() {
		row := &rows[i]
		if row.After, err = o.look(ctx, p, time0.now()); err != nil {
			return nil, err
		}
		row.Asked, row.Credits = r.asked, r.credits
		for _, e := range o.snap.Entries() {
			s := o.snap.Signals(e.Path, time0.now())
			row.Importance = max(row.Importance, s.Importance)
			if s.Maturity == format.Core {
				row.Core++
			}
		}
		row.OwnTurned, row.OtherTurned = turned(row.Before.own, row.After.own), turned(row.Before.foreign, row.After.foreign)
		row.Holds = row.Before.R1-row.After.R1 <= maxFall && row.Before.MRR-row.After.MRR <= maxFall && row.OtherTurned == 0
	}
	return rows, nil
}

// turned counts verdicts that differ.
func turned(before, after []bool) int {
	n := 0
	for i := range before {
		if before[i] != after[i] {
			n++
		}
	}
	return n
}

// openWritten writes a set as a tree whose entries state the signals of new ones, and
// opens it as one that was written to before: only there uses are counted.
func openWritten(ctx context.Context, set *dataset, dir string, c *clock) (*store.Store, error) {
	brv := filepath.Join(dir, ".brv")
	signals := fmt.Sprintf(
		"---\nimportance: 50\nrecency: 1\nmaturity: draft\naccessCount: 0\nupdateCount: 0\ncreatedAt: '%[1]s'\nupdatedAt: '%[1]s'\n",
		c.at.Format(time.RFC3339))
	for _, e := range set.entries {
		name := filepath.Join(brv, tree.Dir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		text := signals + strings.TrimPrefix(e.Text(), "---\n")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	store, err := store.Open(ctx, brv, store.Options{Now: c.now})
	if err != nil {
		return nil, err
	}
	// A change that is taken back leaves the entries as they are.
	report, err := store.Apply(ctx, plan.Batch{Ops: []plan.Op{
		{Type: plan.OpAdd, Path: "written/once", Title: "Written", Summary: "Written once", Reason: "so that uses are counted"},
	}})
	if err == nil {
		_, err = store.Undo(ctx, report.Batch, "bench", "")
	}
	if err == nil && !store.Written() {
		err = fmt.Errorf("%s does not count as written to", brv)
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	return store, nil
}

// look asks a pass's questions, and the foreign ones, at one time.
func (o *ours) look(ctx context.Context, p pass, now time.Time) (worn, error) {
	var out worn
	ask := func(q question) (retrieval.Answer, error) {
		query := o.queryOf(q)
		query.Now = now
		a, err := o.asker()(ctx, query)
		if err != nil {
			err = fmt.Errorf("question %s: %w", q.ID, err)
		}
		return a, err
	}
	var outcomes []outcome
	for _, q := range p.questions {
		a, err := ask(q)
		if err != nil {
			return out, err
		}
		outcomes = append(outcomes, outcome{id: q.ID, hits: o.ranked(a.Hits), refused: a.OutOfDomain,
			direct: a.Tier == retrieval.TierDirect})
		out.own = append(out.own, a.OutOfDomain)
	}
	for _, scope := range p.scopes {
		for _, q := range o.set.foreign {
			a, err := ask(question{ID: q.ID, Text: q.Text, Scope: scope})
			if err != nil {
				return out, err
			}
			out.foreign = append(out.foreign, a.OutOfDomain)
		}
	}
	out.quality, out.ForeignRefused = qualityOf(outcomes, o.set.relevant), share(out.foreign)
	return out, nil
}

// replay asks and credits.
type replay struct {
	ours    *ours
	store   *store.Store
	clock   *clock
	habit   habit
	last    map[string]time.Time // when an entry was credited
	waiting []string
	asked   int
	credits int
}

func (r *replay) run(ctx context.Context) error {
	questions := r.ours.set.questions
	for range usePasses {
		for _, q := range questions[:min(useQuestions, len(questions))] {
			query := r.ours.queryOf(question{Text: q.Text})
			query.Now = r.clock.now()
			a, err := r.ours.asker()(ctx, query)
			if err != nil {
				return err
			}
			r.asked++
			r.use(r.habit.credited(a))
			if len(r.waiting) >= creditFlush {
				if err := r.flush(ctx); err != nil {
					return err
				}
			}
			r.clock.at = r.clock.at.Add(r.habit.pace)
		}
	}
	return r.flush(ctx)
}

func (r *replay) use(hits []retrieval.Hit) {
	now := r.clock.now()
	for _, h := range hits {
		if last, ok := r.last[h.Path]; !r.habit.every && ok && now.Sub(last) < creditAgain {
			continue
		}
		r.last[h.Path] = now
		r.waiting = append(r.waiting, h.Path)
	}
}

// flush writes the uses that wait, and the engine goes on with the tree as it is then.
func (r *replay) flush(ctx context.Context) error {
	if len(r.waiting) == 0 {
		return nil
	}
	if err := r.store.Credit(ctx, slices.Clone(r.waiting)...); err != nil {
		return err
	}
	r.credits += len(r.waiting)
	r.waiting = r.waiting[:0]
	return r.ours.follow(ctx, r.store.Snapshot())
}
