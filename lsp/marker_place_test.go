package lsp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// placeQuestions are those of testdata archives about places and what leads to them:
//
//   - declaration, implementation MARK
//   - items MARK: completions with all that is sent of them; resolve MARK END: what
//     resolving the first whose label ends so adds
//   - parts MARK: references in partial results · linkresolve FILE: links without their
//     tooltips, and targets that are nobody's business
//   - incoming, outgoing MARK (call hierarchy, and whether its other end tells of the same
//     places) · supertypes, subtypes MARK (type hierarchy)
//   - hostile MARK: the hierarchies with items as no server made them
//   - replace FILE TEXT: another text in its buffer
func placeQuestions() map[string]question {
	return map[string]question{
		"declaration":    func(m *marked, args []string) { m.lead("declaration", args[0]) },
		"implementation": func(m *marked, args []string) { m.lead("implementation", args[0]) },
		"items":          (*marked).items,
		"resolve":        (*marked).resolveItem,
		"parts":          (*marked).parts,
		"linkresolve":    (*marked).resolveLinks,
		"incoming":       func(m *marked, args []string) { m.calls("incoming", "from", args[0]) },
		"outgoing":       func(m *marked, args []string) { m.calls("outgoing", "to", args[0]) },
		"supertypes":     func(m *marked, args []string) { m.types("supertypes", args[0]) },
		"subtypes":       func(m *marked, args []string) { m.types("subtypes", args[0]) },
		"hostile":        (*marked).hostile,
		"replace":        (*marked).replace,
	}
}

// asked makes the parameters of a request about a mark, with its file open.
func (m *marked) asked(name string) (mark, map[string]any) {
	at := m.at(name)
	return at, m.about(at)
}

func (m *marked) lead(method, name string) {
	at, params := m.asked(name)
	var found []lsptest.Location
	err := m.editor.Call(m.ctx, "textDocument/"+method, params, &found)
	m.locations(at.file, found, err)
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

// resolveLinks sends the links of a file back to be resolved.
func (m *marked) resolveLinks(args []string) {
	m.open(args[0])
	var links []json.RawMessage
	document := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(m.path(args[0]))}}
	if m.failed(m.editor.Call(m.ctx, "textDocument/documentLink", document, &links)) {
		return
	}
	for _, raw := range links {
		var bare map[string]any
		if err := json.Unmarshal(raw, &bare); err != nil {
			m.t.Fatal(err)
		}
		delete(bare, "tooltip")
		var l lsptest.Link
		if !m.failed(m.editor.Call(m.ctx, "documentLink/resolve", bare, &l)) {
			m.line("%s -> %s (%s)", m.place(args[0], l.Range), m.name(l.Target), l.Tooltip)
		}
	}
	for _, target := range []string{
		lsptest.URI(m.path("../outside.md")), "file:///etc/passwd", "brv://pack/x.md", lsptest.URI(m.path(".env")),
	} {
		var l lsptest.Link
		link := map[string]any{"range": lsptest.Range{}, "target": target}
		if !m.failed(m.editor.Call(m.ctx, "documentLink/resolve", link, &l)) && l.Tooltip != "" {
			m.t.Errorf("%s: %q", target, l.Tooltip)
		}
	}
}

// hierarchyItem is an item of either hierarchy.
type hierarchyItem struct {
	Name, Detail, URI     string
	Kind                  int
	Range, SelectionRange lsptest.Range

	raw json.RawMessage
}

func (i *hierarchyItem) UnmarshalJSON(raw []byte) error {
	type plain hierarchyItem
	i.raw = append(json.RawMessage(nil), raw...)
	return json.Unmarshal(raw, (*plain)(i))
}

// prepared asks for the item at a mark, and prints it.
func (m *marked) prepared(method, name string) (hierarchyItem, bool) {
	_, params := m.asked(name)
	var items []hierarchyItem
	if m.failed(m.editor.Call(m.ctx, "textDocument/"+method, params, &items)) {
		return hierarchyItem{}, false
	}
	if len(items) != 1 {
		m.line("nothing")
		return hierarchyItem{}, false
	}
	m.line("of %s", m.shown(items[0]))
	return items[0], true
}

func (m *marked) shown(i hierarchyItem) string {
	name := m.name(i.URI)
	if r := i.Range; r.Start.Line > i.SelectionRange.Start.Line || r.End.Line < i.SelectionRange.End.Line {
		m.t.Errorf("%s: the selection does not lie in the range", i.Name)
	}
	return strings.Join([]string{i.Name, " (", i.Detail, ") ", m.place(name, i.SelectionRange)}, "")
}

