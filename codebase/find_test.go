package codebase

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

func TestNamesFitQueries(t *testing.T) {
	for _, test := range []struct {
		query, name string
		want        Match
	}{
		{"refreshToken", "refreshToken", MatchExact},
		{"refreshToken", "RefreshToken", MatchSame},
		{"refresh_token", "refreshToken", MatchSame},
		{"refresh token", "REFRESH_TOKEN", MatchSame},
		{"RefreshToken", "_refresh_token_", MatchSame},
		{"refresh", "RefreshToken", MatchPrefix},
		{"refreshT", "refreshToken", MatchPrefix},
		{"token", "refreshToken", MatchWords},
		{"token", "refresh_token", MatchWords},
		{"refTok", "RefreshToken", MatchWords},
		{"ref_tok", "RefreshToken", MatchWords},
		{"refToken", "refreshAccessToken", MatchWords},
		{"server", "HTTPServer", MatchWords},
		{"http", "HTTPServer", MatchPrefix},
		{"httpServer", "HTTPServer", MatchSame},
		{"fresh", "refreshToken", MatchPart},
		{"ttpser", "HTTPServer", MatchPart},
		{"tokenRefresh", "refreshToken", noMatch},
		{"refreshTokens", "refreshToken", noMatch},
		{"ref ref", "refreshToken", noMatch},
		{"_", "_", MatchExact},
		{"_", "a_b", MatchPart},
		{"größe", "GRÖSSE", noMatch},
		{"größe", "berechneGröße", MatchWords},
		{"ÜBER", "überAlles", MatchPrefix},
		{"x", "", noMatch},
		{"#key", "#key", MatchExact},
	} {
		if got := newNameQuery(test.query).match([]byte(test.name)); got != test.want {
			t.Errorf("%q with %q: %q, want %q", test.name, test.query, got, test.want)
		}
	}
}

func TestContainersFitQueries(t *testing.T) {
	for _, test := range []struct {
		query, module, container string
		want                     bool
	}{
		{"Rank", "codebase", "", true},
		{"RepoMap.Rank", "codebase", "RepoMap", true},
		{"repomap.rank", "codebase", "RepoMap", true},
		{"codebase.Scan", "codebase", "", true},
		{"codebase.RepoMap.Rank", "codebase", "RepoMap", true},
		{"codebase::RepoMap::rank", "codebase", "RepoMap", true},
		{"RepoMap#rank", "", "lib.RepoMap", true},
		{"RepoMap.", "", "RepoMap", true},
		{"Map.Rank", "codebase", "RepoMap", false},
		{"codebase.Rank", "codebase", "RepoMap", false},
		{"RepoMap.Rank", "codebase", "", false},
	} {
		if got := newNameQuery(test.query).inside(test.module, test.container); got != test.want {
			t.Errorf("%q in %s %s: %v", test.query, test.module, test.container, got)
		}
	}
}

// TestEveryKindCanBeAskedFor reads the kinds from the source that declares them.
func TestEveryKindCanBeAskedFor(t *testing.T) {
	source, err := os.ReadFile("syntax/syntax.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +Kind = "(\w+)"`).FindAllSubmatch(source, -1)
	if len(declared) != len(symbolKinds) {
		t.Errorf("%d kinds are declared, %d can be asked for", len(declared), len(symbolKinds))
	}
	for _, d := range declared {
		if !slices.Contains(SymbolKinds(), syntax.Kind(d[1])) {
			t.Errorf("%s cannot be asked for", d[1])
		}
	}
}

// found draws what a query finds.
func found(m *RepoMap, q SymbolQuery) string {
	all, total := m.FindSymbols(q)
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s %s:%d %s\n", f.Match, f.Path, f.Symbol.Line, strings.TrimPrefix(f.Symbol.Container+"."+f.Symbol.Name, "."))
	}
	fmt.Fprintf(&b, "of %d", total)
	return b.String()
}

