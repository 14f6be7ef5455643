package lsp

import (
	"maps"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
)

// methodTable has all methods of the server, except for $/cancelRequest and exit, which belong to the session
// itself. [serverCapabilities] announces them to the client.
func methodTable(extra map[string]method) map[string]method {
	table := map[string]method{
		// The session and its documents.
		protocol.MethodInitialize:                         dispatch.Inline(dispatch.Lenient(initialize)),
		protocol.MethodShutdown:                           dispatch.Inline(dispatch.Called(shutdown)),
		protocol.MethodInitialized:                        noted(initialized),
		protocol.MethodTextDocumentDidOpen:                noted(didOpen),
		protocol.MethodTextDocumentDidChange:              {Note: didChange},
		protocol.MethodTextDocumentDidClose:               dispatch.Noted(didClose),
		protocol.MethodTextDocumentDidSave:                noted(didSave),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     noted(didChangeWatchedFiles),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: noted(didChangeWorkspaceFolders),
		protocol.MethodWindowWorkDoneProgressCancel:       noted(cancelProgress),

		// Settings, trust, and the keys of models.
		protocol.MethodWorkspaceDidChangeConfiguration: noted(func(s *server, p *protocol.DidChangeConfigurationParams) {
			s.config.Changed(p)
		}),
		config.TrustMethod:        noted(func(s *server, p *config.TrustChange) { s.config.TrustChanged(p) }),
		client.SecretChangeMethod: noted(func(s *server, _ *struct{}) { s.config.SecretChanged() }),

		// About a place.
		protocol.MethodTextDocumentHover:         about(hover),
		protocol.MethodTextDocumentDefinition:    about(definition),
		protocol.MethodTextDocumentReferences:    about(references),
		protocol.MethodTextDocumentCompletion:    about(completion),
		protocol.MethodCompletionItemResolve:     dispatch.Called(resolveCompletion),
		protocol.MethodTextDocumentCodeAction:    aboutWhole(codeActions),
		protocol.MethodCodeActionResolve:         dispatch.Called(resolveCodeAction),
		protocol.MethodTextDocumentPrepareRename: onDocument(prepareRename),
		protocol.MethodTextDocumentRename:        onDocument(rename),

		// About a document.
		protocol.MethodTextDocumentDocumentLink:        about(documentLinks),
		protocol.MethodTextDocumentInlayHint:           about(inlayHints),
		protocol.MethodTextDocumentCodeLens:            aboutWhole(codeLenses),
		protocol.MethodTextDocumentDocumentSymbol:      about(documentSymbols),
		protocol.MethodTextDocumentFoldingRange:        about(foldingRanges),
		protocol.MethodTextDocumentSemanticTokensFull:  about(tokensFull),
		protocol.MethodTextDocumentSemanticTokensRange: about(tokensRange),
		protocol.MethodTextDocumentDiagnostic: dispatch.Called(func(s *server, p *protocol.DocumentDiagnosticParams) (dispatch.Work, error) {
			return s.diagnostics.Pull(p)
		}),

		// About folders, and documents of the server itself.
		protocol.MethodWorkspaceDiagnostic: dispatch.Called(func(s *server, p *protocol.WorkspaceDiagnosticParams) (dispatch.Work, error) {
			return s.diagnostics.PullAll(p)
		}),
		protocol.MethodWorkspaceSymbol:              dispatch.Called(workspaceSymbols),
		protocol.MethodWorkspaceExecuteCommand:      dispatch.Called(executeCommand),
		protocol.MethodWorkspaceTextDocumentContent: dispatch.Called(textDocumentContent),
		protocol.MethodWorkspaceWillRenameFiles:     dispatch.Called(willRenameFiles),
		protocol.MethodWorkspaceWillDeleteFiles:     dispatch.Called(willDeleteFiles),
		protocol.MethodWorkspaceDidRenameFiles:      noted(didRenameFiles),
		protocol.MethodWorkspaceDidCreateFiles:      noted(didCreateFiles),
		protocol.MethodWorkspaceDidDeleteFiles:      noted(didDeleteFiles),
	}
	for name, c := range custom {
		table[name] = customRequest(c)
	}
	maps.Copy(table, extra)
	return table
}

// noted makes the table entry of a notification that cannot fail.
func noted[P any](f func(*server, *P)) method {
	return dispatch.Noted(func(s *server, p *P) error { f(s, p); return nil })
}

// table is the method table of a session.
func (o Options) table() map[string]method {
	table := methodTable(o.extra)
	if o.wrap != nil {
		for name, m := range table {
			table[name] = o.wrap(name, m)
		}
	}
	return table
}
