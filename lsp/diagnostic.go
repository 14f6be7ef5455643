package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/tree"
)

// problemFeature is the lists of problems that the client asks for; what is sent
// unasked is in diagnosticpush.go.
func problemFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentDiagnostic: dispatch.Called(pullDiagnostic),
			protocol.MethodWorkspaceDiagnostic:    dispatch.Called(pullWorkspace),
		},
		offer: func(c *client.Features, caps *protocol.ServerCapabilities) {
			if c.PullDiagnostics {
				caps.DiagnosticProvider = &protocol.DiagnosticOptions{
					Identifier: ptr(render.DiagnosticSource), InterFileDependencies: true, WorkspaceDiagnostics: true,
				}
			}
		},
	}
}

// problems returns the problems of the scene's document; ok is false if its text has
// moved on since the scene was taken.
func problems(ctx context.Context, sc *scene) (items []protocol.Diagnostic, found []tree.Problem, ok bool) {
	m, ok := sc.Present()
	if !ok {
		return nil, nil, false
	}
	found, err := sc.Workspace.Problems(ctx, sc.View, sc.Path, sc.Grades())
	if err != nil {
		sc.server.Client.Log.Warn("problems", "document", sc.Path, "err", err)
		return nil, nil, false
	}
	return render.Diagnostics(sc.Scene, m, found), found, true
}
