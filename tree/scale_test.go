package tree

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
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
			changed = map[string]*format.Entry{e.Path: format.Parse(e.Path,
				fmt.Sprintf("%s\nmore @%s\n", e.Text, s.Entries()[i*31%s.Len()].Path))}
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
