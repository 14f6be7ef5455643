package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// stuckEngine makes no search before it is let go.
type stuckEngine struct {
	retrieval.Engine
	free chan struct{}
}

func (e stuckEngine) Open(ctx context.Context, t *tree.Snapshot) (retrieval.Search, error) {
	<-e.free
	return e.Engine.Open(ctx, t)
}

// stuck is a workspace whose code and search are not ready before the test ends.
func stuck(t *testing.T) *Workspace {
	reading, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w := open(t, files, Options{Progress: func(Progress) {
		once.Do(func() {
			close(reading)
			<-goOn
		})
	}})
	free := make(chan struct{})
	w.engine = stuckEngine{w.engine, free}
	t.Cleanup(func() { close(goOn); close(free) }) // before Close of the workspace
	go w.WaitCode(context.WithoutCancel(t.Context()))
	<-reading
	return w
}

// TestAnswersAreThereAtTheDeadline asks everything that takes a deadline of a workspace
// where nothing becomes ready.
func TestAnswersAreThereAtTheDeadline(t *testing.T) {
	w := stuck(t)
	for name, c := range map[string]struct{ request, degraded string }{
		"brv.query":   {`{"text": "how are tokens signed", "deadlineMs": 2}`, foundBy},
		"brv.search":  {`{"text": "how are tokens signed", "deadlineMs": 2}`, foundBy},
		"brv.explain": {`{"query": "how are tokens signed", "path": "auth/jwt/tokens.md", "deadlineMs": 2}`, foundBy},
		"brv.map":     {`{"task": "sign", "path": "src/use.go", "deadlineMs": 2}`, someCode},
		"brv.expand":  {`{"paths": ["src/use.go"], "budgetTokens": 100, "deadlineMs": 2}`, someCode},
		"brv.graph":   {`{"path": "auth/jwt/tokens.md", "deadlineMs": 2}`, someCode},
		"brv.pack":    {`{"task": "sign tokens", "budgetTokens": 100, "deadlineMs": 2}`, someCode},
	} {
		raw, err := json.Marshal(run(t, w, name, c.request))
		var r struct{ Degraded []string }
		if err != nil || json.Unmarshal(raw, &r) != nil || !strings.Contains(strings.Join(r.Degraded, "\n"), c.degraded+": reading takes longer than the deadline") {
			t.Errorf("%s: %v, %s", name, err, raw)
		}
	}
}

// run runs a command of the table.
func run(t *testing.T, w *Workspace, name, request string) any {
	t.Helper()
	for _, c := range Commands() {
		if c.Name == name {
			r, err := c.Run(t.Context(), w, w.View(), json.RawMessage(request))
			if err != nil {
				t.Errorf("%s %s: %v", name, request, err)
			}
			return r
		}
	}
	t.Fatalf("no command %s", name)
	return nil
}

// TestTheLastSearchServesAtTheDeadline edits an entry while the index of the new tree
// cannot be made.
func TestTheLastSearchServesAtTheDeadline(t *testing.T) {
	w := open(t, files, Options{})
	if _, err := w.View().Search(t.Context()); err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	w.engine = stuckEngine{w.engine, free}
	w.Overlay(".brv/context-tree/auth/jwt/tokens.md", "# Short\n")
	s := run(t, w, "brv.search", `{"text": "how are access tokens signed", "deadlineMs": 2}`).(*SearchResponse)
	if len(s.Hits) == 0 || len(s.Degraded) != 1 || !strings.HasPrefix(s.Degraded[0], newestEntries) {
		t.Errorf("search: %+v", s)
	}
	q := run(t, w, "brv.query", `{"text": "how are access tokens signed", "deadlineMs": 2}`).(*QueryResponse)
	if len(q.Sources) == 0 || len(q.Degraded) != 1 || !strings.HasPrefix(q.Degraded[0], newestEntries) {
		t.Errorf("query: %+v", q)
	}
}

