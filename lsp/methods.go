package lsp

import (
	"maps"

	"go.lsp.dev/protocol"
)

// methodTable is everything that the server answers to, except for
// $/cancelRequest and exit, which belong to the session itself.
func methodTable(extra map[string]method) map[string]method {
	table := map[string]method{
		protocol.MethodInitialize:  inline(lenient(initialize)),
		protocol.MethodShutdown:    inline(called(shutdown)),
		protocol.MethodInitialized: noted(initialized),
		protocol.MethodSetTrace:    noted(setTrace),

		protocol.MethodTextDocumentDidOpen:                noted(didOpen),
		protocol.MethodTextDocumentDidChange:              {note: didChange},
		protocol.MethodTextDocumentDidClose:               noted(didClose),
		protocol.MethodTextDocumentDidSave:                noted(didSave),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     noted(didChangeWatchedFiles),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: noted(didChangeWorkspaceFolders),
		protocol.MethodWindowWorkDoneProgressCancel:       noted(cancelProgress),

		protocol.MethodTextDocumentHover:        about(hoverDocument, hover),
		protocol.MethodTextDocumentDefinition:   about(definitionDocument, definition),
		protocol.MethodTextDocumentReferences:   about(referencesDocument, references),
		protocol.MethodTextDocumentDocumentLink: about(linkDocument, documentLinks),
		protocol.MethodTextDocumentCompletion:   about(completionDocument, completion),
		protocol.MethodTextDocumentCodeAction:   aboutWhole(actionDocument, codeActions),
		protocol.MethodCodeActionResolve:        called(resolveCodeAction),
		protocol.MethodTextDocumentCodeLens:     aboutWhole(lensDocument, codeLenses),
		protocol.MethodCodeLensResolve:          called(resolveCodeLens),
		protocol.MethodWorkspaceExecuteCommand:  called(executeCommand),

		protocol.MethodWorkspaceTextDocumentContent: called(textDocumentContent),
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

// feature is one thing that the server can do: what it answers, and how it says so.
type feature struct {
	methods map[string]method
	// offer adds the feature to what the client is told, where the client has use for
	// it; nil if the methods need no word.
	offer func(*clientFeatures, *protocol.ServerCapabilities)
}

// features lists what the server can do beyond the session itself.
func features() []feature {
	return []feature{
		symbolFeature(), foldingFeature(), selectionFeature(), highlightFeature(), tokenFeature(), inlayFeature(),
		placeFeature(), hierarchyFeature(), renameFeature(), fileFeature(), formatFeature(), settingsFeature(), problemFeature(), focusFeature(), modelFeature(),
	}
}

// inline marks a call whose work is done on the read loop.
func inline(m method) method {
	m.inline = true
	return m
}
