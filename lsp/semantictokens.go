package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// tokenData are the tokens of the scene's entry that touch a span.
func (sc *scene) tokenData(within func(*position.Mapper) markdown.Span) ([]uint32, bool) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, false
	}
	at := markdown.Span{End: len(m.Text)}
	if within != nil {
		at = within(m)
	}
	return render.Tokens(sc.Scene, m, e, at), true
}

func tokensFull(_ context.Context, sc *scene, _ *protocol.SemanticTokensParams) (any, error) {
	data, ok := sc.tokenData(nil)
	if !ok {
		return nil, nil
	}
	return &protocol.SemanticTokens{Data: data}, nil
}

func tokensRange(_ context.Context, sc *scene, p *protocol.SemanticTokensRangeParams) (any, error) {
	data, ok := sc.tokenData(func(m *position.Mapper) markdown.Span { return m.Span(p.Range) })
	if !ok {
		return nil, nil
	}
	return &protocol.SemanticTokens{Data: data}, nil
}
