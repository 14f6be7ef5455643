package lsp

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
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

func offerTokens(c *clientFeatures, caps *protocol.ServerCapabilities) {
	l := newLegend(c)
	if len(l.types) == 0 {
		return
	}
	options := &protocol.SemanticTokensOptions{
		Legend: protocol.SemanticTokensLegend{TokenTypes: l.types, TokenModifiers: l.modifiers},
		Range:  protocol.Boolean(true), Full: protocol.Boolean(true),
	}
	if c.tokenDelta {
		options.Full = &protocol.SemanticTokensFullDelta{Delta: ptr(true)}
	}
	caps.SemanticTokensProvider = options
}

// tokenNames are the protocol's names for what a token means, the best first: label is
// younger than the others.
var tokenNames = [...][]string{
	structure.TokenFolder:    {"namespace"},
	structure.TokenFile:      {"property"},
	structure.TokenAnchor:    {"label", "string"},
	structure.TokenKey:       {"keyword"},
	structure.TokenOtherKey:  {"property"},
	structure.TokenWord:      {"enumMember"},
	structure.TokenNumber:    {"number"},
	structure.TokenSubject:   {"variable"},
	structure.TokenFactValue: {"string"},
}

// brokenModifier marks relations that lead nowhere: themes strike it through.
const brokenModifier = "deprecated"

// legend is what tokens are called towards one client.
type legend struct {
	types     []string
	modifiers []string
	index     [len(tokenNames)]int // in types, negative where the client has none of the names
}

func newLegend(c *clientFeatures) legend {
	l := legend{types: []string{}, modifiers: []string{}}
	for token, names := range tokenNames {
		i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(c.tokenTypes, name) })
		if l.index[token] = i; i < 0 {
			continue
		}
		at := slices.Index(l.types, names[i])
		if at < 0 {
			at = len(l.types)
			l.types = append(l.types, names[i])
		}
		l.index[token] = at
	}
	if slices.Contains(c.tokenMods, brokenModifier) {
		l.modifiers = append(l.modifiers, brokenModifier)
	}
	return l
}

// tokenInts is how many numbers a token takes: lines and characters from the one before,
// length, type, modifiers.
const tokenInts = 5

// encode writes tokens, which are in order of place, in the protocol's numbers.
func (l *legend) encode(m *position.Mapper, tokens []structure.Token) []uint32 {
	data := make([]uint32, 0, tokenInts*len(tokens))
	w, last := m.Walk(), protocol.Position{}
	for _, t := range tokens {
		if l.index[t.Type] < 0 {
			continue
		}
		at := w.Bounds(t.At)
		character := at.Start.Character
		if at.Start.Line == last.Line {
			character -= last.Character
		}
		modifiers := uint32(0)
		if t.Broken && len(l.modifiers) > 0 {
			modifiers = 1
		}
		data = append(data, at.Start.Line-last.Line, character, at.End.Character-at.Start.Character, uint32(l.index[t.Type]), modifiers)
		last = at.Start
	}
	return data
}

// tokenData are the tokens of the scene's entry that touch a span.
func (sc *scene) tokenData(within func(*position.Mapper) markdown.Span) ([]uint32, bool) {
	m, e, ok := sc.entry()
	if !ok {
		return nil, false
	}
	tokens := structure.Tokens(e, sc.view.Tree().Relations(e.Path))
	if within != nil {
		at := within(m)
		tokens = slices.DeleteFunc(tokens, func(t structure.Token) bool { return t.At.End <= at.Start || at.End <= t.At.Start })
	}
	l := newLegend(&sc.server.client)
	return l.encode(m, tokens), true
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
	if sc.server.client.tokenDelta {
		full.ResultID = ptr(sc.server.tokens.keep(bufferKey(u), data))
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
	key := bufferKey(p.TextDocument.URI)
	before, ok := sc.server.tokens.find(key, p.PreviousResultID)
	if !ok {
		return sc.fullTokens(p.TextDocument.URI, data), nil
	}
	return &protocol.SemanticTokensDelta{ResultID: ptr(sc.server.tokens.keep(key, data)), Edits: tokenEdits(before, data)}, nil
}

// tokenEdits is the one edit of whole tokens that makes after of before, none if they are
// equal. Since a token counts from the one before it, a changed line changes the tokens on
// it and the first behind it.
func tokenEdits(before, after []uint32) []protocol.SemanticTokensEdit {
	same := func(i, j int) bool { return slices.Equal(before[i:i+tokenInts], after[j:j+tokenInts]) }
	start := 0
	for start < min(len(before), len(after)) && same(start, start) {
		start += tokenInts
	}
	end, to := len(before), len(after)
	for end > start && to > start && same(end-tokenInts, to-tokenInts) {
		end, to = end-tokenInts, to-tokenInts
	}
	if start == end && start == to {
		return []protocol.SemanticTokensEdit{}
	}
	return []protocol.SemanticTokensEdit{{Start: uint32(start), DeleteCount: uint32(end - start), Data: after[start:to]}}
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
