package client

import (
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

// Features holds the client's capabilities, as far as answers depend on them. The zero value is the simplest
// possible client: no section of the capabilities, not even the client's name, is guaranteed.
type Features struct {
	Name     string
	Encoding position.Encoding

	DropsStale bool // handles an answer whose document has changed meanwhile

	// BuiltinMarkdown means that the editor, such as VS Code, has its own symbols, folding and selection for
	// Markdown: ours would be shown in addition.
	BuiltinMarkdown bool

	EditorModel bool // it has a model of its own, see [CompleteMethod]
	Secrets     bool // it keeps the keys of models, see [SecretMethod]
	HoverLinks  bool // it writes stale entries into hovers itself, with links to its commands

	Markdown        bool // hover contents may be markdown
	DocMarkdown     bool // documentation of completions may be markdown
	LinkSupport     bool // definition may answer with an origin range
	LabelDetails    bool
	LiteralActions  bool // code actions may have edits, not only commands; otherwise none are sent
	actionKinds     []protocol.CodeActionKind
	ResolveEdit     bool // a code action's edit may be filled in later
	honorsAnnots    bool // code actions may ask for confirmation
	PrepareRename   bool // asks for the renamed range before it asks for a name
	DisabledActions bool // code actions may state why they are disabled
	InsertReplace   bool // completions may keep the text behind the cursor
	ResolvesDocs    bool // documentation of completions may be filled in later
	ResolvesEdits   bool // the same for their edits elsewhere

	LinkTooltips bool

	ApplyEdit       bool
	DocumentChanges bool
	CreateFiles     bool
	RenameFiles     bool
	DeleteFiles     bool
	Annotations     bool // edits may carry change annotations
	undoesEdits     bool // an edit that is declined or fails has no effect

	PullDiagnostics    bool
	RefreshDiagnostics bool
	RefreshLenses      bool
	RefreshInlays      bool
	RefreshTokens      bool
	VersionedPush      bool

	RelatedInformation bool // problems may refer to other places
	Unnecessary        bool // problems may be tagged so
	CodeDescription    bool // problems may link to what explains them
	DiagnosticData     bool // code actions are asked for with the data of problems

	SymbolTree     bool                  // documentSymbol may nest
	SymbolKinds    []protocol.SymbolKind // of documentSymbol; see [symbolKind]
	WorkspaceKinds []protocol.SymbolKind // of workspace/symbol
	FoldLines      bool                  // folds are whole lines
	FoldLimit      int                   // the most folds of a document, negative for no limit

	TokenTypes []string // of semantic tokens; none if it shows none
	TokenMods  []string

	FileEvents    FileEvents
	WatchFiles    bool // registers for file events when asked
	Configuration bool // answers workspace/configuration
	WatchSettings bool // registers for changed settings when asked
	Content       bool // asks the server for documents that are not on disk
	Progress      bool
	ShowDocument  bool
	Asks          bool // shows questions with answers to choose from
	Status        bool // wants to be told how the server is, see state.StatusMethod
}

// ReadFeatures extracts the features from the client's capabilities.
func ReadFeatures(p *protocol.InitializeParams) Features {
	c := Features{Name: p.ClientInfo.Name, Encoding: position.UTF16, FoldLimit: -1}
	c.Status = wantsStatus(p.Capabilities.Experimental)
	if g := p.Capabilities.General; g != nil {
		c.Encoding = position.Negotiate(g.PositionEncodings)
		c.DropsStale = g.StaleRequestSupport.Cancel
	}
	if t := p.Capabilities.TextDocument; t != nil {
		c.readTextDocument(t)
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.readWorkspace(w)
	}
	if w := p.Capabilities.Window; w != nil {
		c.Progress = yes(w.WorkDoneProgress)
		c.Asks = w.ShowMessage != nil
		c.ShowDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	return c
}

func (c *Features) readTextDocument(t *protocol.TextDocumentClientCapabilities) {
	if t.Hover != nil {
		c.Markdown = slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if t.Completion != nil && t.Completion.CompletionItem != nil {
		item := t.Completion.CompletionItem
		c.DocMarkdown = slices.Contains(item.DocumentationFormat, protocol.MarkupKindMarkdown)
		c.LabelDetails = yes(item.LabelDetailsSupport)
		c.InsertReplace = yes(item.InsertReplaceSupport)
		c.ResolvesDocs = slices.Contains(item.ResolveSupport.Properties, "documentation")
		c.ResolvesEdits = slices.Contains(item.ResolveSupport.Properties, "additionalTextEdits")
	}
	c.readStructure(t)
	if r := t.Rename; r != nil {
		c.PrepareRename = yes(r.PrepareSupport)
	}
	c.LinkSupport = t.Definition != nil && yes(t.Definition.LinkSupport)
	c.LinkTooltips = t.DocumentLink != nil && yes(t.DocumentLink.TooltipSupport)
	c.PullDiagnostics = t.Diagnostic != nil
	if t.Diagnostic != nil {
		c.readDiagnostics(&t.Diagnostic.DiagnosticsCapabilities)
	}
	if t.PublishDiagnostics != nil { // clients that pull also state here what problems may contain
		c.readDiagnostics(&t.PublishDiagnostics.DiagnosticsCapabilities)
	}
	c.VersionedPush = t.PublishDiagnostics != nil && yes(t.PublishDiagnostics.VersionSupport)
	if a := t.CodeAction; a != nil {
		// An empty value set still promises literals: ALE sends one.
		c.LiteralActions = a.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
		c.actionKinds = a.CodeActionLiteralSupport.CodeActionKind.ValueSet
		c.ResolveEdit = yes(a.DataSupport) && slices.Contains(a.ResolveSupport.Properties, "edit")
		c.DisabledActions = yes(a.DisabledSupport)
		c.honorsAnnots = yes(a.HonorsChangeAnnotations)
	}
}

func (c *Features) readStructure(t *protocol.TextDocumentClientCapabilities) {
	if d := t.DocumentSymbol; d != nil {
		c.SymbolTree = yes(d.HierarchicalDocumentSymbolSupport)
		if d.SymbolKind != nil {
			c.SymbolKinds = d.SymbolKind.ValueSet
		}
	}
	if f := t.FoldingRange; f != nil {
		c.FoldLines = yes(f.LineFoldingOnly)
		if f.RangeLimit != nil {
			c.FoldLimit = int(*f.RangeLimit)
		}
	}
	c.TokenTypes, c.TokenMods = t.SemanticTokens.TokenTypes, t.SemanticTokens.TokenModifiers
}

// HasMarkdown reports by an editor's name whether it is VS Code or based on it. The capabilities do not show
// what its own Markdown features do.
func HasMarkdown(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"visual studio code", "vscod", "code-server", "code - oss", "cursor", "windsurf"},
		func(of string) bool {
			return strings.HasPrefix(name, of)
		})
}

func (c *Features) readDiagnostics(d *protocol.DiagnosticsCapabilities) {
	c.RelatedInformation = c.RelatedInformation || yes(d.RelatedInformation)
	c.Unnecessary = c.Unnecessary || slices.Contains(d.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
	c.CodeDescription = c.CodeDescription || yes(d.CodeDescriptionSupport)
	c.DiagnosticData = c.DiagnosticData || yes(d.DataSupport)
}

func (c *Features) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	c.ApplyEdit = yes(w.ApplyEdit)
	if e := w.WorkspaceEdit; e != nil {
		c.CreateFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
		c.RenameFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindRename)
		c.DeleteFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindDelete)
		// Neovim announces resource operations, which live in documentChanges,
		// without announcing documentChanges.
		c.DocumentChanges = yes(e.DocumentChanges) || len(e.ResourceOperations) > 0
		c.Annotations = e.ChangeAnnotationSupport != nil
		c.undoesEdits = e.FailureHandling != ""
	}
	c.WatchFiles = w.DidChangeWatchedFiles != nil && yes(w.DidChangeWatchedFiles.DynamicRegistration)
	c.Configuration = yes(w.Configuration)
	c.WatchSettings = w.DidChangeConfiguration != nil && yes(w.DidChangeConfiguration.DynamicRegistration)
	c.Content = w.TextDocumentContent != nil
	c.FileEvents = readFileEvents(w.FileOperations)
	c.RefreshLenses = w.CodeLens != nil && yes(w.CodeLens.RefreshSupport)
	c.RefreshInlays = w.InlayHint != nil && yes(w.InlayHint.RefreshSupport)
	c.RefreshTokens = w.SemanticTokens != nil && yes(w.SemanticTokens.RefreshSupport)
	if w.Symbol != nil {
		if w.Symbol.SymbolKind != nil {
			c.WorkspaceKinds = w.Symbol.SymbolKind.ValueSet
		}
	}
	c.RefreshDiagnostics = w.Diagnostics != nil && yes(w.Diagnostics.RefreshSupport)
}