func TestReadTellsWhatItHadNoTimeFor(t *testing.T) {
	w := open(t, files, Options{})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	h := &haste{whole: t.Context(), prompt: over}
	if err := h.spare(someFiles, context.DeadlineExceeded); err != nil || len(h.degraded) != 1 || !h.late() {
		t.Errorf("%v, %q", err, h.degraded)
	}
	mine := &haste{whole: over, prompt: over}
	if err := mine.spare(someFiles, context.Canceled); !errors.Is(err, context.Canceled) || mine.degraded != nil {
		t.Errorf("a cancelled request goes on: %v, %q", err, mine.degraded)
	}
	r := run(t, w, "brv.read", `{"paths": ["auth/jwt/tokens.md"], "budgetTokens": 500, "deadlineMs": 60000}`).(*ReadResponse)
	if r.Text == "" || r.Degraded != nil {
		t.Errorf("far from the deadline: %+v", r)
	}
}

func TestBudgetsBoundAnswers(t *testing.T) {
	w := open(t, files, Options{})
	all := run(t, w, "brv.query", `{"text": "how are access tokens signed"}`).(*QueryResponse)
	few := run(t, w, "brv.query", `{"text": "how are access tokens signed", "budgetTokens": 10}`).(*QueryResponse)
	if few.Tokens > 10 || few.Tokens != tokens.Count(few.Markdown) || few.Markdown == "" || !strings.HasPrefix(all.Markdown, few.Markdown) || len(few.Degraded) != 1 || all.Degraded != nil {
		t.Errorf("query: %+v of %+v", few, all)
	}
	s := run(t, w, "brv.search", `{"text": "tokens", "budgetTokens": 1}`).(*SearchResponse)
	if len(s.Hits) != 0 || len(s.Degraded) != 1 || !strings.HasSuffix(s.Degraded[0], "more hits: the budget is used up") {
		t.Errorf("search: %+v", s)
	}
	g := run(t, w, "brv.graph", `{"path": "auth/jwt/tokens.md", "budgetTokens": 90}`).(*GraphResponse)
	whole := run(t, w, "brv.graph", `{"path": "auth/jwt/tokens.md"}`).(*GraphResponse)
	if len(g.Nodes) == 0 || len(g.Nodes) >= len(whole.Nodes) || g.Left != len(whole.Nodes)-len(g.Nodes) {
		t.Errorf("graph: %+v of %+v", g, whole)
	}
}

func TestExplainTakesAScoreApart(t *testing.T) {
	w := open(t, files, Options{})
	r := run(t, w, "brv.explain", `{"query": "how are access tokens signed", "path": ".brv/context-tree/auth/jwt/tokens.md"}`).(*ExplainResponse)
	if !r.Found || r.Rank != 1 || r.Best != r.Path || len(r.Words) == 0 || !strings.Contains(r.Text, "sure: ") {
		t.Errorf("%+v", r)
	}
	sum := 0.0
	for _, p := range r.Parts {
		sum += p.Value
	}
	if got := sum * r.Lifecycle; got < 0.99*r.Raw || got > 1.01*r.Raw {
		t.Errorf("the parts sum to %v, raw is %v", got, r.Raw)
	}
	for _, c := range Commands() {
		if c.Name == "brv.explain" {
			if _, err := c.Run(t.Context(), w, w.View(), json.RawMessage(`{"query": "x", "path": "src/use.go"}`)); err == nil || !strings.Contains(err.Error(), "no entry") {
				t.Errorf("of a code file: %v", err)
			}
		}
	}
}

func TestGraphFollowsBothDirections(t *testing.T) {
	w := open(t, files, Options{})
	g := run(t, w, "brv.graph", `{"path": "auth/jwt/tokens.md", "depth": 2}`).(*GraphResponse)
	known := map[string]bool{}
	for _, n := range g.Nodes {
		if known[n.ID] {
			t.Errorf("%s twice", n.ID)
		}
		known[n.ID] = true
	}
	out, in := 0, 0
	for _, e := range g.Edges {
		if !known[e.From] || !known[e.To] || e.Count < 1 {
			t.Errorf("edge %+v", e)
		}
		if e.From == g.Nodes[0].ID {
			out++
		}
		if e.To == g.Nodes[0].ID {
			in++
		}
	}
	if g.Nodes[0].ID != "entry:auth/jwt/tokens.md" || out == 0 || in == 0 {
		t.Errorf("%+v", g)
	}
	one := run(t, w, "brv.graph", `{"path": "auth/jwt/tokens.md", "limit": 1}`).(*GraphResponse)
	if len(one.Nodes) != 1 || len(one.Edges) != 0 || one.Left == 0 {
		t.Errorf("bounded: %+v", one)
	}
}
