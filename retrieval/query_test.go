package retrieval

import (
	"fmt"
	"strings"
	"testing"
)

// Of a long question the middle goes, and only of one that is too long.
func TestLongQuestionsKeepBothEnds(t *testing.T) {
	numbered := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%dx, ", i) // a comma: no two make a pair
		}
		return b.String()
	}
	for _, c := range []struct {
		text string
		cut  bool
		last string
	}{
		{numbered(maxWords), false, "w63x"},
		{numbered(maxWords + 1), true, "w64x"},
		{"first " + strings.Repeat("- ", maxQuery) + " last", true, "last"},
	} {
		p := parse(c.text)
		asked, cut := p.words, p.cut
		if cut != c.cut || len(asked) > maxWords || asked[len(asked)-1].text != c.last || !strings.HasPrefix(c.text, asked[0].text) {
			t.Errorf("%.20s…: %d words, cut %v, last %s", c.text, len(asked), cut, asked[len(asked)-1].text)
		}
	}
}
