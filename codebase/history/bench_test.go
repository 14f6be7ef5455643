package history

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// large is 40,000 commits with 20 words each of 20,000 that occur as in a language
// (Zipf), changing 1 to 8 of 10,000 files, a few of which change all the time.
var large = sync.OnceValue(func() *History {
	rng := rand.New(rand.NewPCG(1, 2))
	word := rand.NewZipf(rng, 1.1, 4, 20_000)
	file := rand.NewZipf(rng, 1.2, 10, 10_000)
	return synthetic(maxCommits, func(int) (string, []string) {
		var message strings.Builder
		for range 20 {
			fmt.Fprintf(&message, "w%d ", word.Uint64())
		}
		var files []string
		for range 1 + rng.IntN(8) {
			files = append(files, fmt.Sprintf("pkg/f%d.go", file.Uint64()))
		}
		return message.String(), files
	})
})

// BenchmarkVotes: a question of n words, the most frequent ones of all.
func BenchmarkVotes(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "w%d ", i)
		}
		query := words(text.String())
		large().index()
		b.Run(fmt.Sprintf("words=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				large().Votes(query)
			}
		})
	}
}

// BenchmarkCoChange: the file that most commits change, and an ordinary one.
func BenchmarkCoChange(b *testing.B) {
	for _, path := range []string{"pkg/f0.go", "pkg/f500.go"} {
		large().index()
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				large().CoChange(path)
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		h := &History{head: large().head, paths: large().paths, commits: large().commits}
		h.index()
	}
}

func BenchmarkDecode(b *testing.B) {
	stored := encode(large())
	b.SetBytes(int64(len(stored)))
	for b.Loop() {
		if _, err := decode(stored); err != nil {
			b.Fatal(err)
		}
	}
}
