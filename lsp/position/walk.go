package position

import (
	"sort"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// Walk converts offsets that mostly increase. [Mapper.Position] counts from the start of the line each time; a
// Walk counts only once. For a line of a megabyte with thousands of relations, that avoids the product of the two.
type Walk struct {
	m     *Mapper
	line  int // the line of at
	at    int // an offset
	units uint32
}

// Walk begins at the top of the text.
func (m *Mapper) Walk() *Walk { return &Walk{m: m} }

// Position is [Mapper.Position].
func (w *Walk) Position(off int) protocol.Position {
	if off < w.at || off > len(w.m.Text) {
		return w.m.Position(off)
	}
	lines := w.m.index()
	if w.line+1 < len(lines) && lines[w.line+1] <= off {
		rest := lines[w.line+1:]
		w.line += sort.SearchInts(rest, off+1)
		w.at, w.units = lines[w.line], 0
	}
	_, end := w.m.line(w.line)
	for to := min(off, end); w.at < to; {
		size, units := w.m.enc.char(w.m.Text[w.at:end])
		if w.at+size > to {
			break // inside the character
		}
		w.at, w.units = w.at+size, w.units+uint32(units)
	}
	return protocol.Position{Line: uint32(w.line), Character: w.units}
}

// Bounds is [Mapper.Bounds].
func (w *Walk) Bounds(s markdown.Span) protocol.Range {
	return protocol.Range{Start: w.Position(s.Start), End: w.Position(s.End)}
}
