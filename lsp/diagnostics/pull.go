package diagnostics

import (
	"context"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
)

// Pull answers textDocument/diagnostic. Unlike other passive requests it has no empty answer: a document
// without problems gets a report.
func (d *Diagnostics) Pull(p *protocol.DocumentDiagnosticParams) (dispatch.Work, error) {
	sc, err := d.s.Scene(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		var items []protocol.Diagnostic
		var doc *state.Document
		if sc != nil {
			doc = sc.Doc
			if err := sc.Complete(ctx); err != nil {
				return nil, serverCancelled(err)
			}
			items, _ = problems(ctx, sc)
			d.tell(d.published, sc.Doc, render.Fingerprint(items))
		}
		return report(openedID(render.Fingerprint(items), doc), items, p.PreviousResultID), nil
	}, nil
}

// serverCancelled asks the client to pull again when the document moved on, or
// not to when the workspace cannot be opened.
func serverCancelled(err error) error {
	const codeServerCancelled jsonrpc2.Code = -32802 // LSP 3.17, DiagnosticServerCancellationData
	e := jsonrpc2.NewError(codeServerCancelled, err.Error())
	e.Data = jsonrpc2.RawMessage(`{"retriggerRequest":false}`)
	if err == error(protocol.ErrContentModified) {
		e.Data = jsonrpc2.RawMessage(`{"retriggerRequest":true}`)
	}
	return e
}

// openedID identifies a report by the fingerprint of its problems. It changes when the document is opened anew:
// Neovim drops a document's problems when it is closed, yet asks with the old
// identifier after it was reloaded.
func openedID(id string, doc *state.Document) string {
	if doc != nil {
		id += fmt.Sprintf("-%d", doc.Opening)
	}
	return id
}

// report makes the answer to a pull: the list, or "unchanged" if the client has
// it already.
func report(id string, items []protocol.Diagnostic, previous *string) protocol.DocumentDiagnosticReport {
	if previous != nil && *previous == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: fullReport(&id, items)}
}

// fullReport is a list of problems; id is nil for one that the client need not know
// again.
func fullReport(id *string, items []protocol.Diagnostic) protocol.FullDocumentDiagnosticReport {
	if items == nil {
		items = []protocol.Diagnostic{}
	}
	return protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: id, Items: items}
}
