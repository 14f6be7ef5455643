package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func lensDocument(p *protocol.CodeLensParams) uri.URI { return p.TextDocument.URI }

// codeLenses puts over an entry's title how much of what it names is not as it was,
// where anything is. What is not known at once comes with a refresh.
func codeLenses(ctx context.Context, sc *scene, _ *protocol.CodeLensParams) (any, error) {
	lens, told := sc.lens(ctx)
	sc.server.diagnostics.lensTold(sc.doc, told)
	if lens == nil {
		return nil, nil
	}
	raw, err := json.Marshal(reviewed{URI: sc.uri(sc.path)})
	if err != nil {
		return nil, err
	}
	lens.Data, lens.Command = raw, protocol.Command{} // the title is resolved when it is shown
	return marshalled([]protocol.CodeLens{*lens})
}

// lens is the lens of the scene's entry, nil if there is none, and its title, "" for
// none.
func (sc *scene) lens(ctx context.Context) (lens *protocol.CodeLens, title string) {
	m, entry, ok := sc.entry()
	if !ok {
		return nil, ""
	}
	found, _ := sc.ws.DriftSoon(ctx, sc.view, entry)
	title, at := sc.view.DriftSummary(entry, found)
	if title == "" {
		return nil, ""
	}
	raw, err := json.Marshal(reviewed{URI: sc.uri(sc.path)})
	if err != nil {
		return nil, ""
	}
	line := m.position(at.Start).Line
	return &protocol.CodeLens{
		Range:   protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}},
		Command: protocol.Command{Title: title, Command: reviewCommand, Arguments: []protocol.LSPAny{raw}},
	}, title
}

// resolveCodeLens fills in the title and the command.
func resolveCodeLens(s *server, lens *protocol.CodeLens) (work, error) {
	var about reviewed
	if len(lens.Data) == 0 || decode(jsonrpc2.RawMessage(lens.Data), &about) != nil || about.URI == "" {
		return answer(lens), nil // not ours
	}
	sc, err := s.scene(about.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		lens.Command = protocol.Command{Title: "As it was"} // nothing drifted any more; a refresh takes the lens away
		if sc == nil {
			return lens, nil
		}
		if err := sc.ready(ctx); err != nil {
			return nil, err
		}
		if now, _ := sc.lens(ctx); now != nil {
			lens.Command = now.Command
		}
		return lens, nil
	}, nil
}
