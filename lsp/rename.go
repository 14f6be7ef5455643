package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/workspace/codeaction"
)

// prepareRename says which name is renamed at a position.
func prepareRename(ctx context.Context, sc *scene, p *protocol.PrepareRenameParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	s, ok, err := refactor.SubjectAt(codeaction.OpenProject(ctx, sc.View, sc.Path), sc.Path, m.Offset(p.Position))
	if err != nil || !ok {
		return nil, err
	}
	return &protocol.PrepareRenamePlaceholder{Range: m.Bounds(s.At), Placeholder: s.Name}, nil
}

// rename gives what stands at a position another name, wherever it is named.
func rename(ctx context.Context, sc *scene, p *protocol.RenameParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	project, err := codeaction.WholeProject(ctx, sc.View)
	if err != nil {
		return nil, err
	}
	s, ok, err := refactor.SubjectAt(project, sc.Path, m.Offset(p.Position))
	if err != nil || !ok {
		return nil, err
	}
	change, err := s.Rename(p.NewName)
	if err != nil || len(change.Files) == 0 {
		return nil, err
	}
	// The user has chosen the name. Editors that confirm ask file by file, or tick nothing,
	// and a half of a rename breaks links.
	change = change.Unasked()
	edit, err := render.WorkspaceEdit(sc.Scene, change)
	if err == nil {
		sc.tellLeft(ctx, change)
		sc.server.renamed.Store(&change)
	}
	return edit, err
}
