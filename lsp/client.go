package lsp

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

// clientFeatures is what the client can do, as far as answers depend on it. Its
// zero value is the least a client can be: no section of the capabilities, not
// even the client's name, can be relied on to be there.
type clientFeatures struct {
	name     string
	encoding position.Encoding

	dropsStale bool // knows what to do where an answer's document has changed meanwhile

	// builtinMarkdown says that the editor has symbols, folding and selection of Markdown
	// of its own, as VS Code does: ours would be shown beside them.
	builtinMarkdown bool

	markdown        bool // hover contents may be markdown
	docMarkdown     bool // documentation of completions may be markdown
	linkSupport     bool // definition may answer with an origin range
	labelDetails    bool
	literalActions  bool // code actions may carry edits, not only commands
	actionKinds     []protocol.CodeActionKind
	resolveEdit     bool // a code action's edit may be filled in later
	honorsAnnots    bool // code actions may ask for confirmation
	prepareRename   bool // asks what would be renamed before it asks for a name
	registerFormat  bool // takes the formatter for some files only
	disabledActions bool // code actions may say why they cannot be chosen now
	insertReplace   bool // completions may leave what stands behind the cursor
	resolvesDocs    bool // documentation of completions may be filled in later
	resolvesEdits   bool // and so may their edits elsewhere

	declarationLinks    bool // as linkSupport
	implementationLinks bool
	linkTooltips        bool
	registersCalls      bool // call hierarchy may be announced for some documents, after initialize
	registersTypes      bool

	applyEdit       bool
	documentChanges bool
	createFiles     bool
	renameFiles     bool
	deleteFiles     bool
	annotations     bool // edits may carry change annotations
	undoesEdits     bool // an edit that is declined or fails leaves nothing behind

	pullDiagnostics    bool
	refreshDiagnostics bool
	refreshLenses      bool
	refreshInlays      bool
	refreshTokens      bool
	versionedPush      bool

	relatedDocuments   bool // a pull may be answered for further documents
	relatedInformation bool // problems may name other places
	unnecessary        bool // problems may be tagged so
	codeDescription    bool // problems may link to what explains them
	diagnosticData     bool // code actions are asked for with the data of problems

	symbolTree     bool                  // documentSymbol may nest
	symbolKinds    []protocol.SymbolKind // of documentSymbol; see [symbolKind]
	workspaceKinds []protocol.SymbolKind // of workspace/symbol
	lazySymbols    bool                  // the range of a workspace symbol may be filled in later
	foldLines      bool                  // folds are whole lines
	foldLimit      int                   // the most folds of a document, negative for no limit

	tokenTypes []string // of semantic tokens; none if it shows none
	tokenMods  []string
	tokenDelta bool // asks for what changed since the last tokens

	files         fileEvents
	watchFiles    bool // registers for file events when asked
	configuration bool // answers workspace/configuration
	watchSettings bool // registers for changed settings when asked
	relativeWatch bool // in patterns relative to a folder
	content       bool // asks the server for documents that are not on disk
	progress      bool
	showDocument  bool
	asks          bool // shows questions with answers to choose from
	status        bool // wants to be told how the server is, see [statusMethod]
}

// readClient condenses the client's capabilities.
func readClient(p *protocol.InitializeParams) clientFeatures {
	c := clientFeatures{name: p.ClientInfo.Name, encoding: position.UTF16, foldLimit: -1}
	c.status = wantsStatus(p.Capabilities.Experimental)
	if g := p.Capabilities.General; g != nil {
		c.encoding = position.Negotiate(g.PositionEncodings)
		c.dropsStale = g.StaleRequestSupport.Cancel
	}
	if t := p.Capabilities.TextDocument; t != nil {
		c.readTextDocument(t)
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.readWorkspace(w)
	}
	if w := p.Capabilities.Window; w != nil {
		c.progress = yes(w.WorkDoneProgress)
		c.asks = w.ShowMessage != nil
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
		c.insertReplace = yes(item.InsertReplaceSupport)
		c.resolvesDocs = slices.Contains(item.ResolveSupport.Properties, "documentation")
		c.resolvesEdits = slices.Contains(item.ResolveSupport.Properties, "additionalTextEdits")
	}
	c.readStructure(t)
	if r := t.Rename; r != nil {
		c.prepareRename = yes(r.PrepareSupport)
	}
	c.registerFormat = t.Formatting != nil && yes(t.Formatting.DynamicRegistration)
	c.linkSupport = t.Definition != nil && yes(t.Definition.LinkSupport)
	c.declarationLinks = t.Declaration != nil && yes(t.Declaration.LinkSupport)
	c.implementationLinks = t.Implementation != nil && yes(t.Implementation.LinkSupport)
	c.linkTooltips = t.DocumentLink != nil && yes(t.DocumentLink.TooltipSupport)
	c.registersCalls = t.CallHierarchy != nil && yes(t.CallHierarchy.DynamicRegistration)
	c.registersTypes = t.TypeHierarchy != nil && yes(t.TypeHierarchy.DynamicRegistration)
	c.pullDiagnostics = t.Diagnostic != nil
	if t.Diagnostic != nil {
		c.relatedDocuments = yes(t.Diagnostic.RelatedDocumentSupport)
		c.readDiagnostics(&t.Diagnostic.DiagnosticsCapabilities)
	}
	if t.PublishDiagnostics != nil { // clients that pull say here, too, what problems may have
		c.readDiagnostics(&t.PublishDiagnostics.DiagnosticsCapabilities)
	}
	c.versionedPush = t.PublishDiagnostics != nil && yes(t.PublishDiagnostics.VersionSupport)
	if a := t.CodeAction; a != nil {
		// An empty value set still promises literals: ALE sends one.
		c.literalActions = a.CodeActionLiteralSupport.CodeActionKind.ValueSet != nil
		c.actionKinds = a.CodeActionLiteralSupport.CodeActionKind.ValueSet
		c.resolveEdit = yes(a.DataSupport) && slices.Contains(a.ResolveSupport.Properties, "edit")
		c.disabledActions = yes(a.DisabledSupport)
		c.honorsAnnots = yes(a.HonorsChangeAnnotations)
	}
}

