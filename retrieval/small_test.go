package retrieval

import (
	"fmt"
	"strings"
	"testing"
)

func TestForeignQuestionsToASmallTree(t *testing.T) {
	a := readArchive(t, "testdata/small.txtar")
	x := indexOf(t, a.tree())
	for _, q := range a.lines("inside") {
		if res := search(t, x, Query{Text: q}); res.OutOfDomain {
			t.Errorf("refuses %q; unknown: %s", q, strings.Join(res.Unknown, " "))
		}
	}
	for _, q := range a.lines("outside") {
		if res := search(t, x, Query{Text: q}); !res.OutOfDomain {
			t.Errorf("accepts %q: %s", q, strings.Join(paths(res), " "))
		}
	}
}

func TestAnswerGoldens(t *testing.T) {
	a := readArchive(t, "testdata/small.txtar")
	x := indexOf(t, a.tree())
	var b strings.Builder
	for _, q := range a.lines("answers") {
		fmt.Fprintf(&b, "Q: %s\n\n%s\n", q, answer(t, x, q).Text)
	}
	a.check(t, "want", b.String())
}

// A general word is spelt as it should be: "long" is no typing error of "log". Nor is it what the question is about.
func TestGeneralWordsAreNotRespelt(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"auth/tokens/refresh.md", "---\ntitle: Refresh tokens\n---\n\nThey live seven days.\n",
		"auth/sessions/logout.md", "---\ntitle: Sessions\n---\n\nLogging out ends the session; a refresh makes no new tokens.\n",
	))
	res := search(t, x, Query{Text: "how long do refresh tokens live"})
	if got := strings.Join(res.Unknown, " "); got != "" || len(res.Bent) > 0 || res.Hits[0].Path != "auth/tokens/refresh.md" {
		t.Errorf("unknown %q, hits %v", got, paths(res))
	}
}

// A word of the question's frame is no subject, if the question has another word: "come", and not "spaceship".
func TestFrameWordsAreNoSubjects(t *testing.T) {
	x := indexOf(t, snapshotOf("a/b/name.md", "---\ntitle: Origin of the name\n---\n\nThe name means a ship.\n"))
	for query, want := range map[string]string{
		"where does the name come from": "", "how does the spaceship get its name": "spaceship", "where does it come from": "come",
	} {
		if got := strings.Join(search(t, x, Query{Text: query}).Unknown, " "); got != want {
			t.Errorf("%s: unknown %q, not %q", query, got, want)
		}
	}
}

// Two words in a sentence of an entry about something else do not make a small tree sure of it.
func TestASmallTreeIsSureByNames(t *testing.T) {
	x := indexOf(t, snapshotOf("auth/tokens/reuse.md",
		"---\ntitle: Tokens are used once\n---\n\nA second use logs the user out on all devices.\n"))
	for query, want := range map[string]bool{
		"how many devices may a user have": false, "what does a second use of a token do": true,
	} {
		if a := answer(t, x, query); a.Unsure == want || a.OutOfDomain {
			t.Errorf("%s: %s\n%s", query, a.Why, a.Text)
		}
	}
}

func TestHeadingsOfAnswersAreBold(t *testing.T) {
	text := "---\ntitle: Guide\n---\n\n# Guide\n\n## Steps\n### First **of all**\nDo it.\n```md\n## stays\n```\n## Empty\n"
	e, _ := snapshotOf("a/b/guide.md", text).Entry("a/b/guide.md")
	const want = "**First of all**\n\nDo it.\n```md\n## stays\n```"
	if got := rendered(e, e.Body); got != want {
		t.Errorf("%q", got)
	}
}
