package lsp

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/structure"
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
		options.Full = &protocol.SemanticTokensFullDelta{Delta: ptr(true)}
	}
	caps.SemanticTokensProvider = options
}

// tokenData are the tokens of the scene's entry that touch a span.
func (sc *scene) tokenData(within func(*position.Mapper) tree.Span) ([]uint32, bool) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, false
	}
	tokens := structure.Tokens(e, sc.View.Tree().Relations(e.Path))
	if within != nil {
		at := within(m)
		tokens = slices.DeleteFunc(tokens, func(t structure.Token) bool { return t.At.End <= at.Start || at.End <= t.At.Start })
	}
	l := render.NewLegend(&sc.server.Client.Features)
	return l.Encode(m, tokens), true
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
		full.ResultID = ptr(sc.server.tokens.keep(state.Key(u), data))
	}
	return full
}

func tokensRange(_ context.Context, sc *scene, p *protocol.SemanticTokensRangeParams) (any, error) {
	data, ok := sc.tokenData(func(m *position.Mapper) tree.Span { return m.Span(p.Range) })
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
	before, ok := sc.server.tokens.find(key, p.PreviousResultID)
	if !ok {
		return sc.fullTokens(p.TextDocument.URI, data), nil
	}
	return &protocol.SemanticTokensDelta{ResultID: ptr(sc.server.tokens.keep(key, data)), Edits: render.TokenEdits(before, data)}, nil
}

// Bounds of what is remembered of answers with tokens: the last one of each document,
// 4 MiB in all.
const (
	maxTokenResults = 32
	maxTokenInts    = 1 << 20
)

// tokenResults are the last answers with tokens. The zero value is ready.
type tokenResults struct {
	mu   sync.Mutex    // guards what follows
	last uint64        // number of the last result
	kept []tokenResult // the oldest first
}

type tokenResult struct {
	key, id string
	data    []uint32
}

// keep remembers a document's tokens, instead of earlier ones, and returns their id.
func (r *tokenResults) keep(key string, data []uint32) (id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id = strconv.FormatUint(r.last, 36)
	r.kept = slices.DeleteFunc(r.kept, func(k tokenResult) bool { return k.key == key })
	r.kept = append(r.kept, tokenResult{key, id, data})
	size := 0
	for _, k := range r.kept {
		size += len(k.data)
	}
	for len(r.kept) > maxTokenResults || size > maxTokenInts && len(r.kept) > 0 {
		size -= len(r.kept[0].data)
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	return id
}

// find returns the tokens of a document that an id names.
func (r *tokenResults) find(key, id string) ([]uint32, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.kept {
		if k.key == key && k.id == id {
			return k.data, true
		}
	}
	return nil, false
}
