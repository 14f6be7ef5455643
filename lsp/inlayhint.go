package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
)

// hintData leads from a hint back to what it is about.
type hintData struct {
	URI    uri.URI `json:"uri"`
	Target string  `json:"target,omitempty"`
	Field  string  `json:"field,omitempty"`
}

// inlayHints shows what entries are called and what signals have become.
func inlayHints(_ context.Context, sc *scene, p *protocol.InlayHintParams) (any, error) {
	m, _, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	show := sc.Settings().InlayHints
	found := describe.Hints(sc.View, sc.Path, m.Span(p.Range), describe.HintKinds{Titles: show.Titles, Values: show.Values})
	u, walk, hints := sc.URI(sc.Path), m.Walk(), []protocol.InlayHint{}
	for _, h := range found {
		raw, err := json.Marshal(hintData{u, h.Target, h.Field})
		if err != nil {
			return nil, err
		}
		hints = append(hints, protocol.InlayHint{
			Position: walk.Position(h.At), Label: protocol.String(markup.OneLine(h.Text)), PaddingLeft: new(true), Data: raw,
		})
	}
	return render.List(hints)
}

// resolveInlayHint fills in what a hover over the same would say.
func resolveInlayHint(s *server, hint *protocol.InlayHint) (dispatch.Work, error) {
	var data hintData
	if err := wire.ItemData("inlayHint", hint.Data, &data); err != nil {
		return nil, err
	}
	sc, err := s.scene(data.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		if sc == nil {
			return hint, nil
		}
		if err := sc.Ready(ctx); err != nil {
			return nil, err
		}
		about := describe.HintInfo(sc.View, sc.Path, describe.Hint{Target: data.Target, Field: data.Field})
		if about == nil {
			return hint, nil
		}
		switch page := render.About(sc.Scene, about); {
		case page == nil:
		case page.Kind == protocol.MarkupKindMarkdown:
			hint.Tooltip = page
		default:
			hint.Tooltip = protocol.String(page.Value)
		}
		return hint, nil
	}, nil
}
