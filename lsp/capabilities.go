package lsp

import (
	"encoding/json"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/render"
)

// apiVersion numbers the custom requests and the commands as a whole. It grows
// when one of them changes incompatibly.
const apiVersion = 1

// serverCapabilities returns the capabilities for this client: features of Markdown that the editor has
// itself are left out, and capabilities that a client registers only for some documents are announced later.
func serverCapabilities(c *client.Features) protocol.ServerCapabilities {
	caps := protocol.ServerCapabilities{
		PositionEncoding: c.Encoding.Kind(),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: new(true),
			Change:    new(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: new(false)},
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: new(true), ChangeNotifications: protocol.Boolean(true),
			},
		},
		HoverProvider:           protocol.Boolean(true),
		DefinitionProvider:      protocol.Boolean(true),
		ReferencesProvider:      protocol.Boolean(true),
		RenameProvider:          protocol.Boolean(true),
		CompletionProvider:      &protocol.CompletionOptions{TriggerCharacters: completionTriggers, ResolveProvider: new(true)},
		DocumentLinkProvider:    &protocol.DocumentLinkOptions{},
		InlayHintProvider:       protocol.Boolean(true),
		CodeLensProvider:        &protocol.CodeLensOptions{},
		WorkspaceSymbolProvider: protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: new(true)},
			Commands:                commandNames(),
		},
		Experimental: experimental(),
	}
	if c.PrepareRename {
		caps.RenameProvider = &protocol.RenameOptions{PrepareProvider: new(true)}
	}
	if c.LiteralActions {
		caps.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: actionKinds(), ResolveProvider: new(c.ResolveEdit)}
	}
	if !c.BuiltinMarkdown {
		caps.DocumentSymbolProvider = protocol.Boolean(true)
		caps.FoldingRangeProvider = protocol.Boolean(true)
	}
	if l := render.NewLegend(c); len(l.Types) > 0 {
		caps.SemanticTokensProvider = &protocol.SemanticTokensOptions{
			Legend: protocol.SemanticTokensLegend{TokenTypes: l.Types, TokenModifiers: l.Modifiers},
			Range:  protocol.Boolean(true), Full: protocol.Boolean(true),
		}
	}
	if c.PullDiagnostics {
		caps.DiagnosticProvider = &protocol.DiagnosticOptions{
			Identifier: new(render.DiagnosticSource), InterFileDependencies: true, WorkspaceDiagnostics: true,
		}
	}
	if c.Content {
		caps.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{contentScheme}}
	}
	offerFileEvents(c, &caps)
	return caps
}

// experimental announces our own requests, notifications and commands, so that our own extensions can tell
// what this server supports.
func experimental() protocol.LSPAny {
	raw, err := json.Marshal(map[string]any{"brv": map[string]any{
		"apiVersion": apiVersion, "methods": customMethods(), "notifications": customNotes,
		"commands": commandNames(), "commandPrefix": render.CommandPrefix,
	}})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return raw
}

// commandNames lists what workspace/executeCommand accepts.
func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }
