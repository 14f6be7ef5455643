package llmtest

import (
	"context"
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
)

// Sized is a model that states one context, and whose server refuses conversations longer than another. The
// refusal has a misleading number: three times the real limit. For one goroutine.
type Sized struct {
	llm.Model
	Says, Takes int // tokens
	Asked       []llm.Request
}

// Unwrap is the model behind it.
func (s *Sized) Unwrap() llm.Model { return s.Model }

// Context returns the size that the model states.
func (s *Sized) Context() int { return s.Says }

// Complete asks the model if the request is short enough.
func (s *Sized) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	s.Asked = append(s.Asked, r)
	n := tokens.Estimate(r.System) + r.MaxTokens
	for _, m := range r.Messages {
		n += tokens.Estimate(m.Text)
	}
	if n > s.Takes {
		s.Says = min(s.Says, 3*s.Takes)
		return llm.Response{}, fmt.Errorf("%d tokens are %w", n, llm.ErrTooLong)
	}
	return s.Model.Complete(ctx, r)
}
