package lsptest

import "fmt"

// gates checks what an answer is made of against what the client announced for it: all
// that a client would show wrongly or fail on. A property that a client passes over when
// it does not know it, such as a tooltip, is nobody's harm.
func (c *checker) gates(method string, v any) {
	items, _ := v.([]any)
	switch method {
	case "textDocument/hover":
		c.markup(at(v, "contents"), "textDocument.hover.contentFormat")
	case "textDocument/definition", "textDocument/declaration", "textDocument/implementation", "textDocument/typeDefinition":
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

// problems checks diagnostics.
func (c *checker) problems(v any) {
	list, _ := v.([]any)
	for _, d := range list {
		if message, _ := at(d, "message").(string); message == "" {
			c.wrong("a problem without words: %v", d)
		}
	}
}
