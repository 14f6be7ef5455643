package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// tryWithin bounds the time of a trial. A model on the user's own machine may first have to be loaded from disk.
const tryWithin = time.Minute

// trial is the result of asking a model for one word.
type trial struct {
	Answer  string    `json:"answer"`
	FirstMS int64     `json:"firstMs"` // until the first piece
	TotalMS int64     `json:"totalMs"`
	Usage   llm.Usage `json:"usage,omitzero"`           // missing if the model does not report it
	Context int       `json:"contextTokens"`            // the most tokens that a request may have
	Assumed bool      `json:"contextAssumed,omitempty"` // neither the settings nor a short question tell the limit
}

// text describes a trial for people; it is "" if there was none.
func (t *trial) text() string {
	if t == nil {
		return ""
	}
	used, size := "", "tokens, from brv.model.contextTokens"
	if t.Usage.Input+t.Usage.Output > 0 {
		used = fmt.Sprintf("; tokens: %d in, %d out", t.Usage.Input, t.Usage.Output)
	}
	if t.Assumed {
		size = "tokens (assumed); set your server's value in brv.model.contextTokens"
	}
	return textf("The model answered %q: first part after %d ms, all of it after %d ms%s.\ncontext:   %d %s\n",
		t.Answer, t.FirstMS, t.TotalMS, used,
		t.Context, size)
}

// tryModel asks for one word.
func tryModel(ctx context.Context, c provider.Choice, now settings.Model) (*trial, error) {
	m, err := c.New(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return nil, err
	}
	within := max(tryWithin, 2*time.Duration(now.PatienceSeconds)*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("%s did not finish within %v", m.Name(), within))
	defer cancel()
	began, first := time.Now(), time.Duration(0)
	r, err := m.Complete(ctx, llm.Request{
		System: "You are asked to see what you can do.", MaxTokens: 512, // more than one word needs, since some models think first
		Messages: []llm.Message{{Role: llm.RoleUser, Text: "Answer with the one word: ready"}},
		Stream: func(string) {
			if first == 0 {
				first = time.Since(began)
			}
		},
	})
	took := time.Since(began)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if first == 0 {
		first = took
	}
	t := &trial{Answer: sanitize.Line(r.Text, maxWords), FirstMS: first.Milliseconds(), TotalMS: took.Milliseconds(), Usage: r.Usage,
		Assumed: now.ContextTokens == 0}
	if t.Context, _ = llm.ContextOf(m); t.Answer == "" {
		return nil, fmt.Errorf("%s can be reached, but its answer was empty", c)
	}
	return t, nil
}

// maxWords bounds how much of an answer is shown, in characters.
const maxWords = 60
