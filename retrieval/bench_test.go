package retrieval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
)

// synthetic is a tree of n entries of about size bytes, its words drawn by Zipf's
// law from a made-up vocabulary, as those of real text are.
func synthetic(n, size int) *tree.Snapshot {
	r := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(r, 1.1, 4, 30_000)
	syllables := strings.Fields("ka ter mi son dra vel pu nor the lis gan fer ob tu ris cal mon de")
	word := func() string {
		var b strings.Builder
		for k := zipf.Uint64() + 3; k > 0; k /= uint64(len(syllables)) {
			b.WriteString(syllables[k%uint64(len(syllables))])
		}
		return b.String()
	}
	entries := make([]*tree.Entry, n)
	for i := range entries {
		var b strings.Builder
		fmt.Fprintf(&b, "---\ntitle: %s %s %s\n---\n", word(), word(), word())
		for b.Len() < size {
			fmt.Fprintf(&b, "\n## %s %s\n\n", word(), word())
			for range 60 {
				b.WriteString(word() + " ")
			}
		}
		entries[i] = tree.Parse(fmt.Sprintf("d%d/t%d/e%d.md", i%7, i%31, i), b.String())
	}
	return tree.NewSnapshot(entries, nil)
}

// sizes are the trees measured: a thousand long entries (10 MB), and ten thousand
// short ones (20 MB), the largest tree of the specification.
var sizes = []struct{ entries, bytes int }{{1_000, 10_000}, {10_000, 2_000}}

func eachSize(b *testing.B, run func(*testing.B, *tree.Snapshot)) {
	for _, s := range sizes {
		b.Run(fmt.Sprintf("%d", s.entries), func(b *testing.B) {
			snap := synthetic(s.entries, s.bytes)
			b.ResetTimer()
			run(b, snap)
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	eachSize(b, func(b *testing.B, snap *tree.Snapshot) {
		for b.Loop() {
			r, _ := New(Options{})
			if _, err := r.Sync(context.Background(), snap); err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	eachSize(b, func(b *testing.B, snap *tree.Snapshot) {
		r, _ := New(Options{})
		defer r.Close()
		if _, err := r.Sync(context.Background(), snap); err != nil {
			b.Fatal(err)
		}
		e := snap.Entries()[snap.Len()/2]
		b.ResetTimer()
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			snap = snap.With(e.Path, fmt.Sprintf("%s\nedit %d\n", e.Text, i))
			b.StartTimer()
			if _, err := r.Sync(context.Background(), snap); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	eachSize(b, func(b *testing.B, snap *tree.Snapshot) {
		x := indexOf(b, snap)
		var queries []string
		for i, e := range snap.Entries() {
			if i%97 == 0 {
				queries = append(queries, e.Title+" "+strings.Fields(e.Text)[40])
			}
		}
		for _, q := range queries { // titles' rarities and outlines are worked out once
			search(b, x, Query{Text: q})
		}
		b.ResetTimer()
		for i := 0; b.Loop(); i++ {
			search(b, x, Query{Text: queries[i%len(queries)]})
		}
	})
}
