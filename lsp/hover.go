package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

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

// hover asks the workspace what is known about a place and renders it.
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
	page := render.About(sc.Scene, found)
	if page == nil {
		return nil, nil
	}
	at := m.Bounds(found.At)
	return &protocol.Hover{Contents: page, Range: &at}, nil
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
