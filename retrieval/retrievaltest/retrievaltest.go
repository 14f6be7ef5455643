// Package retrievaltest tests what a [retrieval.Engine] must do, whatever it is made
// of: what stands in a tree is found, what no longer does is not, a search handed out
// never changes, and no question is too odd. How well it ranks is measured elsewhere
// (bench/retrieval); here only order that nobody could doubt counts.
//
//	func TestEngine(t *testing.T) {
//		retrievaltest.Run(t, func(t *testing.T) retrieval.Engine { … })
//	}
package retrievaltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// patience bounds each question of unusual form. It is generous, since other programs may use the machine: it
// detects only questions that hang.
const patience = 10 * time.Second

// Run tests the engines that open makes. Each test gets an engine of its own and
// closes it.
func Run(t *testing.T, open func(*testing.T) retrieval.Engine) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := open(t)
			t.Cleanup(func() { e.Close() })
			c.run(&suite{t, e})
		})
	}
}

var cases = []struct {
	name string
	run  func(*suite)
}{
	{"FindsWhatWasAdded", findsWhatWasAdded},
	{"ForgetsWhatWasRemoved", forgetsWhatWasRemoved},
	{"FollowsEdits", followsEdits},
	{"SearchHandedOutStays", searchHandedOutStays},
	{"OrderOfSnapshotsIsFree", orderOfSnapshotsIsFree},
	{"DerivedFilesOutStubsIn", derivedFilesOutStubsIn},
	{"EveryFieldIsFound", everyFieldIsFound},
	{"RanksTheSubjectFirst", ranksTheSubjectFirst},
	{"HitsAreWhole", hitsAreWhole},
	{"Scope", scope},
	{"Limit", limit},
	{"OutOfDomain", outOfDomain},
	{"EmptyTree", emptyTree},
	{"OddQuestions", oddQuestions},
	{"OddEntries", oddEntries},
	{"CancelledContext", cancelledContext},
	{"ConcurrentUse", concurrentUse},
	{"Close", closes},
}

// suite is one test of one engine.
type suite struct {
	reporter
	engine retrieval.Engine
}

// reporter holds the methods of testing.T that the tests use.
type reporter interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// library is the tree of most tests.
var library = []string{
	"auth/jwt/refresh.md",
	"---\ntitle: Refresh tokens\nsummary: They rotate with every use.\ntags: [credentials]\n---\n\n# Refresh tokens\n\nA refresh " +
		"token lives seven days. The `retryBudget` of the gateway bounds how often it is asked for.\n",
	"auth/sessions/logout.md",
	"---\ntitle: Logout\nkeywords: [signout]\nquestions: [How is it ended on all devices?]\n---\n\n# Logout\n\nEnding a session revokes its cookies everywhere.\n\n## Grace " +
		"period\n\nPending requests finish.\n",
	"database/pool/limits.md",
	"---\ntitle: Connection pool\n---\n\n# Connection pool\n\nTwenty connections, then callers wait in a queue.\n",
	"database/migrations/rollback.md",
	"---\ntitle: Rolling back a migration\n---\n\n# Rolling back\n\nEvery migration has a way back, tried in staging before it is run.\n",
}

// treeOf parses path, text, path, text, …
func treeOf(files ...string) *tree.Snapshot {
	var entries []*format.Entry
	for i := 0; i+1 < len(files); i += 2 {
		entries = append(entries, format.Parse(files[i], files[i+1]))
	}
	return tree.NewSnapshot(entries, nil)
}

func (s *suite) open(snap *tree.Snapshot) retrieval.Search {
	s.Helper()
	search, err := s.engine.Open(s.Context(), snap)
	if err != nil {
		s.Fatalf("Open: %v", err)
	}
	return search
}

func (s *suite) ask(search retrieval.Search, q retrieval.Query) retrieval.Result {
	s.Helper()
	res, err := search(s.Context(), q)
	if err != nil {
		s.Fatalf("%.60q: %v", q.Text, err)
	}
	return res
}

// found are the paths that a question returns, best first.
func (s *suite) found(search retrieval.Search, text string) []string {
	s.Helper()
	return pathsOf(s.ask(search, retrieval.Query{Text: text}))
}

func pathsOf(res retrieval.Result) []string {
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.Path)
	}
	return out
}

