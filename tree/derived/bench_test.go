package derived

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// largeTree is n entries of about 1.2 KB in topics of ten, ten topics a domain.
func largeTree(n int) []*format.Entry {
	rnd := rand.New(rand.NewSource(7))
	words := make([]string, 4000)
	for i := range words {
		words[i] = strings.ToLower(fmt.Sprintf("%x%c%c", rnd.Intn(4096), 'a'+rnd.Intn(26), 'a'+rnd.Intn(26)))
		if i%12 > 0 {
			words[i] = string([]byte{byte('a' + rnd.Intn(26)), "aeiou"[rnd.Intn(5)], byte('a' + rnd.Intn(26)), "aeiou"[rnd.Intn(5)],
				byte('a' + rnd.Intn(26))})
		}
	}
	prose := func(n int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[int(rnd.ExpFloat64()*400)%len(words)])
		}
		return strings.ToUpper(b.String()[:1]) + b.String()[1:]
	}
	var out []*format.Entry
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(
			&b,
			"---\ntitle: %s\nimportance: %d\nupdatedAt: 2026-01-01T00:00:00Z\n---\n## Raw Concept\n**Task:**\n%s\n\n**Files:**\n- "+
				"src/%s.go\n\n## Narrative\n### Structure\n", prose(6), i%100, prose(12), words[i%len(words)])
		for range 6 {
			fmt.Fprintf(&b, "%s. ", prose(14))
		}
		b.WriteString("\n\n### Rules\n")
		for range 5 {
			fmt.Fprintf(&b, "- %s `%s_%s`\n", prose(10), words[rnd.Intn(len(words))], words[rnd.Intn(len(words))])
		}
		fmt.Fprintf(&b, "\n## Facts\n- **%s**: %s [project]\n", words[rnd.Intn(len(words))], prose(10))
		out = append(out, format.Parse(fmt.Sprintf("d%d/t%d/e%d.md", i/100, i/10%10, i%10), b.String()))
	}
	return out
}

func BenchmarkSummariesFromNothing(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := tree.NewSnapshot(largeTree(10_000), nil) // tokens are not counted yet
		b.StartTimer()
		fresh, _ := Summaries(s)
		b.ReportMetric(float64(len(fresh)), "summaries")
	}
}

func BenchmarkSummariesAfterOneChange(b *testing.B) {
	s := withSummaries(tree.NewSnapshot(largeTree(10_000), nil))
	e, _ := s.Entry("d3/t3/e3.md")
	s = s.With(e.Path, e.Text+"\nOne more sentence about the change.\n")
	for b.Loop() {
		fresh, _ := Summaries(s)
		if len(fresh) != 3 {
			b.Fatalf("%d summaries", len(fresh))
		}
	}
}

// BenchmarkRedacted is what looking for credentials adds to the summary of an entry.
func BenchmarkRedacted(b *testing.B) {
	entries := largeTree(1000)
	for b.Loop() {
		for _, e := range entries {
			if e.Redacted() != e {
				b.Fatal(e.Path)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(entries)), "ns/entry")
}

func BenchmarkManifest(b *testing.B) {
	s := withSummaries(tree.NewSnapshot(largeTree(10_000), nil))
	s.Fingerprint()
	for b.Loop() {
		NewManifest(s, year2026, nil)
	}
}

func withSummaries(s *tree.Snapshot) *tree.Snapshot {
	fresh, gone := Summaries(s)
	entries := s.Entries()
	for _, f := range fresh {
		entries = append(entries, format.Parse(f.Path, f.Text))
	}
	out := tree.NewSnapshot(entries, nil)
	for _, p := range gone {
		out = out.Without(p)
	}
	return out
}

// BenchmarkSummaryHostile shows that cost grows with the text, not its square.
func BenchmarkSummaryHostile(b *testing.B) {
	for _, unit := range []string{"A b. ", "[[", "[a](", "[", "`", "` `` ", "@a/", "- a b c d e f\n", "(@a/b) ", "aB ", "`a` ",
		"- **a/**: b\n", "  - Holds: a; b\n", "設計。", "!."} {
		for _, size := range []int{100_000, 1_000_000} {
			text := strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				s := tree.NewSnapshot([]*format.Entry{format.Parse("d/t/a.md", text),
					format.Parse("d/u/_index.md", "---\nchildren_hash: x\n---\n"+text)}, nil)
				for b.Loop() {
					Summaries(s)
					RenderStub(entryAt(s, "d/t/a.md"), 1, year2026)
				}
			})
		}
	}
}

func entryAt(s *tree.Snapshot, p string) *format.Entry {
	e, _ := s.Entry(p)
	return e
}
