package retrieval

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/store"
)

// collectionOf is a collection of parts, as a store in memory makes it.
func collectionOf(t testing.TB, parts ...[]*format.Entry) (all []*Part, c Collection) {
	t.Helper()
	for _, entries := range parts {
		p, err := NewPart(t.Context(), entries)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
		for _, e := range entries {
			_, l := Analysed(e)
			c.Add(l, 1)
		}
	}
	c.Count = func(ctx context.Context, groups [][]string) ([]int, error) {
		out := make([]int, len(groups))
		for i, g := range groups {
			for _, p := range all {
				n, err := p.Count(ctx, g)
				if err != nil {
					return nil, err
				}
				out[i] += n
			}
		}
		return out, nil
	}
	return all, c
}

// Candidates of a collection in parts, ranked with its counts, come in the order of the search of one tree.
func TestCollectionRanksAsTheTreeDoes(t *testing.T) {
	st, err := store.Open(t.Context(), "../.brv", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var entries []*format.Entry
	for _, e := range st.Snapshot().Entries() {
		if format.Searchable(e) {
			entries = append(entries, e)
		}
	}
	x := indexOf(t, tree.NewSnapshot(entries, nil))
	third := len(entries) / 3
	parts, c := collectionOf(t, entries[:third], entries[third:2*third], entries[2*third:])
	raw, err := os.ReadFile("testdata/own_tree.txt")
	if err != nil {
		t.Fatal(err)
	}
	questions, _, _ := strings.Cut(string(raw), "\n----\n")
	asked, same := 0, 0
	for line := range strings.Lines(questions) {
		text, _, _ := strings.Cut(line, "|")
		q := Query{Text: strings.TrimSpace(text)}
		local, err := x.searchIn(t.Context(), q, "", q.Text)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Best(t.Context(), parts, c.Lengths, Terms(q.Text), 50)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Rank(t.Context(), found, q)
		if err != nil {
			t.Fatal(err)
		}
		asked++
		// behind them may come others, where relations took their room
		if want, all := described(local), described(got); len(all) >= len(want) && slices.Equal(want, all[:len(want)]) {
			same++
		} else {
			t.Logf("%s\n%v\n%v", q.Text, described(local), described(got))
		}
	}
	if t.Logf("%d of %d questions alike, with %d entries", same, asked, len(entries)); same < asked-1 { // a 51st candidate may matter
		t.Errorf("only %d of %d questions have the same hits and scores", same, asked)
	}
}

func described(r Result) []string {
	out := []string{fmt.Sprint(r.OutOfDomain, r.Unknown)}
	for _, h := range r.Hits {
		if h.Via == "" {
			out = append(out, fmt.Sprintf("%s %.6f %.6f", h.Path, h.Raw, h.Score))
		}
	}
	return out
}

// A word that stands elsewhere in the collection is not said to be missing, nor bent.
func TestWordOutsideOfTheCandidatesIsKnown(t *testing.T) {
	one := snapshotOf("a/b/one.md", "# Retry budget\n\nThe retry budget is three.\n").Entries()
	two := snapshotOf("a/b/two.md", "# Kafka\n\nKafka carries events.\n").Entries()
	_, c := collectionOf(t, one, two)
	r, err := c.Rank(t.Context(), one, Query{Text: "kafka retry budget"})
	if err != nil || len(r.Hits) != 1 || len(r.Unknown) > 0 || len(r.Bent) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	_, c = collectionOf(t, one)
	if r, err = c.Rank(t.Context(), one, Query{Text: "kafka retry budget"}); err != nil || !slices.Equal(r.Unknown, []string{"kafka"}) {
		t.Errorf("%+v, %v", r, err)
	}
}
