package retrieval

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree"
)

// largeTree has more folders than are listed, and long entries of many sections.
func largeTree() *tree.Snapshot {
	var files []string
	for d := range 30 {
		for topic := range 9 {
			var b strings.Builder
			fmt.Fprintf(
				&b, "---\ntitle: Queue %d of shard %d\nsummary: About queues.\nimportance: %d\n---\n\n# Queue %d of shard %d\n",
				topic, d, d, topic, d)
			for s := range 12 {
				fmt.Fprintf(&b, "\n## Part %d\n\n%s\n", s, strings.Repeat(
					fmt.Sprintf("The queue of shard %d is drained in step %d — naïvely. ", d, s), 25))
			}
			files = append(files, fmt.Sprintf("shard%02d/queue%d/drain.md", d, topic), b.String())
		}
		files = append(files, fmt.Sprintf("shard%02d/_index.md", d), "---\ntype: summary\n---\n"+strings.Repeat("word ", 300))
	}
	return snapshotOf(files...)
}

func TestPromptsKeepTheirTokens(t *testing.T) {
	snap := largeTree()
	x := indexOf(t, snap)
	for _, text := range []string{"how is the queue of shard 7 drained in step 3", "queue " + strings.Repeat("shard ", 5000),
		"queue " + strings.Repeat("排水", 5000)} {
		q := Query{Text: text, Limit: MaxLimit, Now: now()}
		found := search(t, x, q)
		if len(found.Hits) != MaxLimit {
			t.Fatalf("%d hits", len(found.Hits))
		}
		for _, tier := range []reasonTier{reasonTiers[TierModel], reasonTiers[TierLoop]} {
			in := &inquiry{snap: snap, query: q, search: x.Search}
			r, err := (&reasoner{}).request(tier, in, found, 32_000)
			if err != nil {
				t.Fatal(err)
			}
			n := tokens.Estimate(r.System) + tokens.Estimate(r.Messages[0].Text) + r.MaxTokens
			if most := map[Tier]int{TierModel: 28_000, TierLoop: 20_000}[tier.tier]; n > most || n < most/2 && len(text) < 100 {
				t.Errorf("tier %d: %d tokens for a question of %d bytes", tier.tier, n, len(text))
			}
			prompt := r.Messages[0].Text
			if !strings.Contains(prompt, "The tree has 30 domains and 300 folders, too many to list.") ||
				strings.Contains(prompt, "Use search") != (tier.tier == TierLoop) || (r.Tools != nil) != (tier.tier == TierLoop) {
				t.Errorf("tier %d: %.300s", tier.tier, prompt)
			}
			if nonce := in.quoter.nonce; strings.Count(prompt, "<entry-"+nonce) != strings.Count(prompt, "</entry-"+nonce) ||
				strings.Count(prompt, nonce) < 20 {
				t.Errorf("tier %d: %d tags", tier.tier, strings.Count(prompt, nonce))
			}
		}
	}
}

// The best hits are shown with most around them, and no hit is left out for that.
func TestPrefetchShowsEveryPassageAndMoreOfTheBest(t *testing.T) {
	snap := largeTree()
	hits := search(t, indexOf(t, snap), Query{Text: "queue of shard 7 drained in step 3", Limit: MaxLimit}).Hits
	found := prefetch(quoter{"nonce"}, snap, hits, 13_000)
	if len(found) != len(hits) {
		t.Errorf("%d of %d hits", len(found), len(hits))
	}
	last, total := 1<<30, 0
	for i, x := range found {
		n := utf8.RuneCountInString(x.at.Of(x.entry.Text))
		total += tokens.Estimate(quoter{"nonce"}.excerpt(x))
		if h := hits[i]; x.entry.Path != h.Path || x.at.Start > h.Passage.Start || x.at.End < h.Passage.End || n > maxContent {
			t.Errorf("%s: %v around %v", h.Path, x.at, h.Passage)
		}
		if i < 3 && n > last {
			t.Errorf("%d characters of hit %d, %d of the one before", n, i, last)
		}
		last = n
	}
	if total > 13_000 || total < 10_000 {
		t.Errorf("%d tokens", total)
	}
	if few := prefetch(quoter{"nonce"}, snap, hits, 800); len(few) == 0 || len(few) > 5 {
		t.Errorf("%d excerpts in 800 tokens", len(few))
	}
	for _, x := range prefetch(quoter{"nonce"}, snap, hits, 1_000_000) {
		if n := utf8.RuneCountInString(x.at.Of(x.entry.Text)); n > maxContent {
			t.Errorf("%d characters of %s", n, x.entry.Path)
		}
	}
}