// want compares the paths that a question finds, in any order.
func (s *suite) want(search retrieval.Search, text string, paths ...string) {
	s.Helper()
	got := s.found(search, text)
	slices.Sort(got)
	slices.Sort(paths)
	if !slices.Equal(got, paths) {
		s.Errorf("%q finds %v, want %v", text, got, paths)
	}
}

func findsWhatWasAdded(s *suite) {
	snap := treeOf(library...)
	s.want(s.open(snap), "escalation")
	snap = snap.With("oncall/general/pager.md", "# Pager\n\nThe escalation goes to the second line.\n")
	search := s.open(snap)
	s.want(search, "escalation", "oncall/general/pager.md")
	s.want(search, "cookies", "auth/sessions/logout.md")
}

func forgetsWhatWasRemoved(s *suite) {
	snap := treeOf(library...)
	s.want(s.open(snap), "cookies", "auth/sessions/logout.md")
	snap = snap.Without("auth/sessions/logout.md")
	s.want(s.open(snap), "cookies")
	for _, e := range snap.Entries() {
		snap = snap.Without(e.Path)
	}
	s.want(s.open(snap), "connection")
}

func followsEdits(s *suite) {
	const p = "database/pool/limits.md"
	words := []string{"walrus", "zeppelin", "quinoa"}
	snap := treeOf(library...)
	s.open(snap)
	for i := range 40 {
		snap = snap.With(p, fmt.Sprintf("# Pool\n\nRevision %d is about a %s.\n", i, words[i%3]))
		search := s.open(snap)
		s.want(search, words[i%3], p)
		s.want(search, words[(i+1)%3])
		s.want(search, words[(i+2)%3])
	}
}

func searchHandedOutStays(s *suite) {
	questions := []string{"refresh token", "cookies", "connection queue", "migration"}
	snap := treeOf(library...)
	search := s.open(snap)
	var before []retrieval.Result
	for _, q := range questions {
		before = append(before, s.ask(search, retrieval.Query{Text: q}))
	}
	next := snap.Without("auth/sessions/logout.md").With("auth/jwt/refresh.md", "# Something else\n\nEntirely.\n").
		With("database/pool/more.md", "# Connection queue\n\nA connection in a queue: cookies, migration, refresh token.\n")
	s.open(next)
	s.open(treeOf())
	if err := s.engine.Close(); err != nil {
		s.Errorf("Close: %v", err)
	}
	for i, q := range questions {
		after := s.ask(search, retrieval.Query{Text: q})
		if !slices.Equal(pathsOf(before[i]), pathsOf(after)) || len(after.Hits) == 0 || before[i].Hits[0].Raw != after.Hits[0].Raw {
			s.Errorf("%q found %v, and now %v", q, pathsOf(before[i]), pathsOf(after))
		}
	}
}

func orderOfSnapshotsIsFree(s *suite) {
	first := treeOf(library...)
	second := first.With("auth/jwt/refresh.md", "# Nothing\n")
	for range 3 {
		s.want(s.open(first), "seven days", "auth/jwt/refresh.md")
		s.want(s.open(second), "seven days")
	}
}

func derivedFilesOutStubsIn(s *suite) {
	search := s.open(treeOf(
		"auth/jwt/a.md", "# Alpha\n", "auth/context.md", "# Auth\n\nAbout alpha.\n", "auth/_index.md", "# Alpha\n",
		"auth/jwt/context.md", "# Topic: alpha\n\n## Overview\nKnowledge about alpha.\n",
		"_archived/auth/jwt/old.stub.md", "# Old alpha\n", "_archived/auth/jwt/old.full.md", "# Old alpha\n",
	))
	s.want(search, "alpha", "auth/jwt/a.md", "auth/context.md", "_archived/auth/jwt/old.stub.md")
}

func everyFieldIsFound(s *suite) {
	search := s.open(treeOf(library...))
	for _, c := range []struct{ field, text, path string }{
		{"title", "logout", "auth/sessions/logout.md"},
		{"summary", "rotate", "auth/jwt/refresh.md"},
		{"tag", "credentials", "auth/jwt/refresh.md"},
		{"keyword", "signout", "auth/sessions/logout.md"},
		{"question", "all devices", "auth/sessions/logout.md"},
		{"heading", "grace period", "auth/sessions/logout.md"},
		{"body", "staging", "database/migrations/rollback.md"},
		{"identifier", "retryBudget", "auth/jwt/refresh.md"},
		{"path", "limits", "database/pool/limits.md"},
	} {
		if got := s.found(search, c.text); len(got) == 0 || got[0] != c.path {
			s.Errorf("%s: %q finds %v, want %s first", c.field, c.text, got, c.path)
		}
	}
}

