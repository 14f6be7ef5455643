package retrieval

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/store"
)

// TestOwnTreeGolden asks this project's own tree what its developers ask, and keeps
// recall and reciprocal rank as reviewed figures.
func TestOwnTreeGolden(t *testing.T) {
	const file = "testdata/own_tree.txt"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	questions, want, _ := strings.Cut(string(raw), "\n----\n")
	st, err := store.Open(t.Context(), "../.brv", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snap := st.Snapshot()
	x := indexOf(t, snap)

	var b strings.Builder
	var asked, first, five, refused, directs, wrong int
	reciprocal := 0.0
	for line := range strings.Lines(questions) {
		text, labels, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		right := strings.Split(labels, ", ")
		for _, p := range right {
			if _, ok := snap.Entry(p + ".md"); !ok {
				t.Errorf("%s: there is no %s", file, p)
			}
		}
		res := search(t, x, Query{Text: text})
		rank := 1 + slices.IndexFunc(res.Hits, func(h Hit) bool { return slices.Contains(right, strings.TrimSuffix(h.Path, ".md")) })
		direct, _ := isDirect(res)
		asked++
		notes := ""
		switch {
		case rank == 0:
			notes = " MISSED"
		default:
			reciprocal += 1 / float64(rank)
			if rank == 1 {
				first++
			}
			if rank <= 5 {
				five++
			}
		}
		if rank != 1 && len(res.Hits) > 0 {
			notes += " behind " + strings.TrimSuffix(res.Hits[0].Path, ".md")
		}
		if res.OutOfDomain {
			refused++
			notes += " REFUSED"
		}
		if direct {
			directs++
			notes += " direct"
			if rank != 1 {
				wrong++
				notes += " WRONG"
			}
		}
		fmt.Fprintf(&b, "%2d  %s%s\n", rank, text, notes)
	}
	n := float64(asked)
	fmt.Fprintf(&b, "\n%d questions: R@1 %.3f, R@5 %.3f, MRR@10 %.3f, %d refused, %d direct answers, %d of them wrong\n",
		asked, float64(first)/n, float64(five)/n, reciprocal/n, refused, directs, wrong)
	if b.String() == want {
		return
	}
	if !*update {
		t.Errorf("%s differs; look at it and run with -update:\n%s", file, b.String())
		return
	}
	if err := os.WriteFile(file, []byte(questions+"\n----\n"+b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
