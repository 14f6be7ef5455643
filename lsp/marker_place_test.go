package lsp_test

import (
	"encoding/json"
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// placeQuestions are those of testdata archives about places and what leads to them:
//
//   - items MARK: completions with all that is sent of them; resolve MARK END: what
//     resolving the first whose label ends so adds
//   - parts MARK: references in partial results · linkresolve FILE: links without their
//     tooltips, and targets that are nobody's business
//   - replace FILE TEXT: another text in its buffer
func placeQuestions() map[string]question {
	return map[string]question{
		"items":   (*marked).items,
		"resolve": (*marked).resolveItem,
		"parts":   (*marked).parts,
		"replace": (*marked).replace,
	}
}

// asked makes the parameters of a request about a mark, with its file open.
func (m *marked) asked(name string) (mark, map[string]any) {
	at := m.at(name)
	return at, m.about(at)
}

func (m *marked) items(args []string) {
	at := m.at(args[0])
	items, err := m.editor.Complete(m.ctx, m.path(at.file), at.offset)
	if m.failed(err) {
		return
	}
	if len(items) == 0 {
		m.line("nothing")
	}
	for _, i := range items {
		var more struct {
			FilterText    string
			LabelDetails  json.RawMessage
			Documentation json.RawMessage
		}
		if err := json.Unmarshal(i.Raw, &more); err != nil {
			m.t.Fatal(err)
		}
		m.line("%s %s (%s): %s <- %q", i.SortText, i.Label, i.Detail, m.place(at.file, i.TextEdit.Range), i.TextEdit.NewText)
		m.line("  insert at %s; filter %q; kind %d %s%s", m.place(at.file, i.TextEdit.Insert), more.FilterText, i.Kind,
			more.LabelDetails, more.Documentation)
	}
}

// resolveItem prints what resolving adds to the first item with a label that ends in some
// text.
func (m *marked) resolveItem(args []string) {
	at := m.at(args[0])
	items, err := m.editor.Complete(m.ctx, m.path(at.file), at.offset)
	if m.failed(err) {
		return
	}
	for _, i := range items {
		if !strings.HasSuffix(i.Label, args[1]) {
			continue
		}
		var more struct {
			Documentation       markup
			AdditionalTextEdits []struct {
				Range   lsptest.Range
				NewText string
			}
		}
		if m.failed(m.editor.Call(m.ctx, "completionItem/resolve", i.Raw, &more)) {
			return
		}
		m.line("%s\n%s", i.Label, more.Documentation.Value)
		for _, e := range more.AdditionalTextEdits {
			m.line("%s <- %q", m.place(at.file, e.Range), e.NewText)
		}
		return
	}
	m.line("no such item")
}

// parts asks for references with a token and prints each chunk's size, then all of them.
func (m *marked) parts(args []string) {
	at, params := m.asked(args[0])
	params["context"] = map[string]any{"includeDeclaration": len(args) > 1}
	params["partialResultToken"] = "parts of " + args[0]
	var last []lsptest.Location
	if m.failed(m.editor.Call(m.ctx, "textDocument/references", params, &last)) {
		return
	}
	m.line("in the end %d, null: %v", len(last), last == nil)
	var all []lsptest.Location
	for _, message := range m.editor.Received("$/progress") {
		var p struct {
			Token json.RawMessage
			Value json.RawMessage
		}
		if err := json.Unmarshal(message.Params, &p); err != nil || string(p.Token) != `"parts of `+args[0]+`"` {
			continue
		}
		var some []lsptest.Location
		if err := json.Unmarshal(p.Value, &some); err != nil {
			m.t.Fatal(err)
		}
		m.line("a chunk of %d", len(some))
		all = append(all, some...)
	}
	m.locations(at.file, all[:min(len(all), 3)], nil)
}

// replace puts a text in the place of a file's buffer, which is not saved.
func (m *marked) replace(args []string) {
	m.open(args[0])
	if err := m.editor.Replace(m.path(args[0]), strings.ReplaceAll(strings.Join(args[1:], " "), `\n`, "\n")); err != nil {
		m.t.Fatal(err)
	}
}
