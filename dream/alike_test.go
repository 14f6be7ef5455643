package dream

import (
	"os"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// TestSynthesesAreToldApart compares patterns that are told twice in other words, and different
// ones about the same domains, as synthesize does.
func TestSynthesesAreToldApart(t *testing.T) {
	data, err := os.ReadFile("testdata/alike/patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	type told struct {
		number string
		draft  *format.Entry
	}
	h, c, _ := place(t, hostileTree())
	s := synthesist{material: material{tree: h.Store.Snapshot(), now: c.at}}
	var all []told
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		number, rest, _ := strings.Cut(line, " ")
		parts := strings.Split(strings.TrimSpace(rest), " | ")
		op := plan.Op{Path: "auth/synthesis", Title: parts[0], Summary: parts[1], Synthesis: &format.Synthesis{Confidence: 1},
			Content: format.Content{Narrative: format.Narrative{Rules: "- " + parts[2]}}}
		all = append(all, told{number, s.draft(op)})
	}
	same, found, other, blocked := 0, 0, 0, 0
	for i, a := range all {
		for _, b := range all[i+1:] {
			s.written = []*format.Entry{b.draft}
			known, how := s.known(a.draft)
			switch {
			case a.number == b.number:
				if same++; known != "" {
					found++
				} else {
					t.Logf("not known: %q, %q", a.draft.Title, b.draft.Title)
				}
			default:
				if other++; known != "" {
					blocked++
					t.Logf("%.2f: %q, %q", how, a.draft.Title, b.draft.Title)
				}
			}
		}
	}
	t.Logf("told twice: %d of %d known; different: %d of %d blocked", found, same, blocked, other)
	if found*10 < same*8 || blocked*100 > other*3 {
		t.Errorf("told twice: %d of %d known; different: %d of %d blocked", found, same, blocked, other)
	}
}
