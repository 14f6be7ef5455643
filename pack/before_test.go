package pack

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// grown are tasks in steps, each of which says more.
func grown(random *rand.Rand) []string {
	parts := []string{
		"fix the parser of frontmatter", "relations that are broken", "Resolve must not look at folders", "snapshot With overlay",
		"Fence of three",
		"moves rewrite relations", "manifest lanes and budgets", "archive stub", "facts of a section", "the journal survives a crash",
	}
	random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	out := []string{parts[0]}
	for _, p := range parts[1:4] {
		out = append(out, out[len(out)-1]+"; "+p)
	}
	return out
}

// A pack for a task that says more begins as the one before did, and shows nearly what a
// fresh one does.
func TestGrownTaskKeepsThePrefix(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	in.Memory = NewMemory()
	random := rand.New(rand.NewPCG(5, 6))
	kept, fresh, total := 0.0, 0.0, 0.0
	for i := range 9 {
		budget := []int{1500, 4096, 8192}[i%3]
		var before *Pack
		for _, text := range grown(random) {
			task := Task{Text: text, Budget: budget, Offset: -1, Before: before}
			p := keeps(t, in, task)
			if before != nil {
				prefix := commonPrefix(before.Text, p.Text)
				share := float64(tokens.Count(prefix)) / float64(budget)
				if share < min(keptShare, used(*before))-0.02 && !largeNext(*before, len(prefix)) {
					t.Errorf("budget %d: %.2f of the budget stay the same", budget, share)
				}
				task.Before = nil
				kept, fresh, total = kept+chances(p), fresh+chances(keeps(t, in, task)), total+1
			}
			before = &p
		}
	}
	if kept < 0.85*fresh {
		t.Errorf("with what was kept the files' chances sum up to %.2f, in fresh packs to %.2f", kept/total, fresh/total)
	}
	t.Logf("chances of the files shown: %.2f with what was kept, %.2f fresh", kept/total, fresh/total)
}

// used is the share of the budget that a pack needs.
func used(p Pack) float64 { return float64(p.Tokens) / float64(p.Budget) }

// largeNext reports whether the item behind so many bytes of a pack's text takes a fifth
// of the budget: it may be too large to keep.
func largeNext(p Pack, bytes int) bool {
	for _, l := range p.laid {
		if at := strings.Index(p.Text, l.text); at+len(l.text) > bytes {
			return 5*l.Tokens > p.Budget
		}
	}
	return false
}

func commonPrefix(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}

// chances sums up the scores of what is shown better than as a line, each file once.
func chances(p Pack) (sum float64) {
	seen := map[string]bool{}
	for _, i := range p.Items {
		if i.Form != FormOutline && i.Form != FormSummary && !seen[i.Path] {
			seen[i.Path] = true
			sum += i.Score
		}
	}
	return sum
}

func TestSameTaskKeepsTheShare(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	task := Task{Text: "fix the parser of frontmatter", Budget: 4096, Offset: -1}
	first := keeps(t, in, task)
	task.Before = &first
	again := keeps(t, in, task)
	if share := float64(len(commonPrefix(first.Text, again.Text))) / float64(len(first.Text)); share < keptShare {
		t.Errorf("%.2f of the text stays the same", share)
	}
}

// What changed since ends the prefix: it is shown as it is now.
func TestChangedEntryIsNotKept(t *testing.T) {
	in, _ := shop(t)
	task := Task{Text: "refresh token expires too early", Budget: 600, Offset: -1}
	first := keeps(t, in, task)
	e, _ := in.Tree.Entry("auth/tokens/refresh.md")
	in.Tree = in.Tree.With(e.Path, strings.ReplaceAll(e.Text, "exchanged once", "exchanged twice"))
	task.Before = &first
	if p := keeps(t, in, task); strings.Contains(p.Text, "exchanged once") || !strings.Contains(p.Text, "exchanged twice") {
		t.Errorf("the text of before is shown:\n%s", p.Text)
	}
}
