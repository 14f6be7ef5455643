package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// diagnosticSource names us in the editor's list of problems.
const diagnosticSource = "brv"

// diagnosticPage explains the codes: each has a heading there.
const diagnosticPage = "https://github.com/brv-lsp/brv-lsp/blob/main/docs/diagnostics.md"

// problemFeature is the lists of problems that the client asks for; what is sent
// unasked is in diagnosticpush.go.
func problemFeature() feature {
	return feature{
		methods: map[string]method{
			protocol.MethodTextDocumentDiagnostic: called(pullDiagnostic),
			protocol.MethodWorkspaceDiagnostic:    called(pullWorkspace),
		},
		offer: func(c *clientFeatures, caps *protocol.ServerCapabilities) {
			if c.pullDiagnostics {
				caps.DiagnosticProvider = &protocol.DiagnosticOptions{
					Identifier: ptr(diagnosticSource), InterFileDependencies: true, WorkspaceDiagnostics: true,
				}
			}
		},
	}
}

// grades are the severities that the user chose.
func (sc *scene) grades() workspace.Grades {
	return workspace.Grades(sc.settings().Diagnostics.Severity)
}

// problems returns the problems of the scene's document; ok is false if its text has
// moved on since the scene was taken.
func problems(ctx context.Context, sc *scene) (items []protocol.Diagnostic, found []format.Problem, ok bool) {
	m, ok := sc.present()
	if !ok {
		return nil, nil, false
	}
	found, err := sc.ws.Problems(ctx, sc.view, sc.path, sc.grades())
	if err != nil {
		sc.server.log.Warn("problems", "document", sc.path, "err", err)
		return nil, nil, false
	}
	return sc.diagnostics(m, found), found, true
}

// diagnostics renders the problems of a text.
func (sc *scene) diagnostics(m *position.Mapper, found []format.Problem) []protocol.Diagnostic {
	items := make([]protocol.Diagnostic, 0, len(found))
	for _, p := range found {
		items = append(items, sc.diagnostic(m, p))
	}
	return items
}

// diagnostic renders one problem, with what of it the client can use.
func (sc *scene) diagnostic(m *position.Mapper, p format.Problem) protocol.Diagnostic {
	client := &sc.server.client
	d := protocol.Diagnostic{
		Range:    m.Bounds(p.At),
		Severity: protocol.DiagnosticSeverity(p.Severity),
		Code:     protocol.String(p.Code),
		Source:   protocol.NewOptional(diagnosticSource),
		Message:  protocol.String(p.Message),
	}
	if client.codeDescription {
		d.CodeDescription.Href = uri.URI(diagnosticPage + "#" + p.Code)
	}
	if client.unnecessary && p.Code == format.CodeStale {
		d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
	}
	if client.relatedInformation {
		for _, o := range p.Others {
			path := sc.view.FilePath(o.Path)
			if !sc.stands(path) {
				continue
			}
			text, _ := sc.view.Text(path)
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: sc.uri(path), Range: position.NewMapper(text, client.encoding).Bounds(o.At)}, Message: o.Message,
			})
		}
	}
	if client.diagnosticData {
		d.Data = diagnosticData(p)
	}
	return d
}

// diagnosticData is what a quick fix may need of a problem. The client keeps it.
func diagnosticData(p format.Problem) protocol.LSPAny {
	raw, err := json.Marshal(struct {
		Code       string   `json:"code"`
		Span       [2]int   `json:"span"`                 // in bytes of the text that the problem was found in
		Candidates []string `json:"candidates,omitempty"` // paths inside the context tree
	}{p.Code, [2]int{p.At.Start, p.At.End}, p.Candidates})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return raw
}

// noProblems is the fingerprint of an empty list.
var noProblems = fingerprint(nil)

// fingerprint identifies a list of problems, for resultId and for not sending
// the same list twice.
func fingerprint(items []protocol.Diagnostic) string {
	hash := sha256.New()
	for i := range items {
		raw, err := protocol.Marshal(&items[i])
		if err != nil {
			panic(err) // own values always marshal
		}
		hash.Write(raw)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
