package lsp

import (
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// focusMethod is a notification of what the user looks at: {"uri", "visibleRanges"};
// without a uri, at no document. A pack that is asked for without a place is about it.
const focusMethod = "brv/didFocus"

// focusParams are its parameters.
type focusParams struct {
	URI           string                `json:"uri"`           // of the document; none: the user looks at no document
	VisibleRanges []position.LooseRange `json:"visibleRanges"` // of it on the screen; several where text is folded away
}

// didFocus takes the client's word.
func didFocus(s *server, p *focusParams) error {
	if p.URI == "" {
		s.focus.Store(nil)
		return nil
	}
	u, err := uri.Parse(p.URI)
	if err != nil {
		return err
	}
	f := &state.Focus{URI: u}
	for i, r := range p.VisibleRanges {
		if i == 0 {
			f.Visible = &r
		}
		f.Visible.End = r.End // the ranges are in order
	}
	s.focus.Store(f)
	return nil
}
