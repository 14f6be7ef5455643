package lsp

import (
	"sort"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/tree"
)

// walk converts offsets that mostly grow. What [mapper.position] counts from the line's
// start each time, it counts once: a line of a megabyte with thousands of relations would
// else cost their product.
type walk struct {
	m     *mapper
	line  int // that of at
	at    int // an offset
	units uint32
}

func (m *mapper) walk() *walk { return &walk{m: m} }

func (w *walk) position(off int) protocol.Position {
	if off < w.at || off > len(w.m.text) {
		return w.m.position(off)
	}
	lines := w.m.index()
	if w.line+1 < len(lines) && lines[w.line+1] <= off {
		rest := lines[w.line+1:]
		w.line += sort.SearchInts(rest, off+1)
		w.at, w.units = lines[w.line], 0
	}
	_, end := w.m.line(w.line)
	for to := min(off, end); w.at < to; {
		size, units := w.m.enc.char(w.m.text[w.at:end])
		if w.at+size > to {
			break // inside the character
		}
		w.at, w.units = w.at+size, w.units+uint32(units)
	}
	return protocol.Position{Line: uint32(w.line), Character: w.units}
}

func (w *walk) bounds(s tree.Span) protocol.Range {
	return protocol.Range{Start: w.position(s.Start), End: w.position(s.End)}
}
