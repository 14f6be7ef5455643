package lsp

import (
	"maps"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
)

// methodTable is everything that the server answers to, except for $/cancelRequest and exit, which belong to
// the session itself. What keeps the session and its documents in step stands here, each other method with its
// feature.
func methodTable(extra map[string]method) map[string]method {
	table := map[string]method{
		protocol.MethodInitialize:  dispatch.Inline(dispatch.Lenient(initialize)),
		protocol.MethodShutdown:    dispatch.Inline(dispatch.Called(shutdown)),
		protocol.MethodInitialized: dispatch.Noted(initialized),
		protocol.MethodSetTrace:    dispatch.Noted(setTrace),

		protocol.MethodTextDocumentDidOpen:                dispatch.Noted(didOpen),
		protocol.MethodTextDocumentDidChange:              {Note: didChange},
		protocol.MethodTextDocumentDidClose:               dispatch.Noted(didClose),
		protocol.MethodTextDocumentDidSave:                dispatch.Noted(didSave),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     dispatch.Noted(didChangeWatchedFiles),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: dispatch.Noted(didChangeWorkspaceFolders),
		protocol.MethodWindowWorkDoneProgressCancel:       dispatch.Noted(cancelProgress),
	}
	for _, f := range features() {
		maps.Copy(table, f.methods)
	}
	for name, c := range custom {
		table[name] = customRequest(c)
	}
	maps.Copy(table, extra)
	return table
}

// features lists what the server can do beyond the session itself.
func features() []feature {
	return []feature{
		hoverFeature(), definitionFeature(), referenceFeature(), hierarchyFeature(), linkFeature(), highlightFeature(),
		completionFeature(), inlayFeature(), lensFeature(), actionFeature(), renameFeature(), formatFeature(),
		symbolFeature(), foldingFeature(), selectionFeature(), tokenFeature(), problemFeature(),
		commandFeature(), contentFeature(), fileFeature(), settingsFeature(), focusFeature(),
	}
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
