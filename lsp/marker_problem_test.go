package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// problemQuestions are those of testdata archives about problems:
//
//	problems FILE   everything that a client that understands all of it is told
//	all             the problems of the whole workspace
func problemQuestions() map[string]question {
	return map[string]question{"problems": problemsOf, "all": allProblems}
}

// wholeDiagnostic is a problem with all that it can have.
type wholeDiagnostic struct {
	lsptest.Diagnostic
	CodeDescription    struct{ Href string }
	Tags               []int
	RelatedInformation []struct {
		Location lsptest.Location
		Message  string
	}
	Data json.RawMessage
}

// pulled is the report of one document.
type pulled struct {
	URI, Kind, ResultID string
	Version             *int
	Items               []wholeDiagnostic
}

// pulling are the capabilities of a client that understands all that problems can have.
func pulling() map[string]any {
	capabilities := lsptest.Modern()
	capabilities["textDocument"].(map[string]any)["diagnostic"] = map[string]any{
		"relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true,
		"tagSupport": map[string]any{"valueSet": []int{1, 2}},
	}
	capabilities["workspace"].(map[string]any)["diagnostics"] = map[string]any{"refreshSupport": true}
	return capabilities
}

// pull asks about a file as it is in the first session in another, whose client
// understands everything and has nothing else open.
func (m *marked) pull(name string) (p pulled) {
	if m.whole == nil {
		m.whole, m.wholeCtx = session(m.t, lsp.Options{Now: fixedNow}, lsptest.Session{
			Folders: []string{m.root}, Encodings: []string{m.editor.Encoding()}, Capabilities: pulling(),
		})
		if err := m.whole.Execute(m.wholeCtx, "brv.check", nil, nil); err != nil { // the code is read
			m.t.Fatal(err)
		}
	}
	m.open(name)
	text, _ := m.editor.Text(m.path(name))
	if err := m.whole.Open(m.path(name), "", text); err != nil {
		m.t.Fatal(err)
	}
	defer m.whole.CloseDocument(m.path(name))
	params := map[string]any{"textDocument": map[string]any{"uri": lsptest.URI(m.path(name))}}
	if !m.failed(m.whole.Call(m.wholeCtx, "textDocument/diagnostic", params, &p)) && p.Kind != "full" {
		m.t.Errorf("report of kind %q", p.Kind)
	}
	return p
}

func problemsOf(m *marked, args []string) {
	items := m.pull(args[0]).Items
	if len(items) == 0 {
		m.line("none")
	}
	for _, d := range items {
		m.line("%s: %d %s %s", m.place(args[0], d.Range), d.Severity, d.Code, d.Message)
		if !strings.HasSuffix(d.CodeDescription.Href, "/docs/diagnostics.md#"+d.Code) {
			m.t.Errorf("%s: explained at %q", d.Code, d.CodeDescription.Href)
		}
		if len(d.Tags) > 0 {
			m.line("  tags %v", d.Tags)
		}
		var data struct {
			Code       string
			Span       [2]int
			Candidates []string
		}
		text, _ := m.editor.Text(m.path(args[0]))
		if err := json.Unmarshal(d.Data, &data); err != nil || data.Code != d.Code ||
			!strings.HasSuffix(m.place(args[0], d.Range), fmt.Sprintf("%q", text[data.Span[0]:data.Span[1]])) {
			m.t.Errorf("%s: data %s", d.Code, d.Data)
		}
		if data.Candidates != nil {
			m.line("  candidates %v", data.Candidates)
		}
		for _, r := range d.RelatedInformation {
			m.line("  %s: %s", m.place(m.name(r.Location.URI), r.Location.Range), r.Message)
		}
	}
}

func codes(items []wholeDiagnostic) string {
	var out []string
	for _, d := range items {
		out = append(out, d.Code)
	}
	return strings.Join(out, " ")
}

func allProblems(m *marked, _ []string) {
	var whole struct{ Items []pulled }
	if m.failed(m.editor.Call(m.ctx, "workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, &whole)) {
		return
	}
	for _, p := range whole.Items {
		version := "closed"
		if p.Version != nil {
			version = fmt.Sprintf("version %d", *p.Version)
		}
		m.line("%s (%s): %s", m.name(p.URI), version, codes(p.Items))
		for _, d := range p.Items {
			if _, err := os.Stat(m.path(m.name(p.URI))); err == nil {
				m.line("  %s", m.place(m.name(p.URI), d.Range))
			}
		}
	}
}