func ranksTheSubjectFirst(s *suite) {
	files := append([]string{}, library...)
	for i := range 8 {
		files = append(files, fmt.Sprintf("notes/general/n%d.md", i),
			"# A note\n\nSomewhere a refresh token is mentioned among many other things that a note may say.\n")
	}
	if got := s.found(s.open(treeOf(files...)), "refresh tokens"); len(got) == 0 || got[0] != "auth/jwt/refresh.md" {
		s.Errorf("the entry on refresh tokens is not first: %v", got)
	}
}

func hitsAreWhole(s *suite) {
	snap := treeOf(library...)
	res := s.ask(s.open(snap), retrieval.Query{Text: "refresh token connection"})
	if len(res.Hits) < 2 {
		s.Fatalf("hits %v", pathsOf(res))
	}
	for i, h := range res.Hits {
		e, ok := snap.Entry(h.Path)
		if !ok {
			s.Errorf("%s is not in the tree", h.Path)
			continue
		}
		if h.Title != e.Title || !(h.Score >= 0 && h.Score <= 1) || len(h.Matched) == 0 {
			s.Errorf("%s: %+v", h.Path, h)
		}
		if h.Passage.Start < 0 || h.Passage.End < h.Passage.Start || h.Passage.End > len(e.Text) {
			s.Errorf("%s: passage %v of %d bytes", h.Path, h.Passage, len(e.Text))
		}
		if i > 0 && h.Raw > res.Hits[i-1].Raw {
			s.Errorf("%s stands behind a worse one", h.Path)
		}
		if slices.Contains(pathsOf(res)[:i], h.Path) {
			s.Errorf("%s is found twice", h.Path)
		}
	}
}

func scope(s *suite) {
	search := s.open(treeOf(library...))
	res := s.ask(search, retrieval.Query{Text: "a session or a connection", Scope: "auth"})
	if res.Scope != "auth" || len(res.Hits) == 0 {
		s.Errorf("in auth: scope %q, hits %v", res.Scope, pathsOf(res))
	}
	for _, p := range pathsOf(res) {
		if !strings.HasPrefix(p, "auth/") {
			s.Errorf("%s is not in auth", p)
		}
	}
	if res := s.ask(search, retrieval.Query{Text: "connection", Scope: "no/such/place"}); res.Note == "" || len(res.Hits) == 0 {
		s.Errorf("a scope that does not exist: note %q, hits %v", res.Note, pathsOf(res))
	}
}

func limit(s *suite) {
	var files []string
	for i := range 3 * retrieval.MaxLimit {
		files = append(files, fmt.Sprintf("a/b/n%d.md", i), "# Note\n\nAbout alpha.\n")
	}
	search := s.open(treeOf(files...))
	for _, c := range []struct{ limit, want int }{{0, retrieval.DefaultLimit}, {-1, retrieval.DefaultLimit}, {1, 1}, {7, 7},
		{1 << 30, retrieval.MaxLimit}} {
		if got := len(s.ask(search, retrieval.Query{Text: "alpha", Limit: c.limit}).Hits); got != c.want {
			s.Errorf("limit %d: %d hits, want %d", c.limit, got, c.want)
		}
	}
}

func outOfDomain(s *suite) {
	search := s.open(treeOf(library...))
	if res := s.ask(search, retrieval.Query{Text: "sourdough hydration percentages"}); !res.OutOfDomain || len(res.Unknown) == 0 {
		s.Errorf("takes up a foreign question: hits %v, unknown %v", pathsOf(res), res.Unknown)
	}
	if res := s.ask(search, retrieval.Query{Text: "refresh token"}); res.OutOfDomain {
		s.Errorf("refuses a question that it can answer")
	}
}

func emptyTree(s *suite) {
	search := s.open(treeOf())
	for _, text := range []string{"", "anything", "auth/jwt token"} {
		if res := s.ask(search, retrieval.Query{Text: text}); len(res.Hits) > 0 {
			s.Errorf("%q finds %v in an empty tree", text, pathsOf(res))
		}
	}
	s.want(s.open(treeOf(library...)), "cookies", "auth/sessions/logout.md")
}

