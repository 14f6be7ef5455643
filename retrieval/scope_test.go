package retrieval

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/tree"
)

// scopedTree has places of every kind that a scope can name.
func scopedTree(t testing.TB) (*tree.Snapshot, *Index) {
	snap := snapshotOf(
		"auth/jwt/tokens.md", "# Tokens\nRefresh tokens rotate.",
		"auth/jwt/refresh/rotation.md", "# Rotation\nDaily.",
		"auth/session-management/cookies.md", "# Cookies\nHttpOnly.",
		"auth/twins.md", "# Twins\nAn entry.",
		"auth/twins/one.md", "# One\nIn a folder.",
		"database/general/splitting.md", "# Read/write splitting\nReplicas read.",
		"database/general/tuning.md", "# Tuning\nIndexes.",
		"read/general/books.md", "# Books\nWe read them.",
		"release_notes/v2/changes.md", "# Changes\nMany.",
		"the/general/article.md", "# Article\nA word.",
		"straße/café/menü.md", "# Menü\nKuchen.",
		"データ/ガイド/基本.md", "# 基本\n使い方。",
		"Case/one/a.md", "# A\nUpper.",
		"case/one/b.md", "# B\nLower.",
	)
	return snap, indexOf(t, snap)
}

func TestScopeIsReadFromTheQuery(t *testing.T) {
	_, x := scopedTree(t)
	for _, c := range []struct{ text, scope, want, rest string }{
		// a path in front
		{text: "auth/jwt refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "@auth/jwt refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "/auth/jwt/ refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "auth//jwt refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "./auth/jwt refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: `auth\jwt refresh token`, want: "auth/jwt", rest: "refresh token"},
		{text: ".brv/context-tree/auth/jwt refresh", want: "auth/jwt", rest: "refresh"},
		{text: "`auth/jwt` refresh", want: "auth/jwt", rest: "refresh"},
		{text: "auth/jwt: refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "auth/jwt, refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "auth/jwt : refresh token", want: "auth/jwt", rest: "refresh token"},
		{text: "  auth/jwt\trefresh", want: "auth/jwt", rest: "refresh"},
		{text: "auth/jwt\u3000refresh", want: "auth/jwt", rest: "refresh"},
		{text: "AUTH/Session_Management cookies", want: "auth/session-management", rest: "cookies"},
		{text: "auth/session management cookies", want: "auth/session-management", rest: "cookies"},
		{text: "ａｕｔｈ／ｊｗｔ refresh", want: "auth/jwt", rest: "refresh"},
		{text: "auth/jwt/tokens.md rotate", want: "auth/jwt/tokens.md", rest: "rotate"},
		{text: "auth/jwt/tokens.md: rotate", want: "auth/jwt/tokens.md", rest: "rotate"},
		{text: "auth/jwt/tokens rotate", want: "auth/jwt/tokens.md", rest: "rotate"},
		{text: "auth/jwt tokens rotate", want: "auth/jwt", rest: "tokens rotate"},
		{text: "auth/twins one", want: "auth/twins", rest: "one"},
		{text: "auth/twins.md one", want: "auth/twins.md", rest: "one"},
		{text: "auth/jwt", want: "auth/jwt", rest: "auth/jwt"},
		{text: "auth/jwt?", want: "auth/jwt", rest: "auth/jwt"},
		{text: "jwt/refresh rotation", want: "auth/jwt/refresh", rest: "rotation"},
		{text: "general/tuning indexes", want: "database/general/tuning.md", rest: "indexes"},
		{text: "jwt/tok rotation", rest: "jwt/tok rotation"}, // not the whole name
		{text: "STRASSE/Cafe\u0301 Kuchen", want: "straße/café", rest: "Kuchen"},
		{text: "データ/カ\u3099イト\u3099 使い方", want: "データ/ガイド", rest: "使い方"},
		{text: "Case/one upper", want: "Case/one", rest: "upper"},
		{text: "case/one lower", want: "case/one", rest: "lower"},
		{text: "CASE/ONE any", want: "Case/one", rest: "any"},

		// a domain's name
		{text: "auth/ cookies", want: "auth", rest: "cookies"},
		{text: "auth refresh token", want: "auth", rest: "refresh token"},
		{text: "auth: refresh", want: "auth", rest: "refresh"},
		{text: "Auth, refresh", want: "auth", rest: "refresh"},
		{text: "release notes of v2", want: "release_notes", rest: "of v2"},
		{text: "release-notes of v2", want: "release_notes", rest: "of v2"},
		{text: "auth", rest: "auth"},
		{text: "release notes", rest: "release notes"},
		{text: "jwt refresh", rest: "jwt refresh"}, // a topic is no domain
		{text: "authentication refresh", rest: "authentication refresh"},
		{text: "the article", rest: "the article"}, // a stop word is no domain

		// words
		{text: "read/write splitting", rest: "read/write splitting"},
		{text: "and/or logic", rest: "and/or logic"},
		{text: "TCP/IP handshake", rest: "TCP/IP handshake"},
		{text: "client/server model", rest: "client/server model"},
		{text: "auth/oauth token", rest: "auth/oauth token"},
		{text: "https://example.org/auth/jwt token", rest: "https://example.org/auth/jwt token"},
		{text: "how does auth/jwt work", rest: "how does auth/jwt work"},
		{text: "../../etc/passwd", rest: "../../etc/passwd"},
		{text: "/ and /", rest: "/ and /"},
		{text: "@ and .md", rest: "@ and .md"},

		// a scope given apart
		{text: "refresh token", scope: "auth/jwt", want: "auth/jwt", rest: "refresh token"},
		{text: "refresh token", scope: "@auth/jwt/tokens.md", want: "auth/jwt/tokens.md", rest: "refresh token"},
		{text: "refresh token", scope: " Auth / JWT / ", want: "auth/jwt", rest: "refresh token"},
		{text: "cookies", scope: "session management", want: "auth/session-management", rest: "cookies"},
		{text: "cookies", scope: "jwt", want: "auth/jwt", rest: "cookies"},
		{text: "books", scope: "general", rest: "books"}, // which of three?
		{text: "books", scope: ".", rest: "books"},
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

func TestMissingScopeNamesTheNearest(t *testing.T) {
	_, x := scopedTree(t)
	for _, c := range []struct{ scope, want string }{
		{"auth/jvt", "auth/jwt"},
		{"authentication/session-managment", "auth/session-management"},
		{"databse", "database"},
		{"general", "database/general"},
		{"release-note", "release_notes"},
		{"auth/jwt/token.md", "auth/jwt/tokens.md"},
	} {
		res := search(t, x, Query{Text: "tokens", Scope: c.scope})
		if res.Scope != "" || !strings.Contains(res.Note, "nearest scopes: "+c.want) {
			t.Errorf("%s: scope %q, note %q", c.scope, res.Scope, res.Note)
		}
	}
	for _, scope := range []string{"zzzz", strings.Repeat("long/", 1000), "\xff\xfe", "../.."} {
		res := search(t, x, Query{Text: "tokens", Scope: scope})
		if res.Note == "" || strings.Contains(res.Note, "nearest") || len(res.Note) > 200 || !utf8.ValidString(res.Note) {
			t.Errorf("%q: note %q", scope, res.Note)
		}
	}
}

func FuzzScope(f *testing.F) {
	snap, x := scopedTree(f)
	for _, s := range []string{"auth/jwt", "@auth", "\xff/", "", "/", "jwt", "データ/ガイド", "a b c d e f", "..", "ſ/ς", "general"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, ok := treePlaces(snapshotOf(s+"/a.md", "a")).find(s); !ok && path.Clean(s) == s && s != "." && foldPath(s) != "" {
			t.Fatalf("%q does not find itself", s)
		}
		for _, q := range []Query{{Text: "token", Scope: s}, {Text: s + " token"}, {Text: s}} {
			got := x.target(q)
			if got.scope == "" {
				if got.text != q.Text {
					t.Fatalf("%+v lost text: %q", q, got.text)
				}
				continue
			}
			if got.text == "" && s != "" && q.Text != "" {
				t.Fatalf("%+v has no text left", q)
			}
			_, folder := snap.Node(got.scope)
			if _, entry := snap.Entry(got.scope); !folder && !entry {
				t.Fatalf("%+v: %q is no place", q, got.scope)
			}
		}
	})
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
	for _, s := range []string{"auth/jwt refresh", "@auth/", "", " ", "/", "retryBudget tokn", "\xff", "auth/jwt/tokens.md",
		"a b c d e f", "令牌 token", "the of and"} {
		f.Add(s, "")
	}
	f.Add("token", "auth")
	f.Fuzz(func(t *testing.T, text, scope string) {
		a, err := NewLadder(LadderOptions{}).Answer(t.Context(), of(x), Query{Text: text, Scope: scope})
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
