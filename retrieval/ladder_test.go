package retrieval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
	"github.com/brv-lsp/brv-lsp/tree"
)

// foundEngine finds the same in every tree, and counts how often it is asked.
type foundEngine struct {
	result Result
	asked  atomic.Int32
}

func (e *foundEngine) Open(context.Context, *tree.Snapshot) (Search, error) {
	return func(ctx context.Context, q Query) (Result, error) {
		e.asked.Add(1)
		return e.result, ctx.Err()
	}, nil
}

func (e *foundEngine) Close() error { return nil }

// modelFunc is a model that answers by a function.
type modelFunc func(ctx context.Context, r llm.Request) (llm.Response, error)

func (modelFunc) Name() string { return "made-up" }

func (f modelFunc) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	return f(ctx, r)
}

// scored is a result with hits of these scores in the ladder's tree.
func scored(scores ...float64) Result {
	r := Result{Evidence: Evidence{About: true, Sure: true}}
	for i, s := range scores {
		p := fmt.Sprintf("auth/tokens/t%d.md", i+1)
		r.Hits = append(r.Hits, Hit{Path: p, Title: fmt.Sprintf("Tokens %d", i+1), Score: s, Raw: s})
	}
	return r
}

func ladderTree() *tree.Snapshot {
	return snapshotOf(
		"auth/tokens/t1.md", "---\ntitle: Tokens 1\n---\n\nThey live seven days.\n",
		"auth/tokens/t2.md", "---\ntitle: Tokens 2\n---\n\nThey live seven weeks.\n",
	)
}

func TestTiersAreTriedInOrder(t *testing.T) {
	tier := func(n Tier) *Tier { return &n }
	says := modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: "Seven days [auth/tokens/t1.md]."}, nil
	})
	for _, c := range []struct {
		name     string
		result   Result
		model    llm.Model
		most     *Tier
		tier     Tier
		contains string
		reader   bool
		foreign  bool
	}{
		{name: "sure", result: scored(0.95), tier: TierDirect, contains: "They live seven days."},
		{name: "sure, no model is asked", result: scored(0.95), model: says, tier: TierDirect, contains: "They live seven days."},
		{name: "nothing", tier: TierDirect, contains: "no word to search for", foreign: true},
		{name: "foreign", result: Result{OutOfDomain: true, Unknown: []string{"sourdough"}}, model: says, tier: TierDirect,
			contains: "does not cover this question. No entry mentions: sourdough.", foreign: true},
		{name: "promising, no model", result: scored(0.75, 0.7), tier: TierModel, contains: "Best passages", reader: true},
		{name: "promising", result: scored(0.75, 0.7), model: says, tier: TierModel, contains: "Seven days"},
		{name: "vague, no model", result: scored(0.3, 0.2), tier: TierLoop, contains: "Best passages", reader: true},
		{name: "vague", result: scored(0.3, 0.2), model: says, tier: TierLoop, contains: "Seven days"},
		{name: "vague, one call allowed at most", result: scored(0.3, 0.2), model: says, most: tier(TierModel), tier: TierModel,
			contains: "Seven days"},
		{name: "vague, and a small context", result: scored(0.3, 0.2), model: &llmtest.Sized{Model: says, Says: 4096, Takes: 4096}, tier: TierModel,
			contains: "Seven days"},
		{name: "promising, no model allowed", result: scored(0.75, 0.7), model: says, most: tier(TierDirect), tier: TierDirect,
			contains: "Best passages", reader: true},
		{name: "only what is remembered", result: scored(0.95), most: tier(TierFuzzy), tier: TierFuzzy,
			contains: "This question has no stored answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := NewLadder(LadderOptions{Model: func() llm.Model { return c.model }})
			a, err := l.Answer(t.Context(), In(&foundEngine{result: c.result}, ladderTree()),
				Query{Text: "how long do tokens live", MaxTier: c.most})
			if err != nil {
				t.Fatal(err)
			}
			if a.Tier != c.tier || !strings.Contains(a.Text, c.contains) || a.ForReader != c.reader || a.OutOfDomain != c.foreign {
				t.Errorf("tier %d, for the reader %v, out of domain %v, %s\n%s", a.Tier, a.ForReader, a.OutOfDomain, a.Why, a.Text)
			}
			if wrote := a.Model != ""; wrote != strings.Contains(a.Text, "Seven days") {
				t.Errorf("model %q", a.Model)
			}
			if !c.foreign && c.most == nil && len(a.Sources) == 0 {
				t.Error("no sources")
			}
		})
	}
}

