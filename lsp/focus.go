package lsp

import (
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
)

// focusMethod is a notification of what the user looks at: {"uri", "visibleRanges"};
// without a uri, at no document. A pack that is asked for without a place is about it.
const focusMethod = "brv/didFocus"

// focusParams are its parameters.
type focusParams struct {
	URI           string       `json:"uri"`           // of the document; none: the user looks at no document
	VisibleRanges []looserange `json:"visibleRanges"` // of it on the screen; several where text is folded away
}

// focus is a document and what of it is on the screen.
type focus struct {
	uri     uri.URI
	visible *looserange // nil: not known
}

func focusFeature() feature {
	return feature{methods: map[string]method{focusMethod: dispatch.Noted(didFocus)}}
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
	f := &focus{uri: u}
	for i, r := range p.VisibleRanges {
		if i == 0 {
			f.visible = &r
		}
		f.visible.End = r.End // the ranges are in order
	}
	s.focus.Store(f)
	return nil
}

// place gives a request for a pack its place: a request without one is about the open
// document that the user looks at; a place outside of all folders says nothing, and is no
// reason not to pack.
func (s *server) place(req *commandRequest) {
	_, named := req.own["path"]
	if f := s.focus.Load(); f != nil && req.uri == "" && !named {
		if d := s.Documents.Get(f.uri); d != nil && !d.Lost {
			req.uri = d.URI
		}
	}
	if f, _ := s.Folders.Locate(req.uri); f == nil {
		req.uri, req.position = "", nil
	}
}
