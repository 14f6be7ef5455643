package lsptest

import "fmt"

// gates compares an answer with the client's announced capabilities: it reports everything that a client
// would show wrongly or fail on. A property that clients ignore if they do not know it, such as a tooltip, is
// allowed.
func (c *checker) gates(method string, v any) {
	items, _ := v.([]any)
	switch method {
	case "textDocument/hover":
		c.markup(at(v, "contents"), "textDocument.hover.contentFormat")
	case "textDocument/definition", "textDocument/typeDefinition":
		for _, item := range items {
			if at(item, "targetUri") != nil {
				c.wants(c.yes("textDocument."+method[len("textDocument/"):]+".linkSupport"), "a LocationLink")
			}
		}
	case "textDocument/completion":
		if list, ok := at(v, "items").([]any); ok {
			items = list
		}
		for _, item := range items {
			c.completion(item)
		}
	case "completionItem/resolve":
		c.completion(v)
	case "textDocument/codeAction":
		for _, item := range items {
			c.action(item)
		}
	case "textDocument/documentSymbol", "workspace/symbol":
		c.symbols(method, items)
	case "textDocument/foldingRange":
		c.folds(items)
	case "textDocument/semanticTokens/full", "textDocument/semanticTokens/range":
		c.tokens(at(v, "data"))
	case "textDocument/publishDiagnostics":
		c.problems(at(v, "diagnostics"))
	case "textDocument/diagnostic":
		c.problems(at(v, "items"))
	}
}

// markup checks the kind of a documentation.
func (c *checker) markup(v any, formats string) {
	if kind := at(v, "kind"); kind != nil && kind != "plaintext" {
		c.wants(c.lists(formats, kind), fmt.Sprint(kind))
	}
}

func (c *checker) completion(item any) {
	const of = "textDocument.completion.completionItem."
	c.markup(at(item, "documentation"), of+"documentationFormat")
	c.wants(at(item, "insertTextFormat") != 2.0 || c.yes(of+"snippetSupport"), "a snippet")
	c.wants(at(item, "textEdit.insert") == nil || c.yes(of+"insertReplaceSupport"), "an InsertReplaceEdit")
}

func (c *checker) action(item any) {
	const of = "textDocument.codeAction."
	_, bare := at(item, "command").(string)
	c.wants(bare || at(c.client, of+"codeActionLiteralSupport") != nil, "a literal action")
	c.wants(at(item, "disabled") == nil || c.yes(of+"disabledSupport"), "a disabled action")
	if at(item, "disabled") == nil && at(item, "edit") == nil && at(item, "command") == nil && at(item, "data") == nil {
		c.wrong("action %v does nothing", at(item, "title"))
	}
}

func (c *checker) symbols(method string, items []any) {
	of := "textDocument.documentSymbol."
	if method == "workspace/symbol" {
		of = "workspace.symbol."
	}
	for _, item := range items {
		kind, _ := at(item, "kind").(float64)
		if at(c.client, of+"symbolKind.valueSet") != nil {
			c.wants(c.lists(of+"symbolKind.valueSet", kind), fmt.Sprint("symbol kind ", kind))
		} else {
			c.wants(kind >= 1 && kind <= 18, fmt.Sprint("symbol kind ", kind))
		}
		if method == "workspace/symbol" {
			c.wants(at(item, "location.range") != nil || c.lists(of+"resolveSupport.properties", "location.range"),
				"a symbol without a range")
			continue
		}
		c.wants(at(item, "location") != nil || c.yes(of+"hierarchicalDocumentSymbolSupport"), "a DocumentSymbol")
		children, _ := at(item, "children").([]any)
		c.symbols(method, children)
	}
}

func (c *checker) folds(items []any) {
	for _, item := range items {
		start, _ := at(item, "startLine").(float64)
		end, _ := at(item, "endLine").(float64)
		if start > end {
			c.wrong("fold from line %v to %v", start, end)
		}
		c.place(map[string]any{"start": map[string]any{"line": start, "character": 0.0},
			"end": map[string]any{"line": end, "character": 0.0}}, c.home)
		exact := at(item, "startCharacter") != nil || at(item, "endCharacter") != nil
		c.wants(!exact || !c.yes("textDocument.foldingRange.lineFoldingOnly"), "a fold inside of lines")
	}
}

// tokens checks that encoded tokens follow each other, lie in the document and are of
// the legend.
func (c *checker) tokens(v any) {
	data, _ := v.([]any)
	types, _ := at(c.server, "semanticTokensProvider.legend.tokenTypes").([]any)
	modifiers, _ := at(c.server, "semanticTokensProvider.legend.tokenModifiers").([]any)
	for _, name := range types {
		c.wants(c.lists("textDocument.semanticTokens.tokenTypes", name), fmt.Sprint("token type ", name))
	}
	if len(data)%5 != 0 {
		c.wrong("%d numbers of tokens", len(data))
		return
	}
	var line, character, end float64
	for i := 0; i < len(data); i += 5 {
		n := make([]float64, 5)
		for k := range n {
			n[k], _ = data[i+k].(float64)
		}
		if n[0] > 0 {
			line, character, end = line+n[0], 0, 0
		}
		if character += n[1]; character < end {
			c.wrong("token %d begins in the one before", i/5)
		}
		end = character + n[2]
		place := func(character float64) map[string]any { return map[string]any{"line": line, "character": character} }
		c.place(map[string]any{"start": place(character), "end": place(end)}, c.home)
		if int(n[3]) >= len(types) || int(n[4]) >= 1<<len(modifiers) || n[2] == 0 {
			c.wrong("token %d is %v", i/5, n)
		}
	}
}

// problems checks diagnostics.
func (c *checker) problems(v any) {
	list, _ := v.([]any)
	for _, d := range list {
		if message, _ := at(d, "message").(string); message == "" {
			c.wrong("a problem without words: %v", d)
		}
	}
}
