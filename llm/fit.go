package llm

import (
	"context"
	"errors"
)

// ShortContext is the largest context with which a model is asked in the short form, and without tools: the
// usual setting of local models. They are small: a long prompt takes them minutes, and their answers to it
// are seldom right.
const ShortContext = 8192

// HoldsTools reports whether a model's context is large enough for the results of tools.
func HoldsTools(m Model) bool {
	context, _ := ContextOf(m)
	return context > ShortContext
}

// mostLengths is the number of lengths in which a request is tried.
const mostLengths = 3

// Fitted is [Run] of a request that is written for the model's context, in tokens. If the model reports that
// it is too long, it is written again for less, at most twice; some servers state their limit. The outcome's
// usage is the sum of all attempts.
func Fitted(ctx context.Context, m Model, l Limits, write func(context int) (Request, error)) (Outcome, error) {
	context, _ := ContextOf(m)
	var spent Usage
	for lengths := 1; ; lengths++ {
		r, err := write(context)
		if err != nil {
			return Outcome{Usage: spent}, err
		}
		out, err := Run(ctx, m, r, l)
		spent = spent.And(out.Usage)
		out.Usage = spent
		if !errors.Is(err, ErrTooLong) || lengths == mostLengths {
			return out, err
		}
		known, _ := ContextOf(m)
		context = min(known, context, r.tokens()+r.MaxTokens) * 3 / 4
	}
}

// Room is the number of tokens that may be added to a request for a model with that context, below 0 if it is
// too long already. An eighth of the context is reserved, since its tokens are not counted as the model
// counts them. The schema is not counted: most servers do not show it to the model.
func (r Request) Room(context int) int { return context - context/8 - r.MaxTokens - r.tokens() }
