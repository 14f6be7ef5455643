package retrieval

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval/alike"
)

// memory is a memory of answers with a clock that stands still.
func memory() (*alike.Memory[Answer], *time.Time) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return newAnswers(func() time.Time { return now }), &now
}

// questionOf is a text as it is compared.
func questionOf(text string) alike.Question { return Query{Text: text}.question() }

// at is the basis of answers from a tree.
func at(tree string) alike.Basis { return alike.Basis{Tree: tree} }

func TestExactHitNeedsSameQuestionAndBounds(t *testing.T) {
	loop := TierLoop
	asked := Query{Text: "What is the refresh token TTL?", Scope: "auth/jwt", Limit: 5}
	for _, c := range []struct {
		name string
		q    Query
		hit  bool
	}{
		{"the same", asked, true},
		{"case, space and punctuation", Query{Text: " what is the  Refresh\tTOKEN ttl ?!", Scope: "auth/jwt", Limit: 5}, true},
		{"full width", Query{Text: "ｗｈａｔ is the refresh token ttl？", Scope: "auth/jwt", Limit: 5}, true},
		{"the scope written otherwise", Query{Text: asked.Text, Scope: "@Auth/JWT/", Limit: 5}, true},
		{"the highest tier", Query{Text: asked.Text, Scope: "auth/jwt", Limit: 5, MaxTier: &loop}, true},
		{"a word more", Query{Text: asked.Text + " now", Scope: "auth/jwt", Limit: 5}, false},
		{"another order", Query{Text: "what is the token refresh ttl", Scope: "auth/jwt", Limit: 5}, false},
		{"another scope", Query{Text: asked.Text, Scope: "auth", Limit: 5}, false},
		{"no scope", Query{Text: asked.Text, Limit: 5}, false},
		{"another limit", Query{Text: asked.Text, Scope: "auth/jwt"}, false},
	} {
		m, _ := memory()
		m.Keep(asked.question(), at("tree"), Answer{Text: "an hour"})
		if a, ok := m.Same(c.q.question(), at("tree")); ok != c.hit || ok && a.Text != "an hour" {
			t.Errorf("%s: hit %v", c.name, ok)
		}
	}
}

func TestExactKeepsWhatTellsQuestionsApart(t *testing.T) {
	for _, p := range [][2]string{
		{"what does IT do", "what does it do"},
		{"what does -v do", "what does -V do"},
		{"what is C", "what is C++"},
		{"is it 1.5", "is it 15"},
		{"what is !", "what is ?"},
		{"foo_bar", "foo bar"},
		{strings.Repeat("x ", maxQuery), strings.Repeat("x ", maxQuery) + "y"},
	} {
		if questionOf(p[0]).Exact == questionOf(p[1]).Exact {
			t.Errorf("%.40q and %.40q are one question", p[0], p[1])
		}
	}
	a, b := Query{Text: "a b", Scope: "c"}, Query{Text: "b", Scope: "c a"}
	if a.question().Exact == b.question().Exact {
		t.Error("scope runs into text")
	}
}

func TestUnicodeFormsAreOneQuestion(t *testing.T) {
	for _, p := range [][2]string{{"Caf\u00e9", "cafe\u0301"}, {"\u30ac", "\u30ab\u3099"}, {"\uac00", "\u1100\u1161"}} {
		if questionOf(p[0]).Exact != questionOf(p[1]).Exact {
			t.Errorf("%+q and %+q differ", p[0], p[1])
		}
	}
}

func TestAnswersHoldForOneTreeAndNotForLong(t *testing.T) {
	q, like := Query{Text: "refresh token expiry"}, Query{Text: "refresh tokens expiry"}
	for _, c := range []struct {
		name  string
		after time.Duration
		tree  string
		hit   bool
	}{
		{"at once", 0, "tree", true},
		{"within its life", answerLife - 1, "tree", true},
		{"at its end", answerLife, "tree", false},
		{"with the clock set back", -time.Second, "tree", false},
		{"another tree", 0, "other", false},
	} {
		m, now := memory()
		m.Keep(q.question(), at("tree"), Answer{Text: "an hour", Sources: []Source{{Path: "auth/jwt/tokens.md"}}})
		*now = now.Add(c.after)
		if _, ok := m.Same(q.question(), at(c.tree)); ok != c.hit {
			t.Errorf("%s: exact %v", c.name, ok)
		}
		a, asked, ok := m.Like(like.question(), at(c.tree))
		if ok != c.hit {
			t.Errorf("%s: fuzzy %v", c.name, ok)
		}
		if ok && (a.Text != "an hour" || asked != q.Text || len(a.Sources) != 1) {
			t.Errorf("%s: %+v for %q", c.name, a, asked)
		}
	}
}

func TestAnswersOfAnotherTreeAreForgotten(t *testing.T) {
	m, _ := memory()
	m.Keep(questionOf("one"), at("old"), Answer{})
	m.Keep(questionOf("two"), at("new"), Answer{})
	if m.Len() != 1 {
		t.Errorf("%d kept", m.Len())
	}
	if _, ok := m.Same(questionOf("one"), at("old")); ok {
		t.Error("the old tree answers")
	}
}

func TestAnswersAreBounded(t *testing.T) {
	m, _ := memory()
	for i := range 2 * answersKept {
		m.Keep(questionOf(fmt.Sprintf("question %d", i)), at("tree"), Answer{})
	}
	if m.Len() != answersKept {
		t.Errorf("%d kept", m.Len())
	}
}

