package retrievaltest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// TestSuiteTells breaks an engine in one way after the other: each must fail, and
// by the test that is about it.
func TestSuiteTells(t *testing.T) {
	type search = func(retrieval.Search) retrieval.Search
	each := func(change search) func(*broken) {
		return func(b *broken) { b.search = change }
	}
	results := func(change func(q retrieval.Query, res *retrieval.Result)) func(*broken) {
		return each(func(next retrieval.Search) retrieval.Search {
			return func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
				res, err := next(ctx, q)
				change(q, &res)
				return res, err
			}
		})
	}
	questions := func(change func(q *retrieval.Query)) func(*broken) {
		return each(func(next retrieval.Search) retrieval.Search {
			return func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
				change(&q)
				return next(ctx, q)
			}
		})
	}
	var (
		mu    sync.Mutex
		first retrieval.Search
		last  retrieval.Search
		known = map[string]*format.Entry{}
	)
	for _, c := range []struct {
		name, fails string
		breakIt     func(*broken)
	}{
		{"is whole", "", func(*broken) {}},
		{"finds nothing", "FindsWhatWasAdded", results(func(_ retrieval.Query, r *retrieval.Result) { r.Hits = nil })},
		{"never forgets", "ForgetsWhatWasRemoved", func(b *broken) {
			b.snap = func(s *tree.Snapshot) *tree.Snapshot {
				mu.Lock()
				defer mu.Unlock()
				for _, e := range s.Entries() {
					known[e.Path] = e
				}
				return s.Update(known)
			}
		}},
		{"keeps to the first tree", "FollowsEdits", each(func(next retrieval.Search) retrieval.Search {
			mu.Lock()
			defer mu.Unlock()
			if first == nil {
				first = next
			}
			return first
		})},
		{"searches the last tree", "SearchHandedOutStays", each(func(next retrieval.Search) retrieval.Search {
			mu.Lock()
			defer mu.Unlock()
			last = next
			return func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				return last(ctx, q)
			}
		})},
		{"leaves stubs out", "DerivedFilesOutStubsIn", results(func(_ retrieval.Query, r *retrieval.Result) {
			r.Hits = slices.DeleteFunc(r.Hits, func(h retrieval.Hit) bool { return strings.HasPrefix(h.Path, "_archived") })
		})},
		{"knows no summaries", "EveryFieldIsFound", questions(func(q *retrieval.Query) {
			q.Text = strings.ReplaceAll(q.Text, "rotate",
				"")
		})},
		{"puts the worst first", "RanksTheSubjectFirst", results(func(_ retrieval.Query,
			r *retrieval.Result) {
			slices.Reverse(r.Hits)
		})},
		{"scores beyond 1", "HitsAreWhole", results(func(_ retrieval.Query, r *retrieval.Result) {
			for i := range r.Hits {
				r.Hits[i].Score++
			}
		})},
		{"ignores scopes", "Scope", questions(func(q *retrieval.Query) { q.Scope = "" })},
		{"ignores limits", "Limit", questions(func(q *retrieval.Query) { q.Limit = retrieval.MaxLimit })},
		{"takes up everything", "OutOfDomain", results(func(_ retrieval.Query, r *retrieval.Result) { r.OutOfDomain = false })},
		{"fails on bytes", "OddQuestions", each(func(next retrieval.Search) retrieval.Search {
			return func(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
				if !utf8.ValidString(q.Text) {
					return retrieval.Result{}, errors.New("not text")
				}
				return next(ctx, q)
			}
		})},
		{"cuts long entries", "OddEntries", func(b *broken) {
			b.snap = func(s *tree.Snapshot) *tree.Snapshot {
				for _, e := range s.Entries() {
					if len(e.Text) > 1<<16 {
						s = s.With(e.Path, e.Text[:1<<16])
					}
				}
				return s
			}
		}},
		{"cannot be stopped", "CancelledContext", each(func(next retrieval.Search) retrieval.Search {
			return func(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
				return next(context.Background(), q)
			}
		})},
		{"opens for ever", "Close", func(b *broken) { b.immortal = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, last = nil, nil
			clear(known)
			for _, one := range cases {
				if c.fails == "" || c.fails == one.name {
					if failed := fails(t, one.run, c.breakIt); failed != (c.fails != "") {
						t.Errorf("fails %s: %v", one.name, failed)
					}
				}
			}
		})
	}
}

// fails reports whether an engine broken in some way fails a test.
func fails(t *testing.T, run func(*suite), breakIt func(*broken)) bool {
	r, err := retrieval.New(retrieval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b := &broken{Retriever: r}
	breakIt(b)
	rec := &recorder{ctx: t.Context()}
	done := make(chan struct{})
	go func() { // Fatalf ends it
		defer close(done)
		run(&suite{rec, b})
	}()
	<-done
	return len(rec.said) > 0
}

// broken is an engine with a defect.
type broken struct {
	*retrieval.Retriever
	snap     func(*tree.Snapshot) *tree.Snapshot
	search   func(retrieval.Search) retrieval.Search
	immortal bool
}

func (b *broken) Open(ctx context.Context, snap *tree.Snapshot) (retrieval.Search, error) {
	if b.snap != nil {
		snap = b.snap(snap)
	}
	s, err := b.Retriever.Open(ctx, snap)
	if err != nil || b.search == nil {
		return s, err
	}
	return b.search(s), nil
}

func (b *broken) Close() error {
	if b.immortal {
		return nil
	}
	return b.Retriever.Close()
}

// recorder collects what a test reports.
type recorder struct {
	ctx  context.Context
	mu   sync.Mutex
	said []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.ctx }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}
