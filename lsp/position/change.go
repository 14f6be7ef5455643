package position

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Changes holds the parameters of didChange.
//
// They are decoded here and not by the protocol library. The library's decoder guesses between the two forms of a
// change. It treats `"range": null` as an insertion at the top, and a range with a number that it cannot represent
// as a replacement of the whole text. Both would silently destroy the document.
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

// Loose is a position as clients really send it: with Number.MAX_VALUE for "the line's end", 3.0 for 3, and
// sometimes -1.
type Loose struct {
	Line      float64 `json:"line"`
	Character float64 `json:"character"`
}

// Position returns the nearest position in the protocol.
func (p Loose) Position() protocol.Position {
	return protocol.Position{Line: Clamp(p.Line), Character: Clamp(p.Character)}
}

// Clamp returns the nearest number in the protocol (uint32).
func Clamp(f float64) uint32 { return uint32(max(0, min(f, math.MaxUint32))) }

// errChange reports a content change in a form that is not in the protocol.
var errChange = errors.New("a content change has no text")

// DecodeChanges decodes the parameters of didChange. With an error, it still returns the part that could be
// decoded.
func DecodeChanges(raw jsonrpc2.RawMessage) (*Changes, error) {
	var c Changes
	if err := json.Unmarshal(raw, &c); err != nil {
		return &c, fmt.Errorf("content changes: %w", err)
	}
	return &c, nil
}

// Apply returns the text after the changes of one didChange. Each change applies to the result of the one before.
// Changes with and without a range may be mixed. After an error, the text has the changes before it.
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

// ReplacesAll reports whether the changes contain a whole text, which replaces anything that was lost before.
func ReplacesAll(changes []Change) bool {
	for _, c := range changes {
		if c.Range == nil && c.Text != nil {
			return true
		}
	}
	return false
}

// LooseRange is a range as clients send it in our own requests.
type LooseRange struct{ Start, End Loose }

// Bounds returns the range as a range of the protocol.
func (r LooseRange) Bounds() protocol.Range {
	return protocol.Range{Start: r.Start.Position(), End: r.End.Position()}
}