func TestRememberedAnswers(t *testing.T) {
	e, snap := &foundEngine{result: scored(0.95)}, ladderTree()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := NewLadder(LadderOptions{Now: func() time.Time { return now }})
	ask := func(snap *tree.Snapshot, text string) Answer {
		t.Helper()
		a, err := l.Answer(t.Context(), In(e, snap), Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := ask(snap, "refresh token expiry")
	for _, c := range []struct {
		text  string
		tier  Tier
		asked int32
	}{
		{"refresh token expiry", TierExact, 1},
		{"  Refresh  token expiry? ", TierExact, 1},
		{"refresh tokens expiry", TierFuzzy, 1},
		{"expiry of the refresh token", TierDirect, 2},
		{"access token expiry", TierDirect, 3},
	} {
		a := ask(snap, c.text)
		if a.Tier != c.tier || e.asked.Load() != c.asked {
			t.Errorf("%s: tier %d after %d searches (%s)", c.text, a.Tier, e.asked.Load(), a.Why)
		}
		if c.tier < TierDirect && (a.Text != first.Text || len(a.Sources) != 1 || !strings.Contains(a.Why, "stored answer to the question")) {
			t.Errorf("%s: %+v", c.text, a)
		}
	}
	if a := ask(snap.With("auth/tokens/t1.md", "---\ntitle: Tokens 1\n---\n\nThey live a day.\n"),
		"refresh token expiry"); a.Tier != TierDirect || !strings.Contains(a.Text, "a day") {
		t.Errorf("another tree: tier %d\n%s", a.Tier, a.Text)
	}
	now = now.Add(time.Minute + time.Second)
	if a := ask(snap, "refresh token expiry"); a.Tier != TierDirect {
		t.Errorf("after its time: tier %d", a.Tier)
	}
}

// A remembered answer serves whoever asks for what is remembered alone; a model's does
// not serve who asks for none.
func TestRememberedAnswersKeepTheirOrigin(t *testing.T) {
	says := modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: "Seven days [auth/tokens/t1.md]."}, nil
	})
	for _, c := range []struct {
		name   string
		result Result
		most   Tier
		tier   Tier
		reader bool
	}{
		{"a direct answer, remembered ones alone", scored(0.95), TierExact, TierExact, false},
		{"a direct answer, no model", scored(0.95), TierDirect, TierExact, false},
		{"a model's, remembered ones alone", scored(0.75, 0.7), TierExact, TierExact, false},
		{"a model's, no model", scored(0.75, 0.7), TierDirect, TierDirect, true},
		{"a tool loop's, one call at most", scored(0.3, 0.2), TierModel, TierModel, false},
	} {
		l := NewLadder(LadderOptions{Model: func() llm.Model { return says }})
		in, q := In(&foundEngine{result: c.result}, ladderTree()), Query{Text: "how long do tokens live"}
		if _, err := l.Answer(t.Context(), in, q); err != nil {
			t.Fatal(err)
		}
		q.MaxTier = &c.most
		if a, err := l.Answer(t.Context(), in, q); err != nil || a.Tier != c.tier || a.ForReader != c.reader {
			t.Errorf("%s: tier %d, for the reader %v (%v)", c.name, a.Tier, a.ForReader, err)
		}
	}
}

// A model that fails costs the answer, not the question: the passages are there, and
// the failure is not remembered.
func TestFailingModelLeavesThePassages(t *testing.T) {
	fails := true
	model := modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		if fails {
			return llm.Response{}, errors.New("no route to host")
		}
		return llm.Response{Text: "Seven days [auth/tokens/t1.md]."}, nil
	})
	l := NewLadder(LadderOptions{Model: func() llm.Model { return model }})
	in := In(&foundEngine{result: scored(0.75, 0.7)}, ladderTree())
	a, err := l.Answer(t.Context(), in, Query{Text: "how long do tokens live"})
	if err != nil || !a.ForReader || !strings.Contains(a.Note, "no route to host") || !strings.Contains(a.Text, "seven weeks") {
		t.Errorf("%v %+v", err, a)
	}
	fails = false
	if a, err = l.Answer(t.Context(), in, Query{Text: "how long do tokens live"}); err != nil || a.ForReader || a.Tier != TierModel {
		t.Errorf("the failure was remembered: %v %+v", err, a)
	}
}

func TestLeavingEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		model := modelFunc(func(ctx context.Context, _ llm.Request) (llm.Response, error) {
			<-ctx.Done()
			ended.Add(1)
			return llm.Response{}, ctx.Err()
		})
		l := NewLadder(LadderOptions{Model: func() llm.Model { return model }})
		in := In(&foundEngine{result: scored(0.75, 0.7)}, ladderTree())
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := l.Answer(ctx, in, Query{Text: "how long do tokens live"}); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel()
		wg.Wait()
		synctest.Wait()
		if ended.Load() != 1 {
			t.Errorf("%d runs ended", ended.Load())
		}
	})
}

