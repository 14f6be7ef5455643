package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/workspace/codeaction"
)

// registerFormatter offers formatting for entries only: an editor that has a formatter of
// code must not ask which one to take.
func (s *server) registerFormatter() {
	if !s.Client.RegisterFormat {
		return
	}
	options, err := protocol.Marshal(&protocol.DocumentFormattingRegistrationOptions{
		TextDocumentRegistrationOptions: protocol.TextDocumentRegistrationOptions{DocumentSelector: &protocol.DocumentSelector{
			&protocol.TextDocumentFilterPattern{Scheme: new("file"), Pattern: protocol.Pattern("**/.brv/context-tree/**/*.md")},
		}},
	})
	if err != nil {
		s.Client.Log.Error("formatter", "err", err)
		return
	}
	s.Client.Register("the formatter", protocol.Registration{
		ID: "brv-format", Method: protocol.MethodTextDocumentFormatting, RegisterOptions: options,
	})
}

// formatting brings an entry's frontmatter into the written form.
func formatting(_ context.Context, sc *scene, _ *protocol.DocumentFormattingParams) (any, error) {
	entry, ok := sc.View.EntryPath(sc.Path)
	if !ok {
		return nil, nil
	}
	change, err := refactor.Normalise(codeaction.Project(sc.View), entry)
	if err != nil || len(change.Files) == 0 {
		return nil, err
	}
	return render.TextEdits(sc.Scene, change.Files[0]), nil
}
