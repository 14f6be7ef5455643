package tree

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/tree/treetest"
)

func sampleEntries(tb testing.TB, n int) []*format.Entry {
	var out []*format.Entry
	for p, text := range treetest.Sample(tb, n) {
		out = append(out, format.Parse(p, text))
	}
	return out
}

func sizes(b *testing.B, run func(b *testing.B, s *Snapshot)) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 10_000 && testing.Short() {
				b.Skip("short")
			}
			s := NewSnapshot(sampleEntries(b, n), nil)
			b.ReportAllocs()
			run(b, s)
		})
	}
}

// timed runs f as often as the benchmark wants and reports the 95th percentile.
func timed(b *testing.B, prepare func(i int), f func()) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		prepare(i)
		b.StartTimer()
		start := time.Now()
		f()
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds()), "p95-ns")
}

func BenchmarkUpdateEdit(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		var changed map[string]*format.Entry
		timed(b, func(i int) {
			e := s.Entries()[i*7919%s.Len()]
			changed = map[string]*format.Entry{e.Path: format.Parse(e.Path, fmt.Sprintf("%s\nmore @%s\n", e.Text, s.Entries()[i*31%s.Len()].Path))}
		}, func() { s = s.Update(changed) })
	})
}

func BenchmarkUpdateAdd(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		var changed map[string]*format.Entry
		timed(b, func(i int) {
			p := fmt.Sprintf("%s/new_%d.md", format.FolderOf(s.Entries()[i*7919%s.Len()].Path), i)
			changed = map[string]*format.Entry{p: format.Parse(p, treetest.SampleText(i, s.Len()))}
		}, func() { s = s.Update(changed) })
	})
}

func BenchmarkUpdateRemove(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		var changed map[string]*format.Entry
		timed(b, func(i int) { changed = map[string]*format.Entry{s.Entries()[i*7919%s.Len()].Path: nil} }, func() { s.Update(changed) })
	})
}

func BenchmarkNewSnapshot(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		for b.Loop() {
			NewSnapshot(s.Entries(), nil)
		}
	})
}

func BenchmarkEntries(b *testing.B) {
	sizes(b, func(b *testing.B, s *Snapshot) {
		for b.Loop() {
			s.Entries()
		}
	})
}

func BenchmarkFingerprint(b *testing.B) {
	s := NewSnapshot(sampleEntries(b, 10_000), nil)
	for b.Loop() {
		s.hash()
	}
}

// hub is a tree of 10,000 in which 500 entries have a relation to one.
func hub(b *testing.B) (s *Snapshot, p string) {
	entries := sampleEntries(b, 10_000)
	slices.SortFunc(entries, func(x, y *format.Entry) int { return strings.Compare(x.Path, y.Path) })
	p = "domain_0/topic_0/hub.md"
	for i := range 500 {
		e := entries[i*17]
		entries[i*17] = format.Parse(e.Path, strings.Replace(e.Text, "related: [", "related: ["+p+", ", 1)+"\nSee @"+p+" too.\n")
	}
	return NewSnapshot(append(entries, format.Parse(p, "# Hub")), nil), p
}

// BenchmarkMove500Backlinks plans the edits.
func BenchmarkMove500Backlinks(b *testing.B) {
	s, p := hub(b)
	for b.Loop() {
		m, err := s.Move(p, "domain_1/topic_9/centre.md")
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
		m, err := s.Move(p, "domain_1/topic_9/centre.md")
		if err != nil {
			b.Fatal(err)
		}
		sources := slices.Collect(maps.Keys(m.Edits))
		edited := make([]*format.Entry, len(sources))
		Each(len(sources), 16, func(i int) {
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