func TestFindSymbolsOrdersByMatchThenImportance(t *testing.T) {
	m := scan(t, jailtest.Folder(t, map[string]string{
		"src/token.go":      "package src\n\nfunc token() {}\n\ntype Token struct{}\n\nfunc (Token) Sign() {}\n",
		"src/use.go":        "package src\n\nfunc NewToken() Token { return Token{} }\n\nfunc tokenize() {}\n",
		"tests/token.go":    "package tests\n\nfunc token() {}\n",
		"src/sign_test.go":  "package src\n\nfunc TestSign() {}\n",
		"web/tokens.ts":     "export class TokenStore { sign(): void {} }\nexport const betoken = 1\n",
		"web/empty.ts":      "",
		"web/made.ts":       "// @generated\n\nexport class Built {}\n",
		"web/user.ts":       "import { Built } from './made'\n\nnew Built()\n",
		"web/written.ts":    "class Built {}\n",
		"src/broken/bad.go": "package bad\n\nfunc (",
	}))
	for _, test := range []struct {
		q    SymbolQuery
		want string
	}{
		{SymbolQuery{Text: "token", Limit: 9}, `exact src/token.go:3 token
exact tests/token.go:3 token
same src/token.go:5 Token
prefix src/use.go:5 tokenize
prefix web/tokens.ts:1 TokenStore
words src/use.go:3 NewToken
part web/tokens.ts:2 betoken
of 7`},
		{SymbolQuery{Text: "token", Limit: 2}, "exact src/token.go:3 token\nexact tests/token.go:3 token\nof 7"},
		{SymbolQuery{Text: "token", Kind: syntax.Struct, Limit: 9}, "same src/token.go:5 Token\nof 1"},
		{SymbolQuery{Text: "Token.sign", Limit: 9}, "same src/token.go:7 Token.Sign\nof 1"},
		{SymbolQuery{Text: "TokenStore.", Limit: 9}, "prefix web/tokens.ts:1 TokenStore.sign\nof 1"},
		{SymbolQuery{Text: "src.token", Kind: syntax.Function, Limit: 9},
			"exact src/token.go:3 token\nprefix src/use.go:5 tokenize\nwords src/use.go:3 NewToken\nof 3"},
		{SymbolQuery{Text: "Built", Limit: 9}, "exact web/written.ts:1 Built\nexact web/made.ts:3 Built\nof 2"},
		{SymbolQuery{Text: "token", Kind: "verb", Limit: 9}, "of 0"},
		{SymbolQuery{Text: " ", Limit: 9}, "of 0"},
		{SymbolQuery{Text: "token"}, "of 0"},
	} {
		if diff := cmp.Diff(test.want, found(m, test.q)); diff != "" {
			t.Errorf("%+v: -want +got:\n%s", test.q, diff)
		}
	}
	if found, total := Empty().FindSymbols(SymbolQuery{Text: "token", Limit: 9}); found != nil || total != 0 {
		t.Errorf("in the empty map: %v, %d", found, total)
	}
}

func TestFindSymbolsKnowsWhatChanged(t *testing.T) {
	root := jailtest.Folder(t, map[string]string{
		"a.go": "package a\n\nfunc Alpha() {}\n",
		"b.go": "package a\n\nfunc Beta() {}\n",
		"c.go": "package a\n\nfunc Alphabet() {}\n",
	})
	m := scan(t, root)
	before := found(m, SymbolQuery{Text: "alpha", Limit: 9}) // makes the list
	jailtest.Write(t, root.Dir(), "a.go", "package a\n\nfunc First() {}\n")
	jailtest.Write(t, root.Dir(), "b.go", "package a\n\n\nfunc Alpha() {}\n")
	jailtest.Write(t, root.Dir(), "d.go", "package a\n\nvar alphas int\n")
	next, err := m.Update(t.Context(), []string{"a.go", "b.go", "d.go"})
	if err != nil {
		t.Fatal(err)
	}
	q := SymbolQuery{Text: "alpha", Limit: 9}
	if got, want := found(next, q), found(scan(t, root), q); got != want || !strings.HasPrefix(got, "same b.go:4") {
		t.Errorf("after the update:\n%s\nof a new scan:\n%s", got, want)
	}
	if got := found(m, q); got != before {
		t.Errorf("the earlier map finds other things now:\n%s", got)
	}
}

func FuzzNamesFitQueries(f *testing.F) {
	f.Add("refTok", "RefreshToken")
	f.Add("a::b", "\xffÉ_")
	f.Add("_", "__init__")
	f.Fuzz(func(t *testing.T, query, name string) {
		q := newNameQuery(query)
		name = name[:min(len(name), maxListedName)]
		match := q.match([]byte(name))
		if q.text != "" && q.text == name && match != MatchExact {
			t.Errorf("%q does not fit itself: %s", name, match)
		}
		if lower := lowered(nil, []byte(name)); len(lower) != len(name) {
			t.Errorf("%q has %d bytes in lower case", name, len(lower))
		}
	})
}

// hugeMap is a map of so many files with 10 definitions each, by their records:
// nothing is parsed.
func hugeMap(files int) *RepoMap {
	s := &scanner{symbols: newSymbolCache()}
	words := []string{"refresh", "Token", "parse", "Query", "file", "Index", "load", "Config", "write", "Buffer", "user", "Session"}
	chunks := make([]*Chunk, files)
	for i := range chunks {
		f := &syntax.File{}
		for k := range 10 {
			n := i*10 + k
			name := fmt.Sprintf("%s%s%s%d", words[n%12], words[(n/12)%12], words[(n/144)%12], n%7)
			f.Symbols = append(f.Symbols, syntax.Symbol{Name: name, Kind: syntax.Method, Container: fmt.Sprintf("Type%d", i%500),
				Signature: "func " + name + "(ctx context.Context) error", Line: k})
		}
		chunks[i] = newChunk(fmt.Sprintf("pkg%d/file%05d.go", i%100, i), newRecord("x.go", []byte("package x"), [32]byte{}, f, nil),
			s.symbols)
	}
	return s.build(mapParts{chunks: chunks}, nil)
}

func BenchmarkListNames(b *testing.B) {
	m := hugeMap(20_000)
	for b.Loop() {
		listAllNames(m.chunks)
	}
}

func BenchmarkFindSymbols(b *testing.B) {
	m := hugeMap(20_000)
	m.FindSymbols(SymbolQuery{Text: "warm", Limit: 1})
	for _, query := range []string{"refreshTokenParse3", "token", "e", "refTokPar", "zzz", "Type7.token"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				m.FindSymbols(SymbolQuery{Text: query, Limit: 50})
			}
		})
	}
}
