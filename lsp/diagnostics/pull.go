package diagnostics

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Pull answers textDocument/diagnostic. Unlike the other passive
// requests it has no empty answer: a document without problems has a report.
func (d *Diagnostics) Pull(p *protocol.DocumentDiagnosticParams) (dispatch.Work, error) {
	sc, err := d.s.Scene(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		var items []protocol.Diagnostic
		var related relatedReports
		var doc *state.Document
		if sc != nil {
			doc = sc.Doc
			if err := sc.Complete(ctx); err != nil {
				return nil, serverCancelled(err)
			}
			var found []format.Problem
			items, found, _ = problems(ctx, sc)
			d.tell(d.published, sc.Doc, render.Fingerprint(items))
			related = d.relatedReports(ctx, sc, found)
		}
		return report(resultID(items, doc), items, p.PreviousResultID, related), nil
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

// resultID identifies a report. It changes when the document is opened anew:
// Neovim drops a document's problems when it is closed, yet asks with the old
// identifier after it was reloaded.
func resultID(items []protocol.Diagnostic, doc *state.Document) string {
	return openedID(render.Fingerprint(items), doc)
}

// openedID is the identifier of a fingerprint.
func openedID(id string, doc *state.Document) string {
	if doc != nil {
		id += fmt.Sprintf("-%d", doc.Opening)
	}
	return id
}

// report makes the answer to a pull: the list, or "unchanged" if the client has
// it already.
func report(id string, items []protocol.Diagnostic, previous *string, related relatedReports) protocol.DocumentDiagnosticReport {
	if previous != nil && *previous == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
			RelatedDocuments:                  related,
		}
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{FullDocumentDiagnosticReport: fullReport(&id, items), RelatedDocuments: related}
}

// fullReport is a list of problems; id is nil for one that the client need not know
// again.
func fullReport(id *string, items []protocol.Diagnostic) protocol.FullDocumentDiagnosticReport {
	if items == nil {
		items = []protocol.Diagnostic{}
	}
	return protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: id, Items: items}
}

// relatedReports are reports of documents that were not asked about.
type relatedReports = map[uri.URI]protocol.FullDocumentDiagnosticReportOrUnchangedDocumentDiagnosticReport

// maxRelated bounds the documents beside the one that was asked about.
const maxRelated = 16

// relatedReports are the problems of the entries that the document's problems name, and
// of those that they named the last time: what is changed here may begin or end one
// there. About open documents the client asks by itself.
func (d *Diagnostics) relatedReports(ctx context.Context, sc *state.Scene, found []format.Problem) relatedReports {
	if !d.s.Client.RelatedDocuments || sc.Doc == nil {
		return nil
	}
	var named []string
	for _, p := range found {
		for _, o := range p.Others {
			named = append(named, sc.View.FilePath(o.Path))
		}
	}
	slices.Sort(named)
	named = slices.Compact(named)
	named = named[:min(len(named), maxRelated)]
	all := append(slices.Clone(named), d.relate(sc.Doc, named)...)
	ctx, cancel := sc.View.Within(ctx, workspace.Glance) // a guess about documents that nobody looks at
	defer cancel()
	reports := relatedReports{}
	for _, path := range all {
		other := &state.Scene{Folder: sc.Folder, Path: path, Workspace: sc.Workspace, View: sc.View, Session: sc.Session}
		u := other.URI(path)
		if reports[u] != nil || d.s.Documents.Get(u) != nil || !sc.Stands(path) {
			continue
		}
		if items, _, ok := problems(ctx, other); ok {
			full := fullReport(new(resultID(items, nil)), items)
			reports[u] = &full
		}
	}
	return reports
}
