package retrieval

import (
	"fmt"
	"strings"
	"testing"
)

func TestRankingGoldens(t *testing.T) {
	a := readArchive(t, "testdata/rank.txtar")
	x := indexOf(t, a.tree())
	var b strings.Builder
	for _, q := range a.lines("queries") {
		res := search(t, x, Query{Text: q, Limit: 3})
		fmt.Fprintf(&b, "%s\n", q)
		if res.Scope != "" {
			fmt.Fprintf(&b, "\tin %s\n", res.Scope)
		}
		if res.Note != "" {
			fmt.Fprintf(&b, "\tnote: %s\n", res.Note)
		}
		if res.OutOfDomain {
			fmt.Fprintf(&b, "\tout of domain; unknown: %s\n", strings.Join(res.Unknown, " "))
		}
		for _, h := range res.Hits {
			fmt.Fprintf(&b, "\t%.2f %s (%s)\n", h.Score, h.Path, strings.Join(h.Matched, ", "))
		}
	}
	a.check(t, "want", b.String())
}
