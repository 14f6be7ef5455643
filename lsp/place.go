package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/markdown"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// placeFeature is declaration and implementation, and the resolving of what completion
// and links leave out.
func placeFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentDeclaration:    about(func(p *protocol.DeclarationParams) uri.URI { return p.TextDocument.URI }, declaration),
			protocol.MethodTextDocumentImplementation: about(func(p *protocol.ImplementationParams) uri.URI { return p.TextDocument.URI }, implementation),
			protocol.MethodCompletionItemResolve:      called(resolveCompletion),
			protocol.MethodDocumentLinkResolve:        called(resolveLink),
		},
		offer: func(_ *clientFeatures, caps *protocol.ServerCapabilities) {
			caps.DeclarationProvider = protocol.Boolean(true)
			caps.ImplementationProvider = protocol.Boolean(true)
		},
	}
}

// declaration leads from an entry to the overview above it.
func declaration(ctx context.Context, sc *scene, p *protocol.DeclarationParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	targets, err := sc.ws.Declaration(ctx, sc.view, sc.path, m.Offset(p.Position))
	return sc.places(m, targets, sc.server.client.declarationLinks), err
}

// implementation leads from an entry to the code it names, and from code to the entries
// that name it.
func implementation(ctx context.Context, sc *scene, p *protocol.ImplementationParams) (any, error) {
	m, ok := sc.mapper()
	if !ok {
		return nil, nil
	}
	targets, err := sc.ws.Implementation(ctx, sc.view, sc.path, m.Offset(p.Position))
	return sc.places(m, targets, sc.server.client.implementationLinks), err
}

// places renders targets of a place in the document that m maps, nil if there are none.
// Where the client reads links, each says what in the document leads there.
func (sc *scene) places(m *position.Mapper, targets []workspace.Target, asLinks bool) any {
	targets = sc.thatStand(targets)
	if len(targets) == 0 {
		return nil
	}
	if !asLinks {
		return protocol.LocationSlice(sc.locations(targets))
	}
	at := sc.locator()
	links := make(protocol.DefinitionLinkSlice, 0, len(targets)) // all link types are LocationLink
	for _, t := range targets {
		l := at.location(t)
		link := protocol.DefinitionLink{TargetURI: l.URI, TargetRange: l.Range, TargetSelectionRange: l.Range}
		if t.Origin != (markdown.Span{}) {
			link.OriginSelectionRange = ptr(m.Bounds(t.Origin))
		}
		links = append(links, link)
	}
	return links
}

// thatStand are the targets whose files are there.
func (sc *scene) thatStand(targets []workspace.Target) []workspace.Target {
	return slices.DeleteFunc(targets, func(t workspace.Target) bool { return !sc.stands(t.Path) })
}

// locations renders targets for clients and requests without origin ranges.
func (sc *scene) locations(targets []workspace.Target) []protocol.Location {
	out, at := make([]protocol.Location, 0, len(targets)), sc.locator()
	for _, t := range targets {
		out = append(out, at.location(t))
	}
	return out
}

// locator renders the places of one answer. Several in a file share what is made for it.
type locator struct {
	scene *scene
	open  map[string]uri.URI // of the open documents of the folder, by path
	files map[string]*located
}

type located struct {
	uri    uri.URI
	mapper *position.Mapper
	asked  bool
}

func (sc *scene) locator() *locator {
	l := &locator{sc, map[string]uri.URI{}, map[string]*located{}}
	for _, d := range sc.server.buffers.all() {
		if d.folder == sc.folder {
			l.open[d.path] = d.uri
		}
	}
	return l
}

// file is what is made for a file with that text.
func (l *locator) file(path, text string) *located {
	f := l.files[path]
	if f == nil {
		u, ok := l.open[path]
		if !ok {
			u = l.scene.folder.uri(path)
		}
		f = &located{uri: u, mapper: position.NewMapper(text, l.scene.server.client.encoding)}
		l.files[path] = f
	}
	return f
}

// location renders a place. Most files have one: only for a second one its lines are indexed.
func (l *locator) location(t workspace.Target) protocol.Location {
	f := l.file(t.Path, t.Text)
	if !f.asked {
		f.asked = true
		return protocol.Location{URI: f.uri, Range: f.mapper.Single(t.At)}
	}
	return protocol.Location{URI: f.uri, Range: f.mapper.Bounds(t.At)}
}