func TestStructureKeepsItsTokens(t *testing.T) {
	var files []string
	for i := range 2000 {
		files = append(files, fmt.Sprintf("a/b/e%d.md", i), "few words")
	}
	total := 0
	for _, x := range structure(quoter{"nonce"}, snapshotOf(files...), nil, nil, now(), structureTokens) {
		total += tokens.Estimate(quoter{"nonce"}.excerpt(x))
	}
	if total > structureTokens || total < structureTokens/2 {
		t.Errorf("%d tokens", total)
	}
}

func TestPrefetchTakesSpansOfAnotherText(t *testing.T) {
	text := "---\ntitle: é\n---\néé é"
	snap := snapshotOf("a/b/c.md", text)
	for _, at := range []markdown.Span{{Start: -5, End: 900}, {Start: 19, End: 21}, {Start: 30, End: 4}} {
		for _, x := range prefetch(quoter{"nonce"}, snap, []Hit{{Path: "a/b/c.md", Passage: at}, {Path: "gone.md"}}, 1000) {
			if x.entry.Path != "a/b/c.md" || !x.complete() {
				t.Errorf("%v: %+v", at, x.at)
			}
		}
	}
}

func TestStructureBeginsWithWhatTheQuestionTouches(t *testing.T) {
	filler := strings.Repeat("word ", 900)
	snap := snapshotOf(
		"_index.md", "root", "a/_index.md", "a "+filler, "b/_index.md", "b "+filler, "b/t/_index.md", "bt "+filler, "c/_index.md",
		"c "+filler,
		"a/t/z_important.md", "---\nimportance: 100\n---\n"+filler, "a/t/other.md", "---\nimportance: 90\n---\n"+filler,
		"b/t/hit.md", "---\nrelated: [c/t/related.md]\n---\nflux", "b/t/beside.md", filler, "c/t/related.md", filler, "c/t/refers.md",
		"see @b/t/hit.md "+filler, "c/t/none.md", filler,
		"_archived/a/t/old.stub.md", "old", "_archived/b/t/old.stub.md", "old")
	hits := []Hit{{Path: "b/t/hit.md", Score: 0.8}}
	found := prefetch(quoter{"nonce"}, snap, hits, 1000)
	var got []string
	for _, x := range structure(quoter{"nonce"}, snap, found, hits, now(), structureTokens) {
		got = append(got, x.entry.Path)
	}
	want := []string{"_index.md", "b/_index.md", "b/t/_index.md",
		"c/t/refers.md", "c/t/related.md", "b/t/beside.md", "a/t/z_important.md",
		"_archived/b/t/old.stub.md", "_archived/a/t/old.stub.md"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// What is asked fits the context of the model with its answer, whatever that is.
func TestPromptsFitTheContext(t *testing.T) {
	snap := largeTree()
	q := Query{Text: "how is the queue of shard 7 drained in step 3", Limit: MaxLimit, Now: now()}
	found := search(t, indexOf(t, snap), q)
	for _, context := range []int{1024, 2048, 4096, 8192, 16_384, 32_000, 128_000} {
		r, err := (&reasoner{}).request(reasonTiers[TierModel], &inquiry{snap: snap, query: q}, found, context)
		if err != nil {
			t.Fatal(err)
		}
		n := tokens.Estimate(r.System) + tokens.Estimate(r.Messages[0].Text) + r.MaxTokens
		if n > context*7/8 || n < min(context, 28_000)/3 {
			t.Errorf("context %d: %d tokens", context, n)
		}
		if short := strings.Contains(r.System, "word for word"); short != (context <= llm.ShortContext) ||
			!strings.Contains(r.Messages[0].Text, "<entry-") || !strings.HasSuffix(r.Messages[0].Text, q.Text+"\n") {
			t.Errorf("context %d:\n%s\n%.300s", context, r.System, r.Messages[0].Text)
		}
	}
}
