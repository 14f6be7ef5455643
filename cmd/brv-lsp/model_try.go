package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// tryWithin bounds how long each question of a trial may take: a model on one's own machine may have to be read
// from its disk first.
const tryWithin = time.Minute

// trial is the result of asking a model four short questions.
type trial struct {
	Answer  string    `json:"answer"`
	FirstMS int64     `json:"firstMs"` // until the first piece
	TotalMS int64     `json:"totalMs"`
	Usage   llm.Usage `json:"usage,omitzero"` // missing where the model does not say
	// Speed is the model's output per second, in its tokens, or in its pieces where it counts none; 0 where it
	// answered as a whole.
	Speed   float64 `json:"tokensPerSecond,omitempty"`
	Context int     `json:"contextTokens"`            // what it is shown fits these
	Assumed bool    `json:"contextAssumed,omitempty"` // the settings do not say, and a short question does not show it
	Tools   ability `json:"tools"`
	Schema  ability `json:"schema"`
}

// ability is whether a model did what it was asked for, and what it did or said instead.
type ability struct {
	Works   bool   `json:"works"`
	Instead string `json:"instead,omitempty"`
}

func (a ability) text(works string) string {
	if a.Works {
		return works
	}
	return "do not work: " + a.Instead
}

// text says in words what came of a trial; nothing of none.
func (t *trial) text() string {
	if t == nil {
		return ""
	}
	var b strings.Builder
	sayf(&b, "It answered %q: first piece after %d ms, all after %d ms", t.Answer, t.FirstMS, t.TotalMS)
	if t.Usage.Input+t.Usage.Output > 0 {
		sayf(&b, "; tokens: %d in, %d out", t.Usage.Input, t.Usage.Output)
	}
	speed, size := "not known: its answers are not streamed", "tokens, as brv.model.contextTokens says"
	if t.Speed > 0 {
		speed = fmt.Sprintf("%.1f tokens a second", t.Speed)
	}
	if t.Assumed {
		size = "tokens are assumed; say what your server gives it in brv.model.contextTokens"
	}
	sayf(&b, ".\nspeed:     %s\ncontext:   %d %s\ntools:     %s\nforms:     %s\n", speed, t.Context, size,
		t.Tools.text("it called the one that it was asked to call"), t.Schema.text("it answered in the JSON that it was asked for"))
	return b.String()
}

// trier asks a model.
type trier struct {
	m      llm.Model
	within time.Duration // for each question
}

// tryModel asks for one word, for a longer text, for the call of a tool and for JSON of a form. Only the first must
// succeed.
func tryModel(ctx context.Context, c provider.Choice, now settings.Model) (*trial, error) {
	m, err := c.New(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return nil, err
	}
	a := trier{m, max(tryWithin, 2*time.Duration(now.PatienceSeconds)*time.Second)}
	word := question("Answer with the one word: ready")
	word.MaxTokens = 512 // more than a word: some models think first
	r, took, err := a.ask(ctx, word)
	if err != nil {
		return nil, err
	}
	t := &trial{Answer: firstWords(r.Text), FirstMS: took.first.Milliseconds(), TotalMS: took.all.Milliseconds(), Usage: r.Usage}
	if t.Answer == "" {
		return nil, fmt.Errorf("%s can be reached, and answered without a text", c)
	}
	if r, took, err = a.ask(ctx, question("Count from one to thirty in words.")); err == nil {
		t.Speed = took.speed(r.Usage)
	}
	t.Tools, t.Schema = a.tools(ctx), a.schema(ctx)
	t.Context, _ = llm.ContextOf(m)
	t.Assumed = now.ContextTokens == 0
	return t, ctx.Err()
}

func question(text string) llm.Request {
	return llm.Request{System: "You are asked to see what you can do.", MaxTokens: 128,
		Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}}
}

// pace is how an answer came.
type pace struct {
	first, all time.Duration
	pieces     int
}

// speed is how many tokens came a second, behind the first; a piece counts as one where the model counts none.
func (p pace) speed(u llm.Usage) float64 {
	if p.pieces < 2 || p.all <= p.first {
		return 0
	}
	return float64(cmp.Or(u.Output, p.pieces)-1) / (p.all - p.first).Seconds()
}

func (a trier) ask(ctx context.Context, r llm.Request) (said llm.Response, p pace, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.within, fmt.Errorf("%s did not finish within %v", a.m.Name(), a.within))
	defer cancel()
	began := time.Now()
	r.Stream = func(string) {
		if p.pieces++; p.pieces == 1 {
			p.first = time.Since(began)
		}
	}
	said, err = a.m.Complete(ctx, r)
	p.all = time.Since(began)
	if p.pieces == 0 {
		p.first = p.all
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return said, p, err
}

// tools asks for a call, with an argument that stands in the question.
func (a trier) tools(ctx context.Context) ability {
	if !llm.CallsTools(a.m) {
		return ability{Instead: "it takes none"}
	}
	r := question("Call the tool weather for the city Paris.")
	r.Tools = []llm.Tool{{Name: "weather", Description: "Tells the weather of a city.", Parameters: json.RawMessage(
		`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)}}
	said, _, err := a.ask(ctx, r)
	var with struct{ City string }
	switch {
	case err != nil:
		return ability{Instead: err.Error()}
	case len(said.Calls) == 0:
		return ability{Instead: fmt.Sprintf("it called none and answered %q", firstWords(said.Text))}
	case said.Calls[0].Tool != "weather" || json.Unmarshal(said.Calls[0].Arguments, &with) != nil || with.City == "":
		return ability{Instead: fmt.Sprintf("it called %s with %q", said.Calls[0].Tool, firstWords(string(said.Calls[0].Arguments)))}
	}
	return ability{Works: true}
}

// schema asks for an object of a form, with a value that the form allows.
func (a trier) schema(ctx context.Context) ability {
	r := question("Which colour has a clear sky at noon?")
	r.Schema = &llm.Schema{Name: "sky", JSON: json.RawMessage(
		`{"type":"object","properties":{"colour":{"enum":["blue","red"]}},"required":["colour"],"additionalProperties":false}`)}
	said, _, err := a.ask(ctx, r)
	var in struct{ Colour string }
	switch {
	case err != nil:
		return ability{Instead: err.Error()}
	case json.Unmarshal([]byte(said.Text), &in) != nil || in.Colour != "blue" && in.Colour != "red":
		return ability{Instead: fmt.Sprintf("it answered %q", firstWords(said.Text))}
	}
	return ability{Works: true}
}

// maxWords bounds how much of an answer is shown, in characters.
const maxWords = 60

func firstWords(text string) string {
	return sanitize.Line(text, maxWords)
}
