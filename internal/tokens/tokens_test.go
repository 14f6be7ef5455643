package tokens

import (
	"strings"
	"sync"
	"testing"
)

// The first five are published by the encoding's authors (cookbook "How to count
// tokens"); the others follow from the definition.
func TestCountIsExact(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"antidisestablishmentarianism", 6}, {"2 + 2 = 4", 7}, {"お誕生日おめでとう", 8},
		{"tiktoken is great!", 6}, {"hello world", 2},
		{"", 0}, {"<|endoftext|>", 7}, {"\n", 1}, {" ", 1}, {"a\xff\xfeb", 4},
	} {
		if got := Count(c.text); got != c.want {
			t.Errorf("Count(%q) = %d, want %d", c.text, got, c.want)
		}
	}
}

func TestCountRunsConcurrently(t *testing.T) {
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			if got := Count("hello world"); got != 2 {
				t.Errorf("got %d", got)
			}
		})
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
	v := o200k()
	for _, unit := range hostile {
		for _, n := range []int{heapFrom - 1, heapFrom, heapFrom + 1} {
			text := strings.Repeat(unit, n/len(unit)+1)[:n]
			piece := text[:min(len(text), heapFrom-1)]
			if short, long := v.mergeShort(piece), v.mergeLong(piece); short != long {
				t.Errorf("%q: %d tokens by scanning, %d by heap", piece, short, long)
			}
		}
	}
}

// A quadratic case would take minutes here and hit the test's time limit.
func TestHostileTextIsCountedInLinearTime(t *testing.T) {
	for _, unit := range hostile {
		text := strings.Repeat(unit, (16<<10)/len(unit)) + "x"
		if Count(text) == 0 || Estimate(text) == 0 {
			t.Errorf("%q: no tokens", unit)
		}
	}
}