func (c *clientFeatures) readStructure(t *protocol.TextDocumentClientCapabilities) {
	if d := t.DocumentSymbol; d != nil {
		c.symbolTree = yes(d.HierarchicalDocumentSymbolSupport)
		if d.SymbolKind != nil {
			c.symbolKinds = d.SymbolKind.ValueSet
		}
	}
	if f := t.FoldingRange; f != nil {
		c.foldLines = yes(f.LineFoldingOnly)
		if f.RangeLimit != nil {
			c.foldLimit = int(*f.RangeLimit)
		}
	}
	c.tokenTypes, c.tokenMods = t.SemanticTokens.TokenTypes, t.SemanticTokens.TokenModifiers
	full, ok := t.SemanticTokens.Requests.Full.(*protocol.ClientSemanticTokensRequestFullDelta)
	c.tokenDelta = ok && yes(full.Delta)
}

// hasMarkdown tells by an editor's name that it is VS Code or built from it. Nothing that
// it announces says what its own Markdown features do.
func hasMarkdown(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"visual studio code", "vscod", "code-server", "code - oss", "cursor", "windsurf"}, func(of string) bool {
		return strings.HasPrefix(name, of)
	})
}

func (c *clientFeatures) readDiagnostics(d *protocol.DiagnosticsCapabilities) {
	c.relatedInformation = c.relatedInformation || yes(d.RelatedInformation)
	c.unnecessary = c.unnecessary || slices.Contains(d.TagSupport.ValueSet, protocol.DiagnosticTagUnnecessary)
	c.codeDescription = c.codeDescription || yes(d.CodeDescriptionSupport)
	c.diagnosticData = c.diagnosticData || yes(d.DataSupport)
}

func (c *clientFeatures) readWorkspace(w *protocol.WorkspaceClientCapabilities) {
	c.applyEdit = yes(w.ApplyEdit)
	if e := w.WorkspaceEdit; e != nil {
		c.createFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindCreate)
		c.renameFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindRename)
		c.deleteFiles = slices.Contains(e.ResourceOperations, protocol.ResourceOperationKindDelete)
		// Neovim announces resource operations, which live in documentChanges,
		// without announcing documentChanges.
		c.documentChanges = yes(e.DocumentChanges) || len(e.ResourceOperations) > 0
		c.annotations = e.ChangeAnnotationSupport != nil
		c.undoesEdits = e.FailureHandling != ""
	}
	c.watchFiles = w.DidChangeWatchedFiles != nil && yes(w.DidChangeWatchedFiles.DynamicRegistration)
	c.configuration = yes(w.Configuration)
	c.watchSettings = w.DidChangeConfiguration != nil && yes(w.DidChangeConfiguration.DynamicRegistration)
	c.relativeWatch = c.watchFiles && yes(w.DidChangeWatchedFiles.RelativePatternSupport)
	c.content = w.TextDocumentContent != nil
	c.files = readFileEvents(w.FileOperations)
	c.refreshLenses = w.CodeLens != nil && yes(w.CodeLens.RefreshSupport)
	c.refreshInlays = w.InlayHint != nil && yes(w.InlayHint.RefreshSupport)
	c.refreshTokens = w.SemanticTokens != nil && yes(w.SemanticTokens.RefreshSupport)
	if w.Symbol != nil {
		c.lazySymbols = slices.Contains(w.Symbol.ResolveSupport.Properties, "location.range")
		if w.Symbol.SymbolKind != nil {
			c.workspaceKinds = w.Symbol.SymbolKind.ValueSet
		}
	}
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

func yes(b *bool) bool { return b != nil && *b }
