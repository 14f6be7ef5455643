package retrieval

import (
	"strings"
	"testing"
)

// five is a tree of five entries, as every tree is at first.
func five(t *testing.T, signals string) *Index {
	e := func(title, body string) string {
		return "---\ntitle: " + title + "\n" + signals + "---\n\n" + body + "\n"
	}
	return indexOf(t, snapshotOf(
		"auth/jwt/rotation.md", e("Token rotation", "Refresh tokens rotate at every use; reuse revokes the family."),
		"auth/sessions/cookies.md", e("Session cookies", "Cookies are HttpOnly and SameSite=Lax."),
		"http/client/retries.md", e("Retry policy", "Calls are retried with exponential backoff, limited by `retryBudget`."),
		"db/pool/limits.md", e("Pool limits", "At most twenty connections per worker."),
		"ops/deploy/rollback.md", e("Rollback", "The rollback job of the pipeline undoes a deployment."),
	))
}

func TestSmallAndUsedTreesKnowTheirDomain(t *testing.T) {
	const used = "importance: 100\nrecency: 1\nmaturity: core\naccessCount: 900\nupdateCount: 50\n"
	for name, x := range map[string]*Index{"fresh": five(t, ""), "used": five(t, used)} {
		for _, q := range []string{
			"token rotation", "refresh tokens", "retry budget", "retryBudget", "cookies", "how are calls retried?",
			"how many connections per worker", "undo a deployment", "rollback pipeline",
		} {
			if res := search(t, x, Query{Text: q}); res.OutOfDomain {
				t.Errorf("%s tree refuses %q", name, q)
			}
		}
		for _, q := range []string{
			"how do I bake sourdough bread", "capital of France", "pressure distribution on cones at hypersonic speeds",
			"weather tomorrow in Berlin", "who won the world cup", "python sort dictionary by value", "kubernetes ingress",
		} {
			if res := search(t, x, Query{Text: q}); !res.OutOfDomain {
				t.Errorf("%s tree accepts %q: %s", name, q, strings.Join(paths(res), " "))
			}
		}
	}
}

// workshop says "widget" and "flange" side by side, and "gasket" elsewhere.
func workshop(t *testing.T, signals string) *Index {
	return indexOf(t, snapshotOf(
		"parts/joints/press.md", "---\ntitle: Press\n"+signals+
			"---\n\nThe widget flange is pressed in 2023.\n\n## Later\n\nA gasket comes last, list it.\n",
		"parts/joints/glue.md", "---\ntitle: Glue\n---\n\nGlue holds a spindle.\n",
	))
}

func TestEvidence(t *testing.T) {
	x := workshop(t, "")
	for _, c := range []struct {
		query  string
		beside int
		words  string // in the nearest passage
	}{
		{"widget flange", 1, "widget flange"},
		{"flange of a widget", 1, "flange widget"},
		{"widget sprocket flange", 1, "widget flange"},
		{"widget sprocket ratchet washer flange", 0, "widget flange"},
		{"gasket sprocket", 0, "gasket"},
		{"spindle flange", 0, "spindle"},
		{"sourdough", 0, ""},
	} {
		e := search(t, x, Query{Text: c.query}).Evidence
		if got := strings.Join(e.Words, " "); e.Neighbours != c.beside || got != c.words {
			t.Errorf("%s: %d pairs, %q in the passage", c.query, e.Neighbours, got)
		}
	}
}

func TestThemeIsTheTreesOwnWords(t *testing.T) {
	x := workshop(t, "")
	theme := func(q string) float64 { return search(t, x, Query{Text: q}).Evidence.Theme }
	own := theme("spindle")
	if everybodys := theme("list"); own < 1 || everybodys > own-0.5 {
		t.Errorf("own word %.2f, everybody's %.2f", own, everybodys)
	}
	if unknown := theme("spindle sourdough kubernetes"); unknown >= own {
		t.Errorf("unknown words raise the theme from %.2f to %.2f", own, unknown)
	}
	if number := theme("spindle 2023"); number != own {
		t.Errorf("a number moves the theme from %.2f to %.2f", own, number)
	}
	if meant := theme("spindel"); meant != own {
		t.Errorf("a word with one typing error has theme %.2f, without it %.2f", meant, own)
	}
	if near := theme("spandel"); near > 0 {
		t.Errorf("a word spelt otherwise has theme %.2f", near)
	}
}

func TestEvidenceIsUnaffectedByUse(t *testing.T) {
	fresh := workshop(t, "")
	used := workshop(t, "importance: 100\nrecency: 1\nmaturity: core\naccessCount: 900\nupdateCount: 50\n")
	for _, q := range []string{"widget flange", "spindle", "gasket list", "sourdough widget"} {
		a, b := search(t, fresh, Query{Text: q}).Evidence, search(t, used, Query{Text: q}).Evidence
		if a.String() != b.String() || a.Sum != b.Sum {
			t.Errorf("%s: fresh %v, used %v", q, a, b)
		}
	}
}

func TestRefusalSaysWhy(t *testing.T) {
	for _, c := range []struct {
		e       Evidence
		unknown []string
		want    string
	}{
		{Evidence{}, nil, ""},
		{Evidence{Asked: 2}, []string{"bake", "bread"}, "No entry mentions: bake, bread."},
		{Evidence{Asked: 2}, []string{"bread"}, "No entry mentions: bread. The closest passage has none of the question's words."},
		{Evidence{Asked: 3, Words: []string{"refresh"}}, []string{"kitchen"},
			"No entry mentions: kitchen. The closest passage has only: refresh."},
		{Evidence{Asked: 2, Words: []string{"start", "stop"}}, nil, "The question's words are no more frequent here than in other texts."},
	} {
		if got := c.e.Refusal(c.unknown); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
