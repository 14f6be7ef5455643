package lsp_test

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// markup is a text that a client shows: a string or, where it has markdown, an object.
type markup struct{ Value string }

func (m *markup) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &m.Value)
	}
	var object struct{ Value string }
	err := json.Unmarshal(raw, &object)
	m.Value = object.Value
	return err
}

func (m *marked) hover(at mark) {
	h, err := m.editor.Hover(m.ctx, m.path(at.file), at.offset)
	switch {
	case m.failed(err):
	case h == nil:
		m.line("nothing")
	default:
		m.line("%s", m.place(at.file, *h.Range))
		m.line("%s", h.Contents.Value)
		if lines := strings.Count(h.Contents.Value, "\n") + 1; lines > 24 || len(h.Contents.Value) > 4096 {
			m.t.Errorf("hover of %d lines, %d bytes", lines, len(h.Contents.Value))
		}
	}
}

func (m *marked) locations(from string, locations []lsptest.Location, err error) {
	if m.failed(err) {
		return
	}
	if len(locations) == 0 {
		m.line("nothing")
	}
	for _, l := range locations {
		origin := ""
		if l.Origin != nil {
			origin = m.place(from, *l.Origin) + " -> "
		}
		m.line("%s%s", origin, m.place(m.name(l.URI), l.Range))
	}
}

func (m *marked) complete(at mark) {
	items, err := m.editor.Complete(m.ctx, m.path(at.file), at.offset)
	if m.failed(err) {
		return
	}
	if len(items) == 0 {
		m.line("nothing")
	}
	for _, i := range items {
		m.line("%s (%s): %s <- %q", i.Label, i.Detail, m.place(at.file, i.TextEdit.Range), i.TextEdit.NewText)
	}
}

func (m *marked) links(name string) {
	m.open(name)
	links, err := m.editor.Links(m.ctx, m.path(name))
	if m.failed(err) {
		return
	}
	for _, l := range links {
		m.line("%s -> %s (%s)", m.place(name, l.Range), m.name(l.Target), l.Tooltip)
	}
}

func (m *marked) diagnostics(name string) {
	m.open(name)
	items, id, unchanged, err := m.editor.PullDiagnostics(m.ctx, m.path(name), "")
	if m.failed(err) {
		return
	}
	if unchanged {
		m.t.Error("unchanged without a previous result")
	}
	if len(items) == 0 {
		m.line("none")
	}
	for _, d := range items {
		m.line("%s: %d %s/%s %s", m.place(name, d.Range), d.Severity, d.Source, d.Code, d.Message)
	}
	if _, _, unchanged, err := m.editor.PullDiagnostics(m.ctx, m.path(name), id); err != nil || !unchanged {
		m.t.Errorf("asking again: unchanged %v, %v", unchanged, err)
	}
}

func (m *marked) actions(from, to mark, resolve bool) {
	actions, err := m.editor.Actions(m.ctx, m.path(from.file), from.offset, to.offset)
	if m.failed(err) {
		return
	}
	if len(actions) == 0 {
		m.line("nothing")
	}
	for _, a := range actions {
		m.line("%s (%s)", a.Title, a.Kind)
		if !resolve || len(a.Edit)+len(a.Data)+len(a.Command) == 0 { // it cannot be chosen now
			continue
		}
		if len(a.Command) > 0 {
			m.line("command %s", m.places(a.Command))
			continue
		}
		resolved, err := m.editor.Resolve(m.ctx, a)
		if !m.failed(err) {
			m.workspaceEdit(resolved.Edit)
		}
	}
}

var placeSyntax = regexp.MustCompile(`"uri":("[^"]+"),"range":(\{"start":\{[^}]*\},"end":\{[^}]*\}\})`)

// places replaces the places in an answer that is printed as it came.
func (m *marked) places(raw json.RawMessage) string {
	return placeSyntax.ReplaceAllStringFunc(string(raw), func(found string) string {
		part := placeSyntax.FindStringSubmatch(found)
		var uri string
		var r lsptest.Range
		if err := errors.Join(json.Unmarshal([]byte(part[1]), &uri), json.Unmarshal([]byte(part[2]), &r)); err != nil {
			m.t.Fatal(err)
		}
		return m.place(m.name(uri), r)
	})
}

// lenses prints the lenses of a file, resolved, and asks for them twice: the answer is
// the same.
func (m *marked) lenses(name string) {
	m.open(name)
	document := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(m.path(name))}}
	var lenses []struct {
		Range   lsptest.Range
		Command struct {
			Title, Command string
			Arguments      json.RawMessage
		}
	}
	if err := m.editor.Call(m.ctx, "textDocument/codeLens", document, &lenses); m.failed(err) {
		return
	}
	if len(lenses) == 0 {
		m.line("nothing")
	}
	for _, lens := range lenses {
		m.line("%s: %s (%s %s)", m.place(name, lens.Range), lens.Command.Title, lens.Command.Command, lens.Command.Arguments)
	}
}

// review prints the document to review an entry by, which this client gets as a result
// and as a document of the server.
func (m *marked) review(name string) {
	m.open(name)
	var result struct{ URI, Text string }
	if m.failed(m.editor.Execute(m.ctx, "brv.reviewEntry", map[string]string{"uri": lsptest.URI(m.path(name))}, &result)) {
		return
	}
	m.line("%s\n%s", result.URI, strings.TrimRight(result.Text, "\n"))
	if text, err := content(m.t, m.editor, result.URI); err != nil || text != result.Text && result.Text != "" {
		m.t.Errorf("%s: %q, %v", result.URI, text, err)
	}
}

// edit is one replacement of an edit.
type edit struct {
	NewText, AnnotationID string
	Range                 lsptest.Range
}

// workspaceEdit prints an edit, in either of its forms.
func (m *marked) workspaceEdit(raw json.RawMessage) {
	var whole struct {
		Changes           map[string][]edit
		ChangeAnnotations map[string]struct {
			Label, Description string
			NeedsConfirmation  bool
		}
		DocumentChanges []struct {
			Kind, URI, AnnotationID string
			Options                 json.RawMessage
			TextDocument            struct{ URI string }
			Edits                   []edit
		}
	}
	if err := json.Unmarshal(raw, &whole); err != nil {
		m.t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(whole.ChangeAnnotations)) {
		a := whole.ChangeAnnotations[id]
		m.line("annotation %s: %s (%s), needs confirmation: %v", id, a.Label, a.Description, a.NeedsConfirmation)
	}
	for _, c := range whole.DocumentChanges {
		if c.Kind != "" {
			m.line("%s %s %s (%s)", c.Kind, m.name(c.URI), c.Options, c.AnnotationID)
		}
		m.edits(c.TextDocument.URI, c.Edits)
	}
	for _, uri := range slices.Sorted(maps.Keys(whole.Changes)) {
		m.edits(uri, whole.Changes[uri])
	}
}

func (m *marked) edits(uri string, edits []edit) {
	for _, e := range edits {
		if e.Range != (lsptest.Range{}) {
			m.line("%s <- %q", m.place(m.name(uri), e.Range), e.NewText)
			continue
		}
		m.line("%s (%s):\n%s", m.name(uri), e.AnnotationID, e.NewText)
	}
}