// PreviewsEdits reports whether the client shows an edit that asks for confirmation before it applies it:
// then no dialogue of our own is needed. Neovim 0.12 claims this, but makes the new file before it asks; it
// is recognised by not stating a failure handling.
func (c *Features) PreviewsEdits() bool {
	return c.LiteralActions && c.DocumentChanges && c.CreateFiles && c.Annotations && c.honorsAnnots && c.undoesEdits
}

// Kind returns the most specific kind that the client knows for want, or nil if
// it does not know any: kinds are hierarchical, "refactor" includes
// "refactor.extract.brv".
func (c *Features) Kind(want protocol.CodeActionKind) *protocol.CodeActionKind {
	if slices.ContainsFunc(c.actionKinds, func(k protocol.CodeActionKind) bool { return Includes(k, want) }) {
		return &want
	}
	return nil
}

// Includes reports whether kind want is k or lies below it.
func Includes(k, want protocol.CodeActionKind) bool {
	return k == "" || k == want || len(want) > len(k) && want[:len(k)] == k && want[len(k)] == '.'
}

func yes(b *bool) bool { return b != nil && *b }

// FileEvents are the file operations that a client reports, or asks about in advance.
type FileEvents struct{ WillRename, DidRename, DidCreate, WillDelete, DidDelete bool }

func readFileEvents(c *protocol.FileOperationClientCapabilities) FileEvents {
	if c == nil {
		return FileEvents{}
	}
	return FileEvents{yes(c.WillRename), yes(c.DidRename), yes(c.DidCreate), yes(c.WillDelete), yes(c.DidDelete)}
}

// wantsStatus reads the client's experimental capabilities.
func wantsStatus(experimental []byte) bool {
	var c struct {
		Brv struct {
			Status bool `json:"status"`
		} `json:"brv"`
	}
	return json.Unmarshal(experimental, &c) == nil && c.Brv.Status
}
