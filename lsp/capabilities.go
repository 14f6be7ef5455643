package lsp

import (
	"encoding/json"
	"maps"
	"slices"

	"go.lsp.dev/protocol"
)

// apiVersion numbers the custom requests and the commands as a whole. It grows
// when one of them changes incompatibly.
const apiVersion = 1

// commandPrefix begins the name of each command.
const commandPrefix = "brv."

// curateKind is the kind of the "Curate this selection" action: a refactoring
// that extracts, so that clients list it among those.
const curateKind protocol.CodeActionKind = "refactor.extract.brv"

// serverCapabilities is what the server offers this client.
func serverCapabilities(c *clientFeatures) protocol.ServerCapabilities {
	caps := protocol.ServerCapabilities{
		PositionEncoding: c.encoding.Kind(),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true),
			Change:    ptr(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: ptr(false)},
		},
		HoverProvider:        protocol.Boolean(true),
		DefinitionProvider:   protocol.Boolean(true),
		ReferencesProvider:   protocol.Boolean(true),
		DocumentLinkProvider: &protocol.DocumentLinkOptions{ResolveProvider: ptr(true)},
		CompletionProvider:   &protocol.CompletionOptions{TriggerCharacters: completionTriggers, ResolveProvider: ptr(true)},
		CodeActionProvider:   codeActionOptions(c),
		CodeLensProvider:     &protocol.CodeLensOptions{ResolveProvider: ptr(true)},
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: ptr(true)},
			Commands:                commandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
				Supported: ptr(true), ChangeNotifications: protocol.Boolean(true),
			},
		},
		Experimental: experimental(),
	}
	for _, f := range features() {
		if f.offer != nil {
			f.offer(c, &caps)
		}
	}
	if c.content {
		caps.Workspace.TextDocumentContent = &protocol.TextDocumentContentOptions{Schemes: []string{contentScheme}}
	}
	return caps
}

func codeActionOptions(c *clientFeatures) protocol.CodeActionProvider {
	if !c.literalActions {
		return protocol.Boolean(true)
	}
	return &protocol.CodeActionOptions{
		CodeActionKinds: actionKinds(),
		ResolveProvider: ptr(c.resolveEdit),
	}
}

// experimental announces our own requests, notifications and commands, so that our own extensions know
// what this server has without trying.
func experimental() protocol.LSPAny {
	raw, err := json.Marshal(map[string]any{"brv": map[string]any{
		"apiVersion": apiVersion, "methods": customMethods(), "notifications": customNotes, "commands": commandNames(), "commandPrefix": commandPrefix,
	}})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return raw
}

// commandNames lists what workspace/executeCommand accepts.
func commandNames() []string {
	names := slices.Collect(maps.Keys(editorCommands))
	names = slices.AppendSeq(names, maps.Keys(commands))
	slices.Sort(names)
	return names
}

func ptr[T any](v T) *T { return &v }
