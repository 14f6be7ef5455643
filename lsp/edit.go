package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// contentChanges are the parameters of didChange.
//
// They are decoded here and not by the protocol library, whose union reader
// guesses between the two forms of a change: it takes `"range": null` for an
// insertion at the top, and a range with a number it cannot hold for a
// replacement of the whole text. Both would silently destroy the document.
type contentChanges struct {
	TextDocument struct {
		URI     string   `json:"uri"`
		Version *float64 `json:"version"`
	} `json:"textDocument"`
	Changes []contentChange `json:"contentChanges"`
}

// contentChange replaces a range of the text, or all of it if Range is nil.
type contentChange struct {
	Range *struct{ Start, End looseposition } `json:"range"`
	Text  *string                             `json:"text"`
}

// looseposition is a position as clients really send it: Number.MAX_VALUE for
// "the line's end", 3.0 for 3, and in bad moments -1.
type looseposition struct {
	Line      float64 `json:"line"`
	Character float64 `json:"character"`
}

func (p looseposition) position() protocol.Position {
	return protocol.Position{Line: clampUint(p.Line), Character: clampUint(p.Character)}
}

func clampUint(f float64) uint32 { return uint32(max(0, min(f, math.MaxUint32))) }

// errChange reports a content change of a form that the protocol does not have.
var errChange = errors.New("content change without a text")

func decodeChanges(raw jsonrpc2.RawMessage) (*contentChanges, error) {
	var c contentChanges
	if err := json.Unmarshal(raw, &c); err != nil {
		return &c, fmt.Errorf("content changes: %w", err)
	}
	return &c, nil
}

// applyChanges returns text after the changes of one didChange, each of which
// counts on the result of the one before. Changes with and without a range may
// be mixed.
func applyChanges(text string, changes []contentChange, enc encoding) (string, error) {
	for _, c := range changes {
		switch {
		case c.Text == nil:
			return text, errChange
		case c.Range == nil:
			text = *c.Text
		default:
			r := protocol.Range{Start: c.Range.Start.position(), End: c.Range.End.position()}
			at := newMapper(text, enc).span(r)
			text = text[:at.Start] + *c.Text + text[at.End:]
		}
	}
	return text, nil
}
