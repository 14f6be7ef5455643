package workspace_test

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
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
	"github.com/brv-lsp/brv-lsp/workspace/limits"
	"github.com/brv-lsp/brv-lsp/workspace/workspacetest"
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
func stuck(t *testing.T) *workspace.Workspace {
	reading, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{Progress: func(workspace.Progress) {
		once.Do(func() {
			close(reading)
			<-goOn
		})
	}})
	free := make(chan struct{})
	w.WrapEngine(func(e retrieval.Engine) retrieval.Engine { return stuckEngine{e, free} })
	t.Cleanup(func() { close(goOn); close(free) }) // before Close of the workspace
	go w.WaitCode(context.WithoutCancel(t.Context()))
	<-reading
	return w
}

// TestAnswersAreThereAtTheDeadline asks everything that takes a deadline of a workspace
// where nothing becomes ready.
func TestAnswersAreThereAtTheDeadline(t *testing.T) {
	w := stuck(t)
	ctx, v := t.Context(), w.View()
	about := consult.QueryRequest{Text: "how are tokens signed", Limits: limits.Limits{DeadlineMs: 2}}
	for name, c := range map[string]struct {
		ask      func() (any, error)
		degraded string
	}{
		"query":  {func() (any, error) { return consult.Query(ctx, v, about) }, limits.FoundBy},
		"search": {func() (any, error) { return consult.Search(ctx, v, about) }, limits.FoundBy},
		"map": {func() (any, error) {
			return codemap.Map(ctx, v, codemap.MapRequest{Task: "sign", Path: "src/use.go", DeadlineMs: 2})
		}, limits.SomeCode},
		"expand": {func() (any, error) {
			return codemap.Expand(ctx, v, codemap.ExpandRequest{Paths: []string{"src/use.go"}, BudgetTokens: 100, DeadlineMs: 2})
		}, limits.SomeCode},
		"pack": {func() (any, error) {
			return contextpack.Pack(ctx, v, contextpack.PackRequest{Task: "sign tokens", BudgetTokens: 100, DeadlineMs: 2})
		}, limits.SomeCode},
	} {
		answer, err := c.ask()
		raw, jsonErr := json.Marshal(answer)
		var r struct{ Degraded []string }
		if err != nil || jsonErr != nil || json.Unmarshal(raw, &r) != nil ||
			!strings.Contains(strings.Join(r.Degraded, "\n"), c.degraded+": the deadline passed") {
			t.Errorf("%s: %v, %s", name, err, raw)
		}
	}
}

// TestTheLastSearchServesAtTheDeadline edits an entry while the index of the new tree
// cannot be made. The documents may be missing too: 2 ms are short.
func TestTheLastSearchServesAtTheDeadline(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	if _, err := w.View().Search(t.Context()); err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{})
	t.Cleanup(func() { close(free) })
	w.WrapEngine(func(e retrieval.Engine) retrieval.Engine { return stuckEngine{e, free} })
	w.Overlay(".brv/context-tree/auth/jwt/tokens.md", "# Short\n")
	s, err := consult.Search(t.Context(), w.View(), consult.QueryRequest{Text: "how are access tokens signed",
		Limits: limits.Limits{DeadlineMs: 2}})
	fine(t, err)
	if len(s.Hits) == 0 || !strings.Contains(strings.Join(s.Degraded, "\n"), limits.NewestEntries) {
		t.Errorf("search: %+v", s)
	}
	q, err := consult.Query(t.Context(), w.View(), consult.QueryRequest{Text: "how are access tokens signed",
		Limits: limits.Limits{DeadlineMs: 2}})
	fine(t, err)
	if len(q.Sources) == 0 || !strings.Contains(strings.Join(q.Degraded, "\n"), limits.NewestEntries) {
		t.Errorf("query: %+v", q)
	}
}

func TestReadTellsWhatItHadNoTimeFor(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	h := &limits.Deadline{Request: t.Context(), Prompt: over}
	if err := h.Spare(limits.SomeFiles, context.DeadlineExceeded); err != nil || len(h.Degraded) != 1 || !h.Exceeded() {
		t.Errorf("%v, %q", err, h.Degraded)
	}
	mine := &limits.Deadline{Request: over, Prompt: over}
	if err := mine.Spare(limits.SomeFiles, context.Canceled); !errors.Is(err, context.Canceled) || mine.Degraded != nil {
		t.Errorf("a cancelled request goes on: %v, %q", err, mine.Degraded)
	}
	r, err := consult.Read(t.Context(), w.View(), consult.ReadRequest{Paths: []string{"auth/jwt/tokens.md"}, BudgetTokens: 500,
		DeadlineMs: 60000})
	fine(t, err)
	if r.Text == "" || r.Degraded != nil {
		t.Errorf("far from the deadline: %+v", r)
	}
}

func TestBudgetsBoundAnswers(t *testing.T) {
	w := workspacetest.Open(t, workspacetest.Files, workspace.Options{})
	all, err := consult.Query(t.Context(), w.View(), consult.QueryRequest{Text: "how are access tokens signed"})
	fine(t, err)
	few, err := consult.Query(t.Context(), w.View(), consult.QueryRequest{Text: "how are access tokens signed",
		Limits: limits.Limits{BudgetTokens: 10}})
	fine(t, err)
	if few.Tokens > 10 || few.Tokens != tokens.Count(few.Markdown) || few.Markdown == "" ||
		!strings.HasPrefix(all.Markdown, few.Markdown) || len(few.Degraded) != 1 || all.Degraded != nil {
		t.Errorf("query: %+v of %+v", few, all)
	}
	s, err := consult.Search(t.Context(), w.View(), consult.QueryRequest{Text: "tokens", Limits: limits.Limits{BudgetTokens: 1}})
	fine(t, err)
	if len(s.Hits) != 0 || len(s.Degraded) != 1 || !strings.HasSuffix(s.Degraded[0], "more hits left out: the budget is used up") {
		t.Errorf("search: %+v", s)
	}
}

func fine(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
