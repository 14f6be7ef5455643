package retrieval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

var vocabulary = strings.Fields("token session refresh retry budget cache index query planner replica shard worker " +
	"queue retryBudget useSession deploy rollback pipeline schema migration 令牌 轮换 café timeout backoff")

// randomEntry is an entry of random words.
func randomEntry(r *rand.Rand, p string) *format.Entry {
	words := func(n int) string {
		var out []string
		for range n {
			out = append(out, vocabulary[r.IntN(len(vocabulary))])
		}
		if r.IntN(6) == 0 { // a word that few others have
			out = append(out, "zeppelin"+string(rune('a'+r.IntN(20))), fmt.Sprintf("unusual%c%c", 'a'+r.IntN(20), 'a'+r.IntN(20)))
		}
		return strings.Join(out, " ")
	}
	return format.Parse(p, fmt.Sprintf("---\ntitle: %s\ntags: [%s]\n---\n\n# %s\n\n%s\n\n## %s\n%s\n",
		words(2), words(1), words(2), words(5+r.IntN(40)), words(2), words(r.IntN(60))))
}

// edit changes a few random entries of a tree.
func edit(r *rand.Rand, entries map[string]*format.Entry) {
	for range 1 + r.IntN(4) {
		p := fmt.Sprintf("d%d/t%d/e%d.md", r.IntN(3), r.IntN(3), r.IntN(12))
		if r.IntN(4) == 0 {
			delete(entries, p)
		} else {
			entries[p] = randomEntry(r, p)
		}
	}
}

func snapshot(entries map[string]*format.Entry) *tree.Snapshot {
	var all []*format.Entry
	for _, e := range entries {
		all = append(all, e)
	}
	return tree.NewSnapshot(all, nil)
}

var probes = []Query{
	{Text: "refresh token"}, {Text: "retry budget"}, {Text: "useSession timeout cache"}, {Text: "d1 rollback pipeline"},
	{Text: "schema migratoin"}, {Text: "sesion budgt"}, {Text: "zeppelim"}, {Text: "unusu"}, {Text: "令牌轮换"},
	{Text: "backoff", Scope: "d2/t1"}, {Text: "zzz"},
}

// TestSyncedIndexEqualsRebuilt is the rule that lets the index be updated at all:
// step by step or from scratch, every answer is the same to the last bit — also
// where most of the base is gone, words stand nowhere any more, and old indexes are
// still asked.
func TestSyncedIndexEqualsRebuilt(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		entries := map[string]*format.Entry{}
		for range 30 {
			edit(r, entries)
		}
		kept, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		rebuilt := 0
		var base *base
		var old []*Index
		for step := range 150 {
			edit(r, entries)
			x, err := kept.Sync(t.Context(), snapshot(entries))
			if err != nil {
				t.Fatal(err)
			}
			if x.base != base {
				base, rebuilt = x.base, rebuilt+1
			}
			if step%10 != 0 {
				continue
			}
			old = append(old, x)
			if seed == 0 {
				kept.tasks.Wait() // a rebuild in the background is part of what is tested
			}
			sameAnswers(t, old[r.IntN(len(old))])
			sameAnswers(t, x)
		}
		if seed == 0 && (rebuilt < 2 || kept.store.worn()) {
			t.Errorf("%d bases, %d changes: the worn store was never rebuilt", rebuilt, kept.store.changed())
		}
	}
}

// A word whose last entry is gone is not what a misspelt word is taken for.
func TestGoneWordsAreNotNear(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	snap := snapshotOf("a/b/near.md", "webhoox", "a/b/far.md", "webhookery", "a/b/more.md", "other")
	for _, next := range []*tree.Snapshot{snap, snap.With("a/b/added.md", "webhooz").With("a/b/near.md", "nothing"),
		snap.Without("a/b/near.md")} {
		x, err := r.Sync(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		sameAnswers(t, x)
		got, want := search(t, x, Query{Text: "webhook"}), search(t, indexOf(t, next), Query{Text: "webhook"})
		if !reflect.DeepEqual(got, want) || len(got.Hits) != 1 {
			t.Errorf("%v, want %v", paths(got), paths(want))
		}
	}
}

func TestOldIndexStaysValid(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := snapshotOf("a/b/c.md", "# Alpha\nthe old text", "a/b/d.md", "# Beta\nother")
	old, err := r.Sync(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	next, err := r.Sync(t.Context(), first.With("a/b/c.md", "# Alpha\nthe new words"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := search(t, old, Query{Text: "text"}); len(got.Hits) != 1 {
		t.Errorf("old index lost its text: %v", paths(got))
	}
	if got := search(t, next, Query{Text: "text"}); len(got.Hits) != 0 {
		t.Errorf("new index holds the old text: %v", paths(got))
	}
	if _, err := r.Sync(t.Context(), first); err != ErrClosed {
		t.Errorf("Sync after Close: %v", err)
	}
}

func TestUnchangedTreeKeepsItsIndex(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	snap := snapshotOf("a/b/c.md", "alpha")
	x, _ := r.Sync(t.Context(), snap)
	y, err := r.Sync(t.Context(), snapshotOf("a/b/c.md", "alpha"))
	if err != nil || x.postings != y.postings {
		t.Errorf("an equal tree was indexed again (%v)", err)
	}
}

func TestCancelledSyncRecovers(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	snap := snapshotOf("a/b/c.md", "alpha")
	if _, err := r.Sync(ctx, snap); err == nil {
		t.Error("a cancelled Sync succeeded")
	}
	x, err := r.Sync(t.Context(), snap)
	if err != nil || x.Len() != 1 {
		t.Errorf("after a cancelled Sync: %v", err)
	}
}

func TestOnlySearchableRolesAreIndexed(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"a/b/c.md", "alpha", "a/context.md", "alpha", "a/_index.md", "alpha",
		"_archived/a/b/x.stub.md", "alpha", "_archived/a/b/x.full.md", "alpha",
	))
	if got := paths(search(t, x, Query{Text: "alpha"})); len(got) != 3 {
		t.Errorf("hits %v", got)
	}
}

func TestSearchWhileSyncing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	entries := map[string]*format.Entry{}
	for range 20 {
		edit(r, entries)
	}
	ret, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ret.Close()
	var wg sync.WaitGroup
	for range 80 {
		edit(r, entries)
		x, err := ret.Sync(t.Context(), snapshot(entries))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for _, q := range probes {
				if _, err := x.Search(context.Background(), q); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestWornAgainIsRebuiltAtOnce has most of a tree come while the index of a part of it is
// made anew: nobody's next change starts the work for the rest.
func TestWornAgainIsRebuiltAtOnce(t *testing.T) {
	random, entries := rand.New(rand.NewPCG(1, 2)), map[string]*format.Entry{}
	grown := func(n int) *tree.Snapshot {
		for i := len(entries); i < n; i++ {
			p := fmt.Sprintf("a/b/e%d.md", i)
			entries[p] = randomEntry(random, p)
		}
		return snapshot(entries)
	}
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Sync(t.Context(), grown(10)); err != nil {
		t.Fatal(err)
	}
	part := r.store.seen
	r.building = true // as it is from [Retriever.rebuildIfWorn] on
	if _, err := r.Sync(t.Context(), grown(2*minWorn)); err != nil {
		t.Fatal(err)
	}
	r.rebuild(r.store, part)
	r.tasks.Wait()
	if r.store.worn() || r.store.base.size != 2*minWorn {
		t.Errorf("the base has %d of %d entries", r.store.base.size, 2*minWorn)
	}
}
