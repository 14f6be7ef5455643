package llmtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/brv-lsp/brv-lsp/llm"
)

// Turn is one request that a scripted model expects, and its answer.
type Turn struct {
	Want  []Want
	Say   llm.Response
	Err   error                                     // instead of Say
	Wait  func(ctx context.Context) error           // before it answers; its error is the answer
	Reply func(r llm.Request) (llm.Response, error) // instead of Say and Err
}

// Want holds the conditions that a request must meet.
type Want struct {
	In   string // "system", "last" (what came since the model spoke), "any" (the whole request), "tools" or "calls"
	Text string // a part of it; for tools all their names, for calls "yes" or "no"
	Not  bool   // it must not hold it
}

// Model is a scripted model. It is safe for concurrent use.
type Model struct {
	t testing.TB

	mu    sync.Mutex // guards what follows
	turns []Turn
	asked int
}

// New returns a model that plays its turns once. When the test ends, all must have been used.
func New(t testing.TB, turns ...Turn) *Model {
	t.Helper()
	m := &Model{t: t, turns: turns}
	t.Cleanup(func() {
		if m.mu.Lock(); m.asked < len(m.turns) {
			t.Errorf("the model was asked %d times, its script has %d turns", m.asked, len(m.turns))
		}
		m.mu.Unlock()
	})
	return m
}

// Load is New with a script in text form.
func Load(t testing.TB, script string) *Model {
	t.Helper()
	turns, err := Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	return New(t, turns...)
}

// Name is "scripted".
func (m *Model) Name() string { return "scripted" }

// Complete plays the next turn.
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	m.mu.Lock()
	i := m.asked
	m.asked++
	m.mu.Unlock()
	if i >= len(m.turns) {
		m.t.Errorf("the script has %d turns; the model was asked once more:\n%s", len(m.turns), Format(r))
		return llm.Response{}, errors.New("llmtest: the script is over")
	}
	turn := m.turns[i]
	if unmet := turn.unmet(r); unmet != "" {
		m.t.Errorf("turn %d is not as foreseen (- wanted, + got):\n%sin the request\n%s", i+1, unmet, Format(r))
	}
	if turn.Wait != nil {
		if err := turn.Wait(ctx); err != nil {
			return llm.Response{}, err
		}
	}
	if turn.Reply != nil {
		return turn.Reply(r)
	}
	if r.Stream != nil && turn.Err == nil {
		for line := range strings.Lines(turn.Say.Text) {
			r.Stream(line)
		}
	}
	return turn.Say, turn.Err
}

// unmet lists what a request lacks.
func (t *Turn) unmet(r llm.Request) string {
	var b strings.Builder
	for _, w := range t.Want {
		got, ok := w.met(r)
		if ok {
			continue
		}
		not := ""
		if w.Not {
			not = "not "
		}
		fmt.Fprintf(&b, "- %s%s: %s\n", not, w.In, w.Text)
		if got != "" {
			fmt.Fprintf(&b, "+ %s: %s\n", w.In, got)
		}
	}
	return b.String()
}

// met reports whether a request meets a condition. got is the actual value, if it is short.
func (w Want) met(r llm.Request) (got string, ok bool) {
	switch w.In {
	case "tools":
		got = toolNames(r)
		return got, (strings.Join(strings.Fields(w.Text), " ") == got) != w.Not
	case "calls":
		got = "yes"
		if r.NoCalls || len(r.Tools) == 0 {
			got = "no"
		}
		return got, (got == w.Text) != w.Not
	case "system":
		return "", strings.Contains(r.System, w.Text) != w.Not
	case "last":
		return "", strings.Contains(sinceItSpoke(r), w.Text) != w.Not
	case "any":
		return "", strings.Contains(Format(r), w.Text) != w.Not
	}
	return "no such part of a request", false
}

// Recorder is a model that keeps every request to another.
type Recorder struct {
	llm.Model

	mu       sync.Mutex // guards what follows
	requests []llm.Request
}

// Record wraps a model.
func Record(m llm.Model) *Recorder { return &Recorder{Model: m} }

// Complete keeps the request and asks the model.
func (r *Recorder) Complete(ctx context.Context, q llm.Request) (llm.Response, error) {
	kept := q
	kept.Messages = append([]llm.Message(nil), q.Messages...)
	r.mu.Lock()
	r.requests = append(r.requests, kept)
	r.mu.Unlock()
	return r.Model.Complete(ctx, q)
}

// Requests are the requests so far, in order.
func (r *Recorder) Requests() []llm.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]llm.Request(nil), r.requests...)
}

// Format shows a request for people and for goldens.
func Format(r llm.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[system]\n%s\n", strings.TrimRight(r.System, "\n"))
	for _, m := range r.Messages {
		b.WriteString(formatMessage(m))
	}
	fmt.Fprintf(&b, "[request] max tokens %d, temperature %.1f", r.MaxTokens, r.Temperature)
	if len(r.Tools) > 0 {
		fmt.Fprintf(&b, ", tools %s", toolNames(r))
	}
	if r.NoCalls {
		b.WriteString(", no calls")
	}
	if r.Schema != nil {
		b.WriteString(", schema " + r.Schema.Name)
	}
	return b.String() + "\n"
}

// sinceItSpoke shows the messages after the model's last one.
func sinceItSpoke(r llm.Request) string {
	out := ""
	for _, m := range r.Messages {
		if out += formatMessage(m); m.Role == llm.RoleAssistant {
			out = ""
		}
	}
	return out
}

func formatMessage(m llm.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", m.Role)
	if m.Text != "" {
		b.WriteString(strings.TrimRight(m.Text, "\n") + "\n")
	}
	for _, c := range m.Calls {
		fmt.Fprintf(&b, "call %s %s\n", c.Tool, c.Arguments)
	}
	for _, r := range m.Results {
		what := "result"
		if r.IsError {
			what = "failed"
		}
		fmt.Fprintf(&b, "%s %s\n%s\n", what, r.ID, strings.TrimRight(r.Text, "\n"))
	}
	return b.String()
}

func toolNames(r llm.Request) string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}