// A panicking engine is a failed answer, also where the search runs beside the
// fingerprint.
func TestPanickingEngine(t *testing.T) {
	in := Searchable{Snapshot: ladderTree(), Open: func(context.Context) (Search, error) {
		return func(context.Context, Query) (Result, error) { panic("broken postings") }, nil
	}}
	_, err := NewLadder(LadderOptions{}).Answer(t.Context(), in, Query{Text: "tokens"})
	if err == nil || !strings.Contains(err.Error(), "broken postings") {
		t.Error(err)
	}
}

// An answer that rests on code holds only while the code is as it was; one that rests
// on the tree alone does not mind.
func TestAnswersAboutCodeHoldForThatCode(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls []llm.Call
		tier  Tier
	}{
		{"looked at code", []llm.Call{{ID: "1", Tool: "outline", Arguments: []byte(`{"file": "a.go"}`)}}, TierLoop},
		{"looked at the tree", []llm.Call{{ID: "1", Tool: "list", Arguments: []byte(`{}`)}}, TierExact},
	} {
		model := modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
			if len(r.Messages) == 1 {
				return llm.Response{Calls: c.calls}, nil
			}
			return llm.Response{Text: "Seven days [auth/tokens/t1.md]."}, nil
		})
		code := "before"
		l := NewLadder(LadderOptions{
			Model:   func() llm.Model { return model },
			Outline: func(context.Context, string) (string, error) { return "func Expire()", nil },
			Code:    func() string { return code },
		})
		in, q := In(&foundEngine{result: scored(0.3, 0.2)}, ladderTree()), Query{Text: "how long do tokens live"}
		ask := func() Answer {
			a, err := l.Answer(t.Context(), in, q)
			if err != nil {
				t.Fatal(c.name, err)
			}
			return a
		}
		ask()
		if a := ask(); a.Tier != TierExact {
			t.Errorf("%s, the same code: tier %d", c.name, a.Tier)
		}
		code = "after"
		if a := ask(); a.Tier != c.tier {
			t.Errorf("%s, other code: tier %d, want %d", c.name, a.Tier, c.tier)
		}
	}
}

// A sick model costs at most 5 s in tier 3 and 15 s in tier 4, and what was found is shown;
// one that is heard to answer may take its time (reliability, promise L1).
func TestSickModelsGiveWayToPassages(t *testing.T) {
	until := func(ctx context.Context, r llm.Request, piece string, every, all time.Duration) (llm.Response, error) {
		for began := time.Now(); time.Since(began) < all; {
			select {
			case <-time.After(every):
				r.Stream(piece)
			case <-ctx.Done():
				return llm.Response{}, ctx.Err()
			}
		}
		return llm.Response{Text: "Seven days [auth/tokens/t1.md]."}, nil
	}
	for _, c := range []struct {
		name   string
		model  modelFunc
		sick   bool
		reason string
	}{
		{"hangs", func(ctx context.Context, r llm.Request) (llm.Response, error) {
			return until(ctx, r, "", time.Hour, time.Hour)
		}, true, "no data came for"},
		{"heeds nothing", func(context.Context, llm.Request) (llm.Response, error) {
			time.Sleep(time.Hour)
			return llm.Response{}, nil
		}, true, "no data came for"},
		{"drips", func(ctx context.Context, r llm.Request) (llm.Response, error) {
			return until(ctx, r, "x", time.Second, time.Hour)
		}, true, "fewer than 16 count as no answer"},
		{"fails", func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{}, errors.New("overloaded")
		}, true, "overloaded"},
		{"panics", func(context.Context, llm.Request) (llm.Response, error) { panic("ouch") }, true, "ouch"},
		{"is slow", func(ctx context.Context, r llm.Request) (llm.Response, error) {
			return until(ctx, r, "some twenty bytes... ", 2*time.Second, 20*time.Second)
		}, false, ""},
	} {
		for tier, score := range map[Tier]float64{TierModel: 0.75, TierLoop: 0.3} {
			t.Run(fmt.Sprintf("%s, tier %d", c.name, tier), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told []int
					l := NewLadder(LadderOptions{Model: func() llm.Model { return c.model },
						Writing: func(n, _ int) { told = append(told, n) }})
					began := time.Now()
					a, err := l.Answer(t.Context(), In(&foundEngine{result: scored(score, score-.05)}, ladderTree()),
						Query{Text: "how long do tokens live"})
					took := time.Since(began)
					if err != nil || a.Tier != tier || a.ForReader != c.sick || !strings.Contains(a.Note, c.reason) ||
						(a.Model == "") != c.sick {
						t.Errorf("%v, tier %d, model %q, note %s\n%s", err, a.Tier, a.Model, a.Note, a.Text)
					}
					most := map[Tier]time.Duration{TierModel: 5 * time.Second, TierLoop: 15 * time.Second}[tier]
					if c.sick && took > most {
						t.Errorf("took %v", took)
					}
					synctest.Wait()
					if len(told) == 0 || told[len(told)-1] != 0 || !c.sick && tier == TierModel && fmt.Sprint(told) != "[0]" {
						t.Errorf("told %v", told)
					}
					time.Sleep(2 * time.Hour) // what was left behind ends
				})
			})
		}
	}
}

