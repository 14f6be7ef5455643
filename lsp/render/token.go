package render

import (
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/structure"
)

// tokenNames are the protocol's names for the meanings of tokens, best first, since label is newer than the
// others.
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

// brokenModifier marks relations that lead nowhere; themes strike them through.
const brokenModifier = "deprecated"

// Legend holds the names of tokens for one client.
type Legend struct {
	Types     []string
	Modifiers []string
	index     [len(tokenNames)]int // index in types, negative if the client knows none of the names
}

// NewLegend returns the legend for a client.
func NewLegend(c *client.Features) Legend {
	l := Legend{Types: []string{}, Modifiers: []string{}}
	for token, names := range tokenNames {
		i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(c.TokenTypes, name) })
		if l.index[token] = i; i < 0 {
			continue
		}
		at := slices.Index(l.Types, names[i])
		if at < 0 {
			at = len(l.Types)
			l.Types = append(l.Types, names[i])
		}
		l.index[token] = at
	}
	if slices.Contains(c.TokenMods, brokenModifier) {
		l.Modifiers = append(l.Modifiers, brokenModifier)
	}
	return l
}

// tokenInts is how many numbers encode a token: line and character relative to the previous token, length, type,
// modifiers.
const tokenInts = 5

// Tokens renders the tokens of an entry that touch a span.
func Tokens(sc *state.Scene, m *position.Mapper, e *format.Entry, within markdown.Span) []uint32 {
	tokens := slices.DeleteFunc(structure.Tokens(e, sc.View.Tree().Relations(e.Path)), func(t structure.Token) bool {
		return t.At.End <= within.Start || within.End <= t.At.Start
	})
	l := NewLegend(&sc.Session.Client.Features)
	return l.encode(m, tokens)
}

// encode encodes tokens, which must be in order of place, in the protocol's numbers.
func (l *Legend) encode(m *position.Mapper, tokens []structure.Token) []uint32 {
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
		if t.Broken && len(l.Modifiers) > 0 {
			modifiers = 1
		}
		data = append(data, at.Start.Line-last.Line, character, at.End.Character-at.Start.Character, uint32(l.index[t.Type]), modifiers)
		last = at.Start
	}
	return data
}
