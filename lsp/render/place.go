// Package render turns the results of a workspace into values of the protocol, as far as the client supports them:
// places, edits, hovers, completions, problems, symbols, tokens. It makes no requests and keeps no state. Its
// output depends only on the scene of the request.
package render

import (
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Places renders the targets of a place in the document that m maps. It returns nil if there are none. With
// asLinks, each target includes the range in the document that leads there.
func Places(sc *state.Scene, m *position.Mapper, targets []navigate.Target, asLinks bool) any {
	targets = sc.Existing(targets)
	if len(targets) == 0 {
		return nil
	}
	if !asLinks {
		return protocol.LocationSlice(Locations(sc, targets))
	}
	at := NewLocator(sc)
	links := make(protocol.DefinitionLinkSlice, 0, len(targets)) // all link types are LocationLink
	for _, t := range targets {
		l := at.Location(t)
		link := protocol.DefinitionLink{TargetURI: l.URI, TargetRange: l.Range, TargetSelectionRange: l.Range}
		if t.Origin != (markdown.Span{}) {
			link.OriginSelectionRange = new(m.Bounds(t.Origin))
		}
		links = append(links, link)
	}
	return links
}

// Locations renders targets for clients and requests without origin ranges.
func Locations(sc *state.Scene, targets []navigate.Target) []protocol.Location {
	out, at := make([]protocol.Location, 0, len(targets)), NewLocator(sc)
	for _, t := range targets {
		out = append(out, at.Location(t))
	}
	return out
}

// Locator renders the places of one answer. Places in the same file share its mapper.
type Locator struct {
	scene *state.Scene
	open  map[string]uri.URI // the folder's open documents, by path
	files map[string]*Located
}

// Located is a file of an answer.
type Located struct {
	URI     uri.URI
	mapper  *position.Mapper
	checked bool
}

// NewLocator returns a locator for one answer.
func NewLocator(sc *state.Scene) *Locator {
	l := &Locator{sc, map[string]uri.URI{}, map[string]*Located{}}
	for _, d := range sc.Session.Documents.All() {
		if d.Folder == sc.Folder {
			l.open[d.Path] = d.URI
		}
	}
	return l
}

// File returns the mapper and the URI of a file with the given text.
func (l *Locator) File(path, text string) *Located {
	f := l.files[path]
	if f == nil {
		u, ok := l.open[path]
		if !ok {
			u = l.scene.Folder.URI(path)
		}
		f = &Located{URI: u, mapper: position.NewMapper(text, l.scene.Session.Client.Encoding)}
		l.files[path] = f
	}
	return f
}

// Location renders a place. The lines of a file are indexed only for its second place, since most files have one.
func (l *Locator) Location(t navigate.Target) protocol.Location {
	f := l.File(t.Path, t.Text)
	if !f.checked {
		f.checked = true
		return protocol.Location{URI: f.URI, Range: f.mapper.Single(t.At)}
	}
	return protocol.Location{URI: f.URI, Range: f.mapper.Bounds(t.At)}
}

// List encodes a list of protocol values. The codec has a fast path for lists only in fields of other values.
func List[T any](list []T) (any, error) {
	raw, err := protocol.Marshal(list)
	return jsonrpc2.RawMessage(raw), err
}
