package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// problemFeature is the lists of problems that the client asks for, which [diagnostics.Diagnostics]
// answers.
func problemFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentDiagnostic: dispatch.Called(func(s *server,
				p *protocol.DocumentDiagnosticParams) (dispatch.Work, error) {
				return s.diagnostics.Pull(p)
			}),
			protocol.MethodWorkspaceDiagnostic: dispatch.Called(func(s *server,
				p *protocol.WorkspaceDiagnosticParams) (dispatch.Work, error) {
				return s.diagnostics.PullAll(p)
			}),
		},
		offer: func(c *client.Features, caps *protocol.ServerCapabilities) {
			if c.PullDiagnostics {
				caps.DiagnosticProvider = &protocol.DiagnosticOptions{
					Identifier: new(render.DiagnosticSource), InterFileDependencies: true, WorkspaceDiagnostics: true,
				}
			}
		},
	}
}
