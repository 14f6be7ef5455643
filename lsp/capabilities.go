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

// serverCapabilities is what the server offers this client.
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
		Experimental: experimental(),
	}
	for _, f := range features() {
		if f.offer != nil {
			f.offer(c, &caps)
		}
	}
	return caps
}

// experimental announces our own requests, notifications and commands, so that our own extensions know
// what this server has without trying.
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
func commandNames() []string {
	names := slices.Collect(maps.Keys(editorCommands))
	names = slices.AppendSeq(names, maps.Keys(commands))
	slices.Sort(names)
	return names
}
