// Package render writes what a workspace says in the protocol's terms, as far as the client can take
// them: places, edits, pages of hovers, completions, problems, symbols, tokens. It asks for nothing and
// keeps nothing; what it writes depends on the scene of the request alone.
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

// Places renders targets of a place in the document that m maps, nil if there are none.
// Where the client reads links, each says what in the document leads there.
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

// Locator renders the places of one answer. Several in a file share what is made for it.
type Locator struct {
	scene *state.Scene
	open  map[string]uri.URI // of the open documents of the folder, by path
	files map[string]*Located
}

// Located is a file of an answer.
type Located struct {
	URI     uri.URI
	mapper  *position.Mapper
	checked bool
}

// NewLocator begins an answer.
func NewLocator(sc *state.Scene) *Locator {
	l := &Locator{sc, map[string]uri.URI{}, map[string]*Located{}}
	for _, d := range sc.Session.Documents.All() {
		if d.Folder == sc.Folder {
			l.open[d.Path] = d.URI
		}
	}
	return l
}

// File returns the mapper and the URI of a file with that text.
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

// Location renders a place. Most files have one: only for a second one its lines are indexed.
func (l *Locator) Location(t navigate.Target) protocol.Location {
	f := l.File(t.Path, t.Text)
	if !f.checked {
		f.checked = true
		return protocol.Location{URI: f.URI, Range: f.mapper.Single(t.At)}
	}
	return protocol.Location{URI: f.URI, Range: f.mapper.Bounds(t.At)}
}

// List encodes a list of protocol values, for which the codec has a quick
// path only as a field of another value.
func List[T any](list []T) (any, error) {
	raw, err := protocol.Marshal(list)
	return jsonrpc2.RawMessage(raw), err
}
