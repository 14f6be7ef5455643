package retrieval

import (
	"strings"
	"testing"
)

func TestScopeIsReadFromTheQuery(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"auth/jwt/tokens.md", "# Tokens\nRefresh tokens rotate.",
		"auth/session-management/cookies.md", "# Cookies\nHttpOnly.",
		"database/general/splitting.md", "# Read/write splitting\nReplicas read.",
		"read/general/books.md", "# Books\nWe read them.",
	))
	for _, c := range []struct{ text, scope, want, rest string }{
		{text: "auth/jwt refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "@auth/jwt refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "AUTH/Session_Management cookies", want: "auth/session-management", rest: "cookies"},
		{text: "auth/jwt/tokens.md rotate", want: "auth/jwt/tokens.md", rest: "rotate"},
		{text: "auth/jwt", want: "auth/jwt", rest: "auth/jwt"},
		{text: "auth/ cookies", want: "auth", rest: "cookies"},
		{text: "auth refresh token", want: "auth", rest: "refresh token"},
		{text: "auth: refresh", want: "auth", rest: "refresh"},
		{text: "auth", rest: "auth"},
		{text: "jwt refresh", rest: "jwt refresh"}, // a topic is no domain
		{text: "read/write splitting", rest: "read/write splitting"},
		{text: "TCP/IP handshake", rest: "TCP/IP handshake"},
		{text: "auth/oauth token", rest: "auth/oauth token"},
		{text: "../../etc/passwd", rest: "../../etc/passwd"},
		{text: "/ and /", rest: "/ and /"},
		{text: "refresh token", scope: "auth/jwt", want: "auth/jwt", rest: "refresh token"},
		{text: "auth/jwt refresh", scope: "auth", want: "auth/jwt", rest: "refresh"},
		{text: "database replicas", scope: "auth", want: "auth", rest: "database replicas"},
		{text: "refresh", scope: "auth/", want: "auth", rest: "refresh"},
	} {
		got := x.target(Query{Text: c.text, Scope: c.scope})
		if got.scope != c.want || got.text != c.rest {
			t.Errorf("%q in %q: scope %q text %q, want %q and %q", c.text, c.scope, got.scope, got.text, c.want, c.rest)
		}
	}
}

func TestScopedSearchThatFindsNothingLooksEverywhere(t *testing.T) {
	x := indexOf(t, snapshotOf(
		"auth/jwt/tokens.md", "# Tokens\nRefresh tokens rotate.",
		"database/general/pool.md", "# Pool\nConnections are pooled.",
	))
	for _, q := range []Query{{Text: "rotating tokens", Scope: "database"}, {Text: "database rotating tokens"}} {
		res := search(t, x, q)
		if len(res.Hits) == 0 || res.Hits[0].Path != "auth/jwt/tokens.md" || res.Scope != "" || !strings.Contains(res.Note, "database") {
			t.Errorf("%+v: %v, scope %q, note %q", q, paths(res), res.Scope, res.Note)
		}
	}
	res := search(t, x, Query{Text: "tokens", Scope: "no/such/place"})
	if len(res.Hits) != 1 || !strings.Contains(res.Note, "no/such/place") {
		t.Errorf("missing scope: %v, note %q", paths(res), res.Note)
	}
}

func TestScopeIsAFolderNotAPrefix(t *testing.T) {
	x := indexOf(t, snapshotOf("auth/a/b.md", "token", "authority/a/b.md", "token"))
	if got := paths(search(t, x, Query{Text: "token", Scope: "auth"})); len(got) != 1 || got[0] != "auth/a/b.md" {
		t.Errorf("hits %v", got)
	}
}

func FuzzQuery(f *testing.F) {
	x := indexOf(f, snapshotOf("auth/jwt/tokens.md", "# Tokens\nRefresh `retryBudget` rotate. 令牌轮换"))
	for _, s := range []string{"auth/jwt refresh", "@auth/", "", " ", "/", "retryBudget tokn", "\xff", "auth/jwt/tokens.md", "a b c d e f", "令牌 token", "the of and"} {
		f.Add(s, "")
	}
	f.Add("token", "auth")
	f.Fuzz(func(t *testing.T, text, scope string) {
		a, err := x.Answer(t.Context(), Query{Text: text, Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range a.Hits {
			if !(h.Score >= 0 && h.Score <= 1) || h.Raw <= 0 {
				t.Fatalf("score %v raw %v", h.Score, h.Raw)
			}
		}
	})
}
