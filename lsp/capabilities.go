package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// apiVersion numbers the custom requests and the commands as a whole. It grows
// when one of them changes incompatibly.
const apiVersion = 1

// commandPrefix begins the name of each command.
const commandPrefix = "brv."

// curateKind is the kind of the "Curate this selection" action: a refactoring
// that extracts, so that clients list it among those.
const curateKind protocol.CodeActionKind = "refactor.extract.brv"

// clientFeatures is what the client can do, as far as answers depend on it. Its
// zero value is the least a client can be: no section of the capabilities, not
// even the client's name, can be relied on to be there.
type clientFeatures struct {
	name     string
	encoding encoding

	markdown       bool // hover contents may be markdown
	docMarkdown    bool // documentation of completions may be markdown
	linkSupport    bool // definition may answer with an origin range
	labelDetails   bool
	literalActions bool // code actions may carry edits, not only commands
	actionKinds    []protocol.CodeActionKind
	resolveEdit    bool // a code action's edit may be filled in later
	honorsAnnots   bool // code actions may ask for confirmation

	applyEdit       bool
	documentChanges bool
	createFiles     bool
	annotations     bool // edits may carry change annotations
	undoesEdits     bool // an edit that is declined or fails leaves nothing behind

	pullDiagnostics    bool
	refreshDiagnostics bool
	refreshLenses      bool
	versionedPush      bool

	watchFiles   bool // registers for file events when asked
	content      bool // asks the server for documents that are not on disk
	progress     bool
	showDocument bool
}

// readClient condenses the client's capabilities.
func readClient(p *protocol.InitializeParams) clientFeatures {
	c := clientFeatures{name: p.ClientInfo.Name, encoding: utf16}
	if g := p.Capabilities.General; g != nil {
		c.encoding = negotiate(g.PositionEncodings)
	}
	if t := p.Capabilities.TextDocument; t != nil {
		c.readTextDocument(t)
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.readWorkspace(w)
	}
	if w := p.Capabilities.Window; w != nil {
		c.progress = yes(w.WorkDoneProgress)
		c.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	return c
}

func (c *clientFeatures) readTextDocument(t *protocol.TextDocumentClientCapabilities) {
	if t.Hover != nil {
		c.markdown = slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if t.Completion != nil && t.Completion.CompletionItem != nil {
		item := t.Completion.CompletionItem
		c.docMarkdown = slices.Contains(item.DocumentationFormat, protocol.MarkupKindMarkdown)
		c.labelDetails = yes(item.LabelDetailsSupport)
	}
	c.linkSupport = t.Definition != nil && yes(t.Definition.LinkSupport)
	c.pullDiagnostics = t.Diagnostic != nil
	c.versionedPush = t.PublishDiagnostics != nil && yes(t.PublishDiagnostics.VersionSupport)
	if a := t.CodeAction; a != nil {
		// An empty value set still promises literals: ALE sends one.
		c.literalActions = a.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
		c.actionKinds = a.CodeActionLiteralSupport.CodeActionKind.ValueSet
		c.resolveEdit = yes(a.DataSupport) && slices.Contains(a.ResolveSupport.Properties, "edit")
		c.honorsAnnots = yes(a.HonorsChangeAnnotations)
	}
}

func (c *clientFeatures) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	c.applyEdit = yes(w.ApplyEdit)
	if e := w.WorkspaceEdit; e != nil {
		c.createFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
		// Neovim announces resource operations, which live in documentChanges,
		// without announcing documentChanges.
		c.documentChanges = yes(e.DocumentChanges) || c.createFiles
		c.annotations = e.ChangeAnnotationSupport != nil
		c.undoesEdits = e.FailureHandling != ""
	}
	c.watchFiles = w.DidChangeWatchedFiles != nil && yes(w.DidChangeWatchedFiles.DynamicRegistration)
	c.content = w.TextDocumentContent != nil
	c.refreshLenses = w.CodeLens != nil && yes(w.CodeLens.RefreshSupport)
	c.refreshDiagnostics = w.Diagnostics != nil && yes(w.Diagnostics.RefreshSupport)
}

// previewsEdits reports whether the client shows an edit that asks for
// confirmation before it applies it: then no dialogue of our own is needed.
// Neovim 0.12 claims to, but makes the new file before it asks; what tells it
// apart is that it states no failure handling.
func (c *clientFeatures) previewsEdits() bool {
	return c.literalActions && c.documentChanges && c.createFiles && c.annotations && c.honorsAnnots && c.undoesEdits
}

// kind returns the most specific kind that the client knows for want, or nil if
// it does not know any: kinds are hierarchical, "refactor" includes
// "refactor.extract.brv".
func (c *clientFeatures) kind(want protocol.CodeActionKind) *protocol.CodeActionKind {
	if slices.ContainsFunc(c.actionKinds, func(k protocol.CodeActionKind) bool { return includes(k, want) }) {
		return &want
	}
	return nil
}

// includes reports whether kind want is k or lies below it.
func includes(k, want protocol.CodeActionKind) bool {
	return k == "" || k == want || len(want) > len(k) && want[:len(k)] == k && want[len(k)] == '.'
}

// negotiate picks the encoding that costs least among those the client has;
// utf-16, the default, is always allowed.
func negotiate(offered []protocol.PositionEncodingKind) encoding {
	switch {
	case slices.Contains(offered, protocol.PositionEncodingKindUTF8):
		return utf8Bytes
	case slices.Contains(offered, protocol.PositionEncodingKindUTF16):
		return utf16
	case slices.Contains(offered, protocol.PositionEncodingKindUTF32):
		return utf32
	}
	return utf16
}

// kindOf is the protocol's name of an encoding.
func (e encoding) kind() protocol.PositionEncodingKind {
	switch e {
	case utf8Bytes:
		return protocol.PositionEncodingKindUTF8
	case utf32:
		return protocol.PositionEncodingKindUTF32
	}
	return protocol.PositionEncodingKindUTF16
}

// serverCapabilities is what the server offers this client.
func serverCapabilities(c *clientFeatures) protocol.ServerCapabilities {
	caps := protocol.ServerCapabilities{
		PositionEncoding: c.encoding.kind(),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: ptr(true),
			Change:    ptr(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: ptr(false)},
		},
		HoverProvider:        protocol.Boolean(true),
		DefinitionProvider:   protocol.Boolean(true),
		ReferencesProvider:   protocol.Boolean(true),
		DocumentLinkProvider: &protocol.DocumentLinkOptions{},
		CompletionProvider:   &protocol.CompletionOptions{TriggerCharacters: []string{"@", "/"}},
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
	if c.pullDiagnostics {
		caps.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: ptr(diagnosticSource), InterFileDependencies: true}
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
		CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, curateKind, protocol.CodeActionKindSource},
		ResolveProvider: ptr(c.resolveEdit),
	}
}

// experimental announces the custom requests, so that our own extensions know
// what this server has without trying.
func experimental() protocol.LSPAny {
	raw, err := json.Marshal(map[string]any{"brv": map[string]any{
		"apiVersion": apiVersion, "methods": customMethods(), "commandPrefix": commandPrefix,
	}})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return raw
}

// commandNames lists what workspace/executeCommand accepts.
func commandNames() []string {
	names := []string{curateCommand, reviewCommand}
	for _, c := range workspace.Commands() {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

func ptr[T any](v T) *T { return &v }

func yes(b *bool) bool { return b != nil && *b }