func oddQuestions(s *suite) {
	search := s.open(treeOf(library...))
	for name, text := range map[string]string{
		"empty": "", "blank": " \t\r\n", "punctuation": strings.Repeat("?!.,;:/\\-_'\"()[]{}<>|*&^%$#@~`", 100),
		"stop words": "what is it that they are of the", "invalid UTF-8": "\xff\xfe\xc3(\xed\xa0\x80 token \xf0\x28",
		"NUL": "to\x00ken \x00", "control": "\x01\x02\x1b[31m\u202e\u200b\ufeff", "1 MB": strings.Repeat("refresh token ", 1<<16),
		"one long word": strings.Repeat("a", 1<<20), "10,000 terms": manyTerms(10_000), "slashes": strings.Repeat("/", 5000) + " token",
		"dots": "../../../etc/passwd", "CJK": strings.Repeat("令牌轮换", 5000), "marks": "a" + strings.Repeat("\u0301", 5000),
		"syntax": `title:"x" AND NOT (y~2^3) +z* [a TO b] /re.*/`,
	} {
		ctx, stop := context.WithTimeout(s.Context(), patience)
		for _, q := range []retrieval.Query{{Text: text}, {Text: "token", Scope: text}} {
			res, err := search(ctx, q)
			if err != nil {
				s.Errorf("%s: %v", name, err)
			}
			if len(res.Hits) > retrieval.MaxLimit {
				s.Errorf("%s: %d hits", name, len(res.Hits))
			}
		}
		stop()
	}
	s.want(search, "")
}

func manyTerms(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return b.String()
}

func oddEntries(s *suite) {
	files := append([]string{
		"odd/a/empty.md", "",
		"odd/a/blank.md", strings.Repeat("\n", 100_000),
		"odd/a/word.md", "# Word\n" + strings.Repeat("x", 1<<20),
		"odd/a/terms.md", manyTerms(100_000),
		"odd/a/nul.md", "# Nul\n\x00\x00 to\x00ken \x00",
		"odd/a/bytes.md", "# Bytes\n\xff\xfe\xc3( \xed\xa0\x80",
		"odd/a/open.md", "---\ntitle: [never closed\n\n# Open\nzebra",
		"odd/a/same.md", strings.Repeat("zebra ", 50_000),
	}, library...)
	search := s.open(treeOf(files...))
	s.want(search, "cookies", "auth/sessions/logout.md")
	s.want(search, "word77777", "odd/a/terms.md")
	s.want(search, "zebra", "odd/a/open.md", "odd/a/same.md")
}

func cancelledContext(s *suite) {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	snap := treeOf(library...)
	if _, err := s.engine.Open(ctx, snap); err != nil && !errors.Is(err, context.Canceled) {
		s.Errorf("Open: %v", err)
	}
	search := s.open(snap)
	if _, err := search(ctx, retrieval.Query{Text: "refresh token"}); !errors.Is(err, context.Canceled) {
		s.Errorf("a search whose context is cancelled returns %v", err)
	}
	s.want(search, "cookies", "auth/sessions/logout.md")
}

func concurrentUse(s *suite) {
	snap := treeOf(library...)
	var tasks sync.WaitGroup
	for i := range 4 {
		tasks.Go(func() {
			for k := range 15 {
				p := fmt.Sprintf("notes/w%d/n.md", i)
				marker := fmt.Sprintf("markerw%dk%d", i, k)
				search, err := s.engine.Open(s.Context(), snap.With(p, "# Note\n\n"+marker+"\n"))
				if err != nil {
					s.Errorf("Open: %v", err)
					return
				}
				for range 3 {
					res, err := search(s.Context(), retrieval.Query{Text: marker})
					if err != nil || len(res.Hits) == 0 || res.Hits[0].Path != p {
						s.Errorf("%s: %v, %v", marker, pathsOf(res), err)
					}
				}
			}
		})
	}
	tasks.Wait()
}

func closes(s *suite) {
	search := s.open(treeOf(library...))
	for range 2 {
		if err := s.engine.Close(); err != nil {
			s.Errorf("Close: %v", err)
		}
	}
	if _, err := s.engine.Open(s.Context(), treeOf(library...)); err == nil {
		s.Errorf("Open after Close succeeds")
	}
	s.want(search, "cookies", "auth/sessions/logout.md")
}
