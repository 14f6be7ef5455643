package tree

import "github.com/brv-lsp/brv-lsp/internal/tokens"

// Tokens is about how many tokens the whole file is to a model
// ([tokens.Estimate]). It is counted once for an entry, however many snapshots
// hold it.
func (e *Entry) Tokens() int {
	if e.tokens == nil {
		return tokens.Estimate(e.Text)
	}
	if n := e.tokens.Load(); n > 0 {
		return int(n - 1)
	}
	n := tokens.Estimate(e.Text)
	e.tokens.Store(int64(n) + 1)
	return n
}