func (m *marked) calls(way, key, name string) {
	item, ok := m.prepared("prepareCallHierarchy", name)
	if !ok {
		return
	}
	for _, call := range m.callsOf(way, item.raw) {
		var other hierarchyItem
		var ranges []lsptest.Range
		if json.Unmarshal(call[key], &other) != nil || json.Unmarshal(call["fromRanges"], &ranges) != nil {
			m.t.Fatalf("%s", call)
		}
		m.line("%s", m.shown(other))
		file := m.name(item.URI)
		if way == "incoming" {
			file = m.name(other.URI)
		}
		for _, r := range ranges {
			m.line("  at %s", m.place(file, r))
		}
		m.callsBack(way, item, other, call["fromRanges"])
	}
}

// callsBack says where the other end of a call does not tell of the same places.
func (m *marked) callsBack(way string, item, other hierarchyItem, from json.RawMessage) {
	back, key := "outgoing", "to"
	if way == "outgoing" {
		back, key = "incoming", "from"
	}
	for _, call := range m.callsOf(back, other.raw) {
		if bytes.Equal(call[key], item.raw) {
			if !bytes.Equal(call["fromRanges"], from) {
				m.line("  but %s of it at %s", back, call["fromRanges"])
			}
			return
		}
	}
	m.line("  but not the other way round")
}

func (m *marked) callsOf(way string, item json.RawMessage) (calls []map[string]json.RawMessage) {
	m.failed(m.editor.Call(m.ctx, "callHierarchy/"+way+"Calls", map[string]any{"item": item}, &calls))
	return calls
}

func (m *marked) types(way, name string) {
	if item, ok := m.prepared("prepareTypeHierarchy", name); ok {
		m.typesOf(way, item.raw, "")
	}
}

// typesOf prints the items above or below one, and those above or below them.
func (m *marked) typesOf(way string, item json.RawMessage, indent string) {
	var found []hierarchyItem
	if m.failed(m.editor.Call(m.ctx, "typeHierarchy/"+way, map[string]any{"item": item}, &found)) {
		return
	}
	for _, i := range found {
		m.line("%s%s", indent, m.shown(i))
		m.typesOf(way, i.raw, indent+"  ")
	}
}

// forgedPaths are data of items that name what is no item.
var forgedPaths = []string{
	`{"kind":"entry","path":"../../outside.md"}`, `{"kind":"entry","path":"/etc/passwd"}`,
	`{"kind":"entry","path":"a/../../../outside.md"}`,
	`{"kind":"file","path":"../outside.go"}`, `{"kind":"file","path":"/etc/passwd"}`, `{"kind":"file","path":".env"}`,
	`{"kind":"file","path":".git/config"}`,
	`{"kind":"symbol","path":"../outside.go","name":"x"}`, `{"kind":"symbol","path":"auth/jwt.go","name":"../x"}`,
	`{"kind":"symbol","path":"auth/jwt.go","name":""}`,
	`{"kind":"topic","path":".."}`, `{"kind":"domain","path":"/"}`, `{"kind":"topic","path":""}`, `{"kind":"topic","path":"../../.."}`,
	`{"kind":"none","path":"a"}`, `{"kind":"","path":""}`, `{}`, `null`, `[]`, `"text"`, `7`, `{"kind":7}`, `{"path":{}}`,
}

// hostile sends items back with other data: no answer leads out of the workspace, and what
// names nothing gets nothing.
func (m *marked) hostile(args []string) {
	item, ok := m.prepared("prepareCallHierarchy", args[0])
	if !ok {
		m.t.Fatal("no item")
	}
	if err := os.WriteFile(m.path(".env"), []byte("SECRET=1\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	for _, data := range forgedPaths {
		for _, method := range []string{"callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "typeHierarchy/supertypes",
			"typeHierarchy/subtypes"} {
			var sent map[string]json.RawMessage
			if err := json.Unmarshal(item.raw, &sent); err != nil {
				m.t.Fatal(err)
			}
			sent["data"] = json.RawMessage(data)
			var found []json.RawMessage
			err := m.editor.Call(m.ctx, method, map[string]any{"item": sent}, &found)
			if c := code(err); c != 0 && c != -32602 || len(found) > 0 {
				m.t.Errorf("%s with %s: %v, %s", method, data, err, found)
			}
		}
	}
	m.line("%d payloads lead nowhere", len(forgedPaths))
}

// replace puts a text in the place of a file's buffer, which is not saved.
func (m *marked) replace(args []string) {
	m.open(args[0])
	if err := m.editor.Replace(m.path(args[0]), strings.ReplaceAll(strings.Join(args[1:], " "), `\n`, "\n")); err != nil {
		m.t.Fatal(err)
	}
}
