package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// DiagnosticSource is our name in the editor's list of problems.
const DiagnosticSource = "brv"

// diagnosticPage explains the codes under a heading for each.
const diagnosticPage = "https://github.com/brv-lsp/brv-lsp/blob/main/docs/diagnostics.md"

// Diagnostics renders the problems of a text.
func Diagnostics(sc *state.Scene, m *position.Mapper, found []format.Problem) []protocol.Diagnostic {
	items := make([]protocol.Diagnostic, 0, len(found))
	for _, p := range found {
		items = append(items, diagnostic(sc, m, p))
	}
	return items
}

// diagnostic renders one problem, with the fields that the client supports.
func diagnostic(sc *state.Scene, m *position.Mapper, p format.Problem) protocol.Diagnostic {
	client := &sc.Session.Client.Features
	d := protocol.Diagnostic{
		Range:    m.Bounds(p.At),
		Severity: protocol.DiagnosticSeverity(p.Severity),
		Code:     protocol.String(p.Code),
		Source:   protocol.NewOptional(DiagnosticSource),
		Message:  protocol.String(p.Message),
	}
	if client.CodeDescription {
		d.CodeDescription.Href = uri.URI(diagnosticPage + "#" + p.Code)
	}
	if client.Unnecessary && p.Code == format.CodeStale {
		d.Tags = protocol.NewDiagnosticTags(protocol.DiagnosticTagUnnecessary)
	}
	if client.RelatedInformation {
		for _, o := range p.Others {
			path := sc.View.FilePath(o.Path)
			if !sc.Stands(path) {
				continue
			}
			text, _ := sc.View.Text(path)
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: sc.URI(path), Range: position.NewMapper(text, client.Encoding).Bounds(o.At)},
				Message:  o.Message,
			})
		}
	}
	if client.DiagnosticData {
		d.Data = diagnosticData(p)
	}
	return d
}

// diagnosticData returns a problem's data for quick fixes. The client stores it.
func diagnosticData(p format.Problem) protocol.LSPAny {
	raw, err := json.Marshal(struct {
		Code       string   `json:"code"`
		Span       [2]int   `json:"span"`                 // in bytes, in the text where the problem was found
		Candidates []string `json:"candidates,omitempty"` // paths inside the context tree
	}{p.Code, [2]int{p.At.Start, p.At.End}, p.Candidates})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return raw
}

// NoProblems is the fingerprint of an empty list.
var NoProblems = Fingerprint(nil)

// Fingerprint identifies a list of problems. It serves as resultId, and avoids sending the same list twice.
func Fingerprint(items []protocol.Diagnostic) string {
	hash := sha256.New()
	for i := range items {
		raw, err := protocol.Marshal(&items[i])
		if err != nil {
			panic(err) // these values always marshal
		}
		hash.Write(raw)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}
