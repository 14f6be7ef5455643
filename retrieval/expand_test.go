package retrieval

import (
	"fmt"
	"strings"
	"testing"
)

// expandFixture is a tree where "rotation" finds entry 1 first, whose relations lead
// to entries that hold none of the words.
func expandFixture(more int) []string {
	files := []string{
		"auth/tokens/rotation.md",
		"---\ntitle: Rotation\nrelated: [auth/sessions/logout.md]\n---\n\nRotation of tokens; see @auth/sessions/families.md\n",
		"auth/sessions/logout.md", "---\ntitle: Logging out\n---\n\n# Logging out\n\nEnds the session.\n",
		"auth/sessions/families.md", "---\ntitle: Families\n---\n\nAll that one login made.\n",
		"auth/audit/trail.md", "---\ntitle: Audit trail\nrelated: [auth/tokens/rotation.md]\n---\n\nWho did what.\n",
	}
	for i := range more {
		files = append(files, fmt.Sprintf("ops/notes/n%d.md", i),
			fmt.Sprintf(
				"---\ntitle: Note %d\n---\n\nSomething else that mentions rotation once among many other words of no interest.\n", i))
	}
	return files
}

func TestNeighboursEnterWithTheirEdge(t *testing.T) {
	x := indexOf(t, snapshotOf(expandFixture(0)...))
	res := search(t, x, Query{Text: "rotation"})
	var got []string
	for _, h := range res.Hits {
		got = append(got, h.Path+": "+h.Via)
	}
	want := []string{
		"auth/tokens/rotation.md: ",
		"auth/sessions/logout.md: auth/tokens/rotation.md names it",
		"auth/sessions/families.md: auth/tokens/rotation.md names it",
		"auth/audit/trail.md: it names auth/tokens/rotation.md",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	e, _ := x.snap.Entry("auth/sessions/logout.md")
	if text := res.Hits[1].Passage.Of(e.Text); !strings.Contains(text, "Ends the session.") {
		t.Errorf("a neighbour shows %q", text)
	}
}

func TestNeighboursStayBehindTheFirstHits(t *testing.T) {
	x := indexOf(t, snapshotOf(expandFixture(12)...))
	res := search(t, x, Query{Text: "rotation"})
	if len(res.Hits) != DefaultLimit {
		t.Errorf("%d hits", len(res.Hits))
	}
	last := 2.0
	for i, h := range res.Hits {
		if h.Via != "" && i < keepHits {
			t.Errorf("neighbour %s at place %d", h.Path, i+1)
		}
		if h.Score > last {
			t.Errorf("%s has %v behind %v", h.Path, h.Score, last)
		}
		last = h.Score
	}
	if res := search(t, x, Query{Text: "rotation", Scope: "ops"}); strings.Contains(strings.Join(paths(res), " "), "auth/") {
		t.Errorf("a neighbour outside the scope: %v", paths(res))
	}
}
