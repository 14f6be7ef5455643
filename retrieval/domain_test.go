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
