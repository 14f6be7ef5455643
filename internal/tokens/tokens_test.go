package tokens

import (
	"strings"
	"sync"
	"testing"
)

// The first three are published for the encodings by their authors (cookbook "How
// to count tokens"), as are the next two for o200k_base; the others follow from the
// definitions.
func TestCountIsExact(t *testing.T) {
	for _, c := range []struct {
		text          string
		o200k, cl100k int
	}{
		{"antidisestablishmentarianism", 6, 6}, {"2 + 2 = 4", 7, 7}, {"お誕生日おめでとう", 8, 9},
		{"tiktoken is great!", 6, 6}, {"hello world", 2, 2},
		{"", 0, 0}, {"<|endoftext|>", 7, 7}, {"\n", 1, 1}, {" ", 1, 1}, {"a\xff\xfeb", 4, 4},
	} {
		for name, want := range map[string]int{"o200k_base": c.o200k, "cl100k_base": c.cl100k, "bytes": len(c.text)} {
			e, err := Named(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Count(c.text); got != want {
				t.Errorf("%s: Count(%q) = %d, want %d", name, c.text, got, want)
			}
		}
		if got := Count(c.text); got != c.o200k {
			t.Errorf("Count(%q) = %d, want %d", c.text, got, c.o200k)
		}
	}
}

func TestCountRunsConcurrently(t *testing.T) {
	var done sync.WaitGroup
	for range 8 {
		for _, e := range encodings {
			done.Go(func() {
				if got, want := e.Count("hello world"), map[bool]int{false: 2, true: 11}[e.name == "bytes"]; got != want {
					t.Errorf("%s: got %d", e.name, got)
				}
			})
		}
	}
	done.Wait()
}

// hostile texts made the library's own counting quadratic, or look as if they
// might. unit is repeated.
var hostile = []string{
	"a", "A", "ab", "aB", "Ab", " ", "\t", "\n", " \n", "\n ", "\r\n", "\"", "'", "'s", "7", "設", "😀", "\u0301", "\u0301A",
	"ªA", "A\u00aa", "\xff", "/", "/\n", "-", "x ", "\u3000", "_", "\u00a0\n",
}

func TestLongRunsAreMergedAsShortOnes(t *testing.T) {
	for name, c := range splits {
		v := c.vocabulary
		for _, unit := range hostile {
			for _, n := range []int{heapFrom - 1, heapFrom, heapFrom + 1} {
				text := strings.Repeat(unit, n/len(unit)+1)[:n]
				piece := text[:min(len(text), heapFrom-1)]
				if short, long := v.mergeShort(piece), v.mergeLong(piece); short != long {
					t.Errorf("%s: %q: %d tokens by scanning, %d by heap", name, piece, short, long)
				}
			}
		}
	}
}

// A quadratic case would take minutes here and hit the test's time limit.
func TestHostileTextIsCountedInLinearTime(t *testing.T) {
	for _, unit := range hostile {
		text := strings.Repeat(unit, (16<<10)/len(unit)) + "x"
		for _, e := range encodings {
			if e.Count(text) == 0 || e.Estimate(text) == 0 {
				t.Errorf("%s: %q: no tokens", e.name, unit)
			}
		}
	}
}
