package lsp_test

import (
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// structureQuestions are those of testdata archives about what a file is made of:
// outline, folds FILE · tokens, hints FILE [FROM TO] · names QUERY.
func structureQuestions() map[string]question {
	return map[string]question{
		"outline": (*marked).outline,
		"folds":   (*marked).folds,
		"tokens":  (*marked).tokens,
		"hints":   (*marked).hints,
		"names":   (*marked).names,
	}
}

// document are the parameters of a request about a file, which it opens.
func (m *marked) document(name string) map[string]any {
	m.open(name)
	return map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(m.path(name))}}
}

// position is a mark's place in the session's encoding.
func (m *marked) position(at mark) lsptest.Position {
	text, _ := m.editor.Text(m.path(at.file))
	return lsptest.PositionIn(text, at.offset, m.editor.Encoding())
}

// part is the range between the two marks of args[1:], the whole file without them.
func (m *marked) part(args []string) (lsptest.Range, bool) {
	if len(args) == 3 {
		return lsptest.Range{Start: m.position(m.at(args[1])), End: m.position(m.at(args[2]))}, true
	}
	text, _ := m.editor.Text(m.path(args[0]))
	return lsptest.RangeIn(text, 0, len(text), m.editor.Encoding()), false
}

// brief leaves out the middle of a long place.
func brief(place string) string {
	if head, text, _ := strings.Cut(place, " "); len(text) > 80 {
		return head + " " + strings.ToValidUTF8(text[:40], "") + " … " + strings.ToValidUTF8(text[len(text)-30:], "")
	}
	return place
}

type outlined struct {
	Name, Detail          string
	Kind                  int
	Range, SelectionRange lsptest.Range
	Children              []outlined
}

func (m *marked) outline(args []string) {
	var symbols []outlined
	if m.failed(m.editor.Call(m.ctx, "textDocument/documentSymbol", m.document(args[0]), &symbols)) {
		return
	}
	if len(symbols) == 0 {
		m.line("nothing")
	}
	m.outlined(args[0], symbols, "")
}

func (m *marked) outlined(name string, symbols []outlined, indent string) {
	for _, s := range symbols {
		m.line("%s%d %q (%s) %s", indent, s.Kind, s.Name, s.Detail, m.place(name, s.SelectionRange))
		m.outlined(name, s.Children, indent+"\t")
	}
}

func (m *marked) folds(args []string) {
	var folds []folded
	if m.failed(m.editor.Call(m.ctx, "textDocument/foldingRange", m.document(args[0]), &folds)) {
		return
	}
	if len(folds) == 0 {
		m.line("nothing")
	}
	for _, f := range folds {
		at := lsptest.Range{Start: lsptest.Position{Line: f.StartLine, Character: f.StartCharacter},
			End: lsptest.Position{Line: f.EndLine, Character: f.EndCharacter}}
		m.line("%s %s", brief(m.place(args[0], at)), f.Kind)
	}
}

type folded struct {
	StartLine, StartCharacter, EndLine, EndCharacter int
	Kind                                             string
}

// legendTypes are the types of tokens towards a client that knows them all.
var legendTypes = []string{"namespace", "property", "label", "keyword", "enumMember", "number", "variable", "string"}

func (m *marked) tokens(args []string) {
	p, method := m.document(args[0]), "textDocument/semanticTokens/full"
	if at, asked := m.part(args); asked {
		p["range"], method = at, "textDocument/semanticTokens/range"
	}
	var result struct{ Data []int }
	if m.failed(m.editor.Call(m.ctx, method, p, &result)) {
		return
	}
	if len(result.Data) == 0 {
		m.line("nothing")
	}
	at := lsptest.Position{}
	for d := result.Data; len(d) >= 5; d = d[5:] {
		if d[0] > 0 {
			at = lsptest.Position{Line: at.Line + d[0]}
		}
		at.Character += d[1]
		end := lsptest.Position{Line: at.Line, Character: at.Character + d[2]}
		m.line("%s %s %s", m.place(args[0], lsptest.Range{Start: at, End: end}), legendTypes[d[3]], strings.Repeat("broken", d[4]))
	}
}

func (m *marked) hints(args []string) {
	p := m.document(args[0])
	p["range"], _ = m.part(args)
	var hints []struct {
		Position lsptest.Position
		Label    string
	}
	if m.failed(m.editor.Call(m.ctx, "textDocument/inlayHint", p, &hints)) {
		return
	}
	if len(hints) == 0 {
		m.line("nothing")
	}
	for _, hint := range hints {
		line := lsptest.Range{Start: lsptest.Position{Line: hint.Position.Line}, End: hint.Position}
		m.line("%s %q", m.place(args[0], line), hint.Label)
	}
}

func (m *marked) names(args []string) {
	var symbols []named
	if m.failed(m.editor.Call(m.ctx, "workspace/symbol", map[string]any{"query": strings.Join(args, " ")}, &symbols)) {
		return
	}
	if len(symbols) == 0 {
		m.line("nothing")
	}
	for _, s := range symbols {
		m.line("%d %q in %q: %s", s.Kind, s.Name, s.ContainerName, m.place(m.name(s.Location.URI), s.Location.Range))
	}
}

type named struct {
	Name, ContainerName string
	Kind                int
	Location            struct {
		URI   string
		Range lsptest.Range
	}
}