// How far an answer is, is told in steps.
func TestWritingIsTold(t *testing.T) {
	m := modelFunc(func(_ context.Context, r llm.Request) (llm.Response, error) {
		for range 300 {
			r.Stream("four bytes, say ")
		}
		return llm.Response{Text: "Seven days [auth/tokens/t1.md]."}, nil
	})
	var told []string
	l := NewLadder(LadderOptions{Model: func() llm.Model { return m },
		Writing: func(n, most int) { told = append(told, fmt.Sprintf("%d/%d", n, most)) }})
	if _, err := l.Answer(t.Context(), In(&foundEngine{result: scored(0.75, 0.7)}, ladderTree()),
		Query{Text: "how long do tokens live"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(told, " "); got != "128/1024 256/1024 384/1024 512/1024 640/1024 768/1024 896/1024 1024/1024 0/0" {
		t.Error(got)
	}
}

// named is a model with a name.
type named struct {
	modelFunc
	name string
}

func (n named) Name() string { return n.name }

// What a model said is given again while that model may be asked.
func TestRememberedAnswersOfModels(t *testing.T) {
	snap, e := ladderTree(), &foundEngine{result: scored(0.75, 0.7)}
	says := func(name string) llm.Model {
		return named{func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{Text: name + " says seven days [auth/tokens/t1.md]."}, nil
		}, name}
	}
	var model llm.Model
	l := NewLadder(LadderOptions{Model: func() llm.Model { return model }})
	fuzzy, loop := TierFuzzy, TierLoop
	for i, c := range []struct {
		model llm.Model
		text  string
		most  *Tier
		want  string // tier, model, for the reader
	}{
		{says("a"), "how long do tokens live", nil, "3 a false"},
		{says("a"), "how long do tokens live", nil, "0 a false"},
		{says("a"), "how long do the tokens live", &fuzzy, "1 a false"},
		{nil, "how long do tokens live", nil, "3  true"},
		{nil, "how long do the tokens live", &fuzzy, "1  false"}, // nothing is remembered
		{says("a"), "how long do tokens live", nil, "0 a false"},
		{says("b"), "how long do tokens live", &loop, "3 b false"},
		{says("b"), "how long do tokens live", nil, "0 b false"},
	} {
		model = c.model
		a, err := l.Answer(t.Context(), In(e, snap), Query{Text: c.text, MaxTier: c.most})
		if got := fmt.Sprint(int(a.Tier), " ", a.Model, " ", a.ForReader); err != nil || got != c.want {
			t.Errorf("%d: %v, got %s, want %s: %s", i, err, got, c.want, a.Why)
		}
	}
}

// No credential of an entry stands in a direct answer, in passages or in titles.
func TestAnswersOfTheTreeHoldNoCredentials(t *testing.T) {
	const password = "hunter2hunter2X9"
	snap := snapshotOf("auth/login/staging.md", "---\ntitle: \"Staging login, password: "+password+"\"\nsummary: \"password: "+
		password+"\"\n---\n\n## Test user of the staging login\n\n- password: `"+password+"`\n\n| DB_PASSWORD="+password+
		" | b |\n|---|---|\n| 1 | 2 |\n")
	x := indexOf(t, snap)
	e, _ := snap.Entry("auth/login/staging.md")
	res := search(t, x, Query{Text: "test user of the staging login"})
	all := passages(snap, res, TierLoop, "").Text + direct(snap, res, "").Text
	for i := range e.Text {
		if strings.HasPrefix(e.Text[i:], "| 1") || strings.HasPrefix(e.Text[i:], password) {
			all += rendered(e, markdown.Span{Start: i, End: len(e.Text)})
		}
	}
	for _, h := range res.Hits {
		all += h.Title
	}
	if strings.Contains(all, password) || strings.Contains(all, password[4:]) || !strings.Contains(all, "[REDACTED:assigned-secret]") {
		t.Error(all)
	}
}
