package lsp

import (
	"context"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// tokenFeature is semanticTokens: full, range, delta.
func tokenFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentSemanticTokensFull:      about(tokenDocument, tokensFull),
			protocol.MethodTextDocumentSemanticTokensRange:     about(tokenRangeDocument, tokensRange),
			protocol.MethodTextDocumentSemanticTokensFullDelta: about(tokenDeltaDocument, tokensDelta),
		},
		offer: offerTokens,
	}
}

func tokenDocument(p *protocol.SemanticTokensParams) uri.URI           { return p.TextDocument.URI }
func tokenRangeDocument(p *protocol.SemanticTokensRangeParams) uri.URI { return p.TextDocument.URI }
func tokenDeltaDocument(p *protocol.SemanticTokensDeltaParams) uri.URI { return p.TextDocument.URI }

func offerTokens(c *client.Features, caps *protocol.ServerCapabilities) {
	l := render.NewLegend(c)
	if len(l.Types) == 0 {
		return
	}
	options := &protocol.SemanticTokensOptions{
		Legend: protocol.SemanticTokensLegend{TokenTypes: l.Types, TokenModifiers: l.Modifiers},
		Range:  protocol.Boolean(true), Full: protocol.Boolean(true),
	}
	if c.TokenDelta {
		options.Full = &protocol.SemanticTokensFullDelta{Delta: new(true)}
	}
	caps.SemanticTokensProvider = options
}

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

func tokensFull(_ context.Context, sc *scene, p *protocol.SemanticTokensParams) (any, error) {
	data, ok := sc.tokenData(nil)
	if !ok {
		return nil, nil
	}
	return sc.fullTokens(p.TextDocument.URI, data), nil
}

// fullTokens is an answer with all tokens, which the next one may go on from.
func (sc *scene) fullTokens(u uri.URI, data []uint32) *protocol.SemanticTokens {
	full := &protocol.SemanticTokens{Data: data}
	if sc.server.Client.TokenDelta {
		full.ResultID = new(sc.server.tokens.Keep(state.Key(u), data))
	}
	return full
}

func tokensRange(_ context.Context, sc *scene, p *protocol.SemanticTokensRangeParams) (any, error) {
	data, ok := sc.tokenData(func(m *position.Mapper) markdown.Span { return m.Span(p.Range) })
	if !ok {
		return nil, nil
	}
	return &protocol.SemanticTokens{Data: data}, nil
}

// tokensDelta says what changed since an earlier answer, or all where that one is not
// remembered.
func tokensDelta(_ context.Context, sc *scene, p *protocol.SemanticTokensDeltaParams) (any, error) {
	data, ok := sc.tokenData(nil)
	if !ok {
		return nil, nil
	}
	key := state.Key(p.TextDocument.URI)
	before, ok := sc.server.tokens.Find(key, p.PreviousResultID)
	if !ok {
		return sc.fullTokens(p.TextDocument.URI, data), nil
	}
	return &protocol.SemanticTokensDelta{ResultID: new(sc.server.tokens.Keep(key, data)), Edits: render.TokenEdits(before, data)}, nil
}
