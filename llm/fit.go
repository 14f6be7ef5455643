package llm

import (
	"context"
	"errors"
)

// ShortContext is up to which context a model is asked in the short form, and without tools: what models on one's own
// machine are often given. They are small ones: a long prompt costs them minutes, and what they make of it is seldom true.
const ShortContext = 8192

// HoldsTools reports whether a conversation with a model holds what tools say.
func HoldsTools(m Model) bool {
	context, _ := ContextOf(m)
	return context > ShortContext
}

// mostLengths is how many lengths a request is tried in.
const mostLengths = 3

// Fitted is [Run] of a request that is written for a context, in tokens: that of the model. One that the model calls too
// long is written again for less, at most twice: its server says how much it takes, or does not. The outcome's usage is that
// of all of them.
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

// Room is how many tokens may be added to a request for a model of that context, below 0 where it is too long already. An
// eighth of the context is left: its tokens are not counted as the model does. A form is not counted: most servers show the
// model none.
func (r Request) Room(context int) int { return context - context/8 - r.MaxTokens - r.tokens() }
