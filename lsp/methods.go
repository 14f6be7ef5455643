package lsp

import (
	"maps"

	"go.lsp.dev/protocol"
)

// methodTable is everything that the server answers to, except for
// $/cancelRequest and exit, which belong to the session itself.
func methodTable(extra map[string]method) map[string]method {
	table := map[string]method{
		protocol.MethodInitialize:  inline(lenient(called(initialize))),
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
		protocol.MethodTextDocumentCodeAction:   about(actionDocument, codeActions),
		protocol.MethodCodeActionResolve:        called(resolveCodeAction),
		protocol.MethodTextDocumentCodeLens:     about(lensDocument, codeLenses),
		protocol.MethodCodeLensResolve:          called(resolveCodeLens),
		protocol.MethodTextDocumentDiagnostic:   called(pullDiagnostic),
		protocol.MethodWorkspaceExecuteCommand:  called(executeCommand),

		protocol.MethodWorkspaceTextDocumentContent: called(textDocumentContent),
	}
	for name, command := range custom {
		table[name] = customRequest(command)
	}
	maps.Copy(table, extra)
	return table
}

// inline marks a call whose work is done on the read loop.
func inline(m method) method {
	m.inline = true
	return m
}
