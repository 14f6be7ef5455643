package retrieval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// BenchmarkPrompt makes the prompt of tier 3 over a tree of 10,000 entries of 2.5 KB.
func BenchmarkPrompt(b *testing.B) {
	var entries []*format.Entry
	for i := range 10_000 {
		text := fmt.Sprintf("---\ntitle: Entry %d\nimportance: %d\n---\n\n# Entry %d\n\n%s\n", i, i%100, i,
			strings.Repeat(fmt.Sprintf("word%d of queue. ", i%700), 150))
		entries = append(entries, format.Parse(fmt.Sprintf("d%d/t%d/e%d.md", i%20, i%400, i), text))
	}
	snap := tree.NewSnapshot(entries, nil)
	found := search(b, indexOf(b, snap), Query{Text: "word77 queue", Limit: MaxLimit})
	for b.Loop() {
		in := &inquiry{snap: snap, query: Query{Text: "word77 queue", Now: now()}}
		if _, err := (&reasoner{}).request(reasonTiers[TierModel], in, found, 32_000); err != nil {
			b.Fatal(err)
		}
	}
}
