package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
)

// hoverParams are LSP's, with the selection that the place lies in: clients may
// send one (rust-analyzer's extension "hover range"), and our VS Code extension
// does.
type hoverParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
	Range        *protocol.Range                 `json:"range,omitempty"`
}

// hover asks the workspace for its knowledge about a place and renders it.
func hover(ctx context.Context, sc *scene, p *hoverParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok || !sc.hovers() {
		return nil, nil
	}
	req := describe.Request{Path: sc.Path, Offset: m.Offset(p.Position)}
	if p.Range != nil {
		req.Selection = m.Span(*p.Range)
	}
	found, err := describe.Place(ctx, sc.View, req)
	if err != nil || found == nil {
		return nil, err
	}
	var stale []staleEntry
	if sc.server.Client.HoverLinks {
		for _, s := range found.Stale {
			file := sc.View.FilePath(s.Entry)
			stale = append(stale, staleEntry{sc.URI(file), s.Entry, markup.OneLine(s.Title), markup.OneLine(s.Line), s.Changed})
		}
		found.Stale = nil
	}
	page := render.About(sc.Scene, found)
	if page == nil {
		return nil, nil
	}
	at := m.Bounds(found.At)
	if stale == nil {
		return &protocol.Hover{Contents: page, Range: &at}, nil
	}
	return &linkedHover{page, at, stale}, nil
}

// linkedHover is a hover for a client that states in its initialization options (hoverLinks) that it adds
// links to its own commands. The text from entries remains Markdown without active parts.
type linkedHover struct {
	Contents *protocol.MarkupContent `json:"contents"`
	Range    protocol.Range          `json:"range"`
	Stale    []staleEntry            `json:"stale"` // not in contents, then
}

// staleEntry is an entry of a hover that the code left behind.
type staleEntry struct {
	URI     uri.URI `json:"uri"`
	Path    string  `json:"path"` // the path in the tree
	Title   string  `json:"title"`
	Why     string  `json:"why"`     // plain text, with names in backticks
	Changed bool    `json:"changed"` // a confirmation that it is still true would end it
}

// hovers reports whether the settings want hovers in the document.
func (sc *scene) hovers() bool {
	wanted := sc.Settings().Hover
	if sc.Doc != nil && slices.Contains(wanted.Exclude, sc.Doc.Language) {
		return false
	}
	_, entry := sc.View.EntryPath(sc.Path)
	return entry || wanted.Code
}
