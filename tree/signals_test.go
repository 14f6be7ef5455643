package tree

import (
	"math"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

func TestDecayCountsFromUpdateElseCreationElseNever(t *testing.T) {
	for text, want := range map[string]float64{
		"---\nimportance: 80\ncreatedAt: 2025-01-01\nupdatedAt: 2026-01-01\n---\n": 80 * math.Pow(0.995, 100),
		"---\nimportance: 80\ncreatedAt: 2026-01-01\n---\n":                        80 * math.Pow(0.995, 100),
		"---\nimportance: 80\nupdatedAt: yesterday\n---\n":                         80,
		"---\nimportance: 80\n---\n":                                               80,
	} {
		if got := signals(format.Parse("a/b/c.md", text), Usage{}, after(100)).Importance; math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
