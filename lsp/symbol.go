package lsp

import (
	"cmp"
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/names"
)

// documentSymbols lists the frontmatter with its keys, the headings and the facts of an
// entry: as a tree, or one behind the other for a client that knows no tree.
func documentSymbols(_ context.Context, sc *scene, _ *protocol.DocumentSymbolParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	return render.Symbols(sc.Scene, m, e), nil
}

// workspaceSymbols finds domains, topics, entries and facts of all folders by name.
func workspaceSymbols(s *server, p *protocol.WorkspaceSymbolParams) (dispatch.Work, error) {
	var scenes []*scene
	for _, f := range s.Folders.All() {
		scenes = append(scenes, s.sceneOf(f))
	}
	return func(ctx context.Context) (any, error) {
		type found struct {
			names.Name
			in *scene
		}
		var all []found
		for _, sc := range scenes {
			if err := sc.Ready(ctx); err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				s.Client.Log.Warn("no symbols", "folder", sc.Folder.Spelled, "err", err)
				continue
			}
			for _, n := range names.Find(sc.View, p.Query) {
				all = append(all, found{n, sc})
			}
		}
		slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.Score, a.Score) })
		symbols, places := protocol.WorkspaceSymbolSlice{}, map[*scene]*render.Locator{}
		for _, n := range all[:min(len(all), names.Max)] {
			if !n.in.Stands(n.Path) {
				continue
			}
			if places[n.in] == nil {
				places[n.in] = render.NewLocator(n.in.Scene)
			}
			symbols = append(symbols, render.Symbol(n.in.Scene, n.Name, places[n.in]))
		}
		return symbols, nil
	}, nil
}

// foldingRanges lists the foldable ranges of an entry; each leaves its first line visible.
func foldingRanges(_ context.Context, sc *scene, _ *protocol.FoldingRangeParams) (any, error) {
	m, e, ok := sc.Entry()
	if !ok {
		return nil, nil
	}
	return render.List(render.Folds(&sc.server.Client.Features, m, e))
}
