package position

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Changes are the parameters of didChange.
//
// They are decoded here and not by the protocol library, whose union reader
// guesses between the two forms of a change: it takes `"range": null` for an
// insertion at the top, and a range with a number it cannot hold for a
// replacement of the whole text. Both would silently destroy the document.
type Changes struct {
	TextDocument struct {
		URI     string   `json:"uri"`
		Version *float64 `json:"version"`
	} `json:"textDocument"`
	Changes []Change `json:"contentChanges"`
}

// Change replaces a range of the text, or all of it if Range is nil.
type Change struct {
	Range *struct{ Start, End Loose } `json:"range"`
	Text  *string                     `json:"text"`
}

// Loose is a position as clients really send it: Number.MAX_VALUE for
// "the line's end", 3.0 for 3, and in bad moments -1.
type Loose struct {
	Line      float64 `json:"line"`
	Character float64 `json:"character"`
}

// Position is the nearest position of the protocol.
func (p Loose) Position() protocol.Position {
	return protocol.Position{Line: Clamp(p.Line), Character: Clamp(p.Character)}
}

// Clamp is the number of the protocol (uint32) that is nearest.
func Clamp(f float64) uint32 { return uint32(max(0, min(f, math.MaxUint32))) }

// errChange reports a content change of a form that the protocol does not have.
var errChange = errors.New("content change without a text")

// DecodeChanges reads the parameters of didChange. With an error it still returns the part that could be
// read.
func DecodeChanges(raw jsonrpc2.RawMessage) (*Changes, error) {
	var c Changes
	if err := json.Unmarshal(raw, &c); err != nil {
		return &c, fmt.Errorf("content changes: %w", err)
	}
	return &c, nil
}

// Apply returns the text after the changes of one didChange, each of which counts on the
// result of the one before. Changes with and without a range may be mixed. In case of an
// error it is the text up to there.
func (m *Mapper) Apply(changes []Change) (*Mapper, error) {
	for _, c := range changes {
		switch {
		case c.Text == nil:
			return m, errChange
		case c.Range == nil:
			m = NewMapper(*c.Text, m.enc)
		default:
			at := m.Span(protocol.Range{Start: c.Range.Start.Position(), End: c.Range.End.Position()})
			m = NewMapper(m.Text[:at.Start]+*c.Text+m.Text[at.End:], m.enc)
		}
	}
	return m, nil
}

// ReplacesAll reports whether the changes contain a whole text, which makes up
// for anything that was lost before it.
func ReplacesAll(changes []Change) bool {
	for _, c := range changes {
		if c.Range == nil && c.Text != nil {
			return true
		}
	}
	return false
}
