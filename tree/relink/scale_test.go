package relink

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

// hub is a tree of 10,000 in which 500 entries have a relation to one.
func hub(b *testing.B) (s *tree.Snapshot, p string) {
	entries := sampleEntries(b, 10_000)
	slices.SortFunc(entries, func(x, y *format.Entry) int { return strings.Compare(x.Path, y.Path) })
	p = "domain_0/topic_0/hub.md"
	for i := range 500 {
		e := entries[i*17]
		entries[i*17] = format.Parse(e.Path, strings.Replace(e.Text, "related: [", "related: ["+p+", ", 1)+"\nSee @"+p+" too.\n")
	}
	return tree.NewSnapshot(append(entries, format.Parse(p, "# Hub")), nil), p
}

// BenchmarkMove500Backlinks plans the edits.
func BenchmarkMove500Backlinks(b *testing.B) {
	s, p := hub(b)
	for b.Loop() {
		m, err := PlanMove(s, p, "domain_1/topic_9/centre.md", stays)
		if err != nil || len(m.Edits) != 500 {
			b.Fatal(len(m.Edits), err)
		}
	}
}

// BenchmarkMove500BacklinksWhole also parses the edited entries and makes the new
// snapshot.
func BenchmarkMove500BacklinksWhole(b *testing.B) {
	s, p := hub(b)
	for b.Loop() {
		m, err := PlanMove(s, p, "domain_1/topic_9/centre.md", stays)
		if err != nil {
			b.Fatal(err)
		}
		sources := slices.Collect(maps.Keys(m.Edits))
		edited := make([]*format.Entry, len(sources))
		tree.Each(len(sources), 16, func(i int) {
			e, _ := s.Entry(sources[i])
			edited[i] = format.Parse(e.Path, markdown.ApplyEdits(e.Text, m.Edits[e.Path]))
		})
		changed := map[string]*format.Entry{p: nil, m.Files[0].To: format.Parse(m.Files[0].To, "# Hub")}
		for _, e := range edited {
			changed[e.Path] = e
		}
		if n := len(s.Update(changed).Backlinks(m.Files[0].To)); n < 500 {
			b.Fatal(n)
		}
	}
}

func sampleEntries(tb testing.TB, n int) []*format.Entry {
	var out []*format.Entry
	for p, text := range treetest.Sample(tb, n) {
		out = append(out, format.Parse(p, text))
	}
	return out
}