func TestFuzzyHitNeedsSameBounds(t *testing.T) {
	m, _ := memory()
	m.Keep(Query{Text: "refresh token expiry", Scope: "auth"}.question(), at("tree"), Answer{})
	for scope, want := range map[string]bool{"auth": true, "Auth/": true, "": false, "billing": false} {
		if _, _, ok := m.Like(Query{Text: "refresh tokens expiry", Scope: scope}.question(), at("tree")); ok != want {
			t.Errorf("%q: %v", scope, ok)
		}
	}
}

func TestAnswersAreNotShared(t *testing.T) {
	m, _ := memory()
	s := questionOf("refresh token expiry")
	mine := Answer{
		Sources: []Source{{Path: "a"}},
		Hits: []Hit{{Path: "a", Matched: []string{"a"}, Why: Score{Terms: []TermScore{{Word: "a", Terms: []string{"a"},
			Fields: []string{"a"}}}}}},
	}
	spoil := func(a Answer) {
		a.Sources[0].Path, a.Hits[0].Path, a.Hits[0].Matched[0] = "b", "b", "b"
		w := &a.Hits[0].Why.Terms[0]
		w.Word, w.Terms[0], w.Fields[0] = "b", "b", "b"
	}
	m.Keep(s, at("tree"), mine)
	spoil(mine)
	for range 2 {
		a, _ := m.Same(s, at("tree"))
		if h := a.Hits[0]; a.Sources[0].Path+h.Path+h.Matched[0]+h.Why.Terms[0].Word+h.Why.Terms[0].Terms[0]+
			h.Why.Terms[0].Fields[0] != "aaaaaa" {
			t.Fatalf("changed: %+v", a)
		}
		spoil(a)
		f, _, _ := m.Like(s, at("tree"))
		if f.Sources[0].Path != "a" || f.Hits[0].Matched[0] != "a" {
			t.Fatalf("changed: %+v", f)
		}
		spoil(f)
	}
}

func TestAnswersAreSafeForConcurrentUse(t *testing.T) {
	m, _ := memory()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 50 {
				s := questionOf(fmt.Sprintf("token number %d", j%10))
				m.Keep(s, at(fmt.Sprint("tree", i%2)), Answer{Hits: []Hit{{Path: "a"}}})
				m.Same(s, at("tree0"))
				m.Like(s, at("tree1"))
			}
		})
	}
	wait.Wait()
}

// askedBefore reads questions from what package alike is tested with: pairs, one a line,
// a | b.
func askedBefore(t testing.TB) (out []string) {
	t.Helper()
	for _, file := range []string{"nearmiss.txt", "sameword.txt", "otherword.txt"} {
		raw, err := os.ReadFile("alike/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			if a, _, ok := strings.Cut(line, " | "); ok && line[0] != '#' {
				out = append(out, a)
			}
		}
	}
	return out
}

func TestMechanicalPairs(t *testing.T) {
	names := os.Getenv("BRV_QUESTIONS")
	if names == "" {
		t.Skip("BRV_QUESTIONS names no queries.jsonl")
	}
	for _, name := range strings.Split(names, ":") {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var list []alike.Question
		for line := range strings.Lines(string(raw)) {
			var q struct{ Text, Scope string }
			if err := json.Unmarshal([]byte(line), &q); err != nil {
				t.Fatal(err)
			}
			list = append(list, Query{Text: q.Text, Scope: q.Scope}.question())
		}
		pairs, hits := 0, 0
		for i, a := range list {
			for _, b := range list[:i] {
				if a.Exact == b.Exact {
					continue
				}
				pairs++
				if a.Alike(b) {
					hits++
					t.Logf("one answer for %q and %q", a.Text, b.Text)
				}
			}
		}
		t.Logf("%s: %d questions, %d pairs, %d hits", name, len(list), pairs, hits)
	}
}

func FuzzAnswers(f *testing.F) {
	for _, q := range askedBefore(f) {
		f.Add(q, "what is "+q)
	}
	f.Add("", "\xff\xfe \" ' ` n't 's ’ - -- ( ) [] how to of of of")
	f.Fuzz(func(t *testing.T, a, b string) {
		m, _ := memory()
		m.Keep(questionOf(a), at("tree"), Answer{Text: a})
		if got, ok := m.Same(questionOf(a), at("tree")); !ok || got.Text != a {
			t.Fatalf("%q is not found again", a)
		}
		if _, text, ok := m.Like(questionOf(b), at("tree")); ok != questionOf(a).Alike(questionOf(b)) || ok && text != a {
			t.Fatalf("%q answers %q: %t", text, b, ok)
		}
	})
}

func BenchmarkExact(b *testing.B) {
	m, _ := memory()
	q := Query{Text: "What is the retention period of the audit logs in production?", Scope: "auth/jwt"}
	m.Keep(q.question(), at("tree"), Answer{Hits: make([]Hit, MaxLimit)})
	for b.Loop() {
		if _, ok := m.Same(q.question(), at("tree")); !ok {
			b.Fatal("missed")
		}
	}
}

func BenchmarkFuzzy(b *testing.B) {
	m, _ := memory()
	for _, q := range askedBefore(b) {
		m.Keep(questionOf(q), at("tree"), Answer{Hits: make([]Hit, MaxLimit)})
	}
	m.Keep(questionOf("Retention period of audit logs"), at("tree"), Answer{Hits: make([]Hit, MaxLimit)})
	b.ReportMetric(float64(m.Len()), "kept")
	for b.Loop() {
		if _, _, ok := m.Like(questionOf("Retention periods of the audit log?"), at("tree")); !ok {
			b.Fatal("missed")
		}
	}
}
