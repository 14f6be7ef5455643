package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// reviewCommand shows what an entry names that is not as it was. It is the editor's
// and not of the workspace's table, because it opens a document there.
const reviewCommand = commandPrefix + "reviewEntry"

// reviewed names the entry that a lens or a review is about.
type reviewed struct {
	URI uri.URI `json:"uri"`
}

// review is the result of the command.
type review struct {
	URI   string `json:"uri"` // the document of the review
	Shown bool   `json:"shown"`
	Text  string `json:"text,omitempty"` // of the document, if the editor was not asked to show it
}

// entry is the scene's document as an entry, if the view has the same text.
func (sc *scene) entry() (m *mapper, entry string, ok bool) {
	entry, ok = sc.view.EntryPath(sc.path)
	if !ok {
		return nil, "", false
	}
	m, ok = sc.present()
	return m, entry, ok
}

// present is the scene's document, if the view has the same text.
func (sc *scene) present() (m *mapper, ok bool) {
	text, known := sc.view.Text(sc.path)
	if !known || sc.doc != nil && text != sc.doc.text() {
		return nil, false
	}
	return newMapper(text, sc.server.client.encoding), true
}

// staleActions are the quick fixes for what the entry names and is not as it was, at
// the places inside a range.
func (sc *scene) staleActions(ctx context.Context, p *protocol.CodeActionParams, at tree.Span) ([]protocol.CodeAction, error) {
	m, entry, ok := sc.entry()
	if !ok || !wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
		return nil, nil
	}
	all, _ := sc.ws.DriftSoon(ctx, sc.view, entry)
	found := slices.DeleteFunc(slices.Clone(all), func(d link.Drift) bool { return at.End < d.At.Start || d.At.End < at.Start })
	_, title := sc.view.DriftSummary(entry, all)
	onTitle := len(all) > 0 && title.Start <= at.End && at.Start <= title.End
	if len(found) == 0 && !onTitle {
		return nil, nil
	}
	var actions []protocol.CodeAction
	for _, d := range found {
		if d.Replace != "" && d.Replace != d.At.Of(m.text) && sc.server.client.literalActions {
			actions = append(actions, sc.updateAction(m, d))
		}
	}
	if len(actions) == 1 {
		actions[0].IsPreferred = ptr(true) // not the confirmation: nobody confirms unread what is on the way
	}
	if confirm, ok := sc.confirmAction(m, entry, all); ok && sc.server.client.literalActions {
		actions = append(actions, confirm)
	}
	action, err := sc.reviewAction()
	if err != nil {
		return nil, err
	}
	actions = append(actions, action)
	for i := range actions {
		actions[i].Kind = sc.server.client.kind(protocol.CodeActionKindQuickFix)
		actions[i].Diagnostics = staleOf(p.Context.Diagnostics)
	}
	return actions, nil
}

// updateAction says in the entry where something is now.
func (sc *scene) updateAction(m *mapper, d link.Drift) protocol.CodeAction {
	what := "path"
	if d.Symbol != "" {
		what = "name"
	}
	edit := protocol.TextEdit{Range: m.bounds(d.At), NewText: d.Replace}
	return protocol.CodeAction{Title: fmt.Sprintf("Update the %s to %s", what, oneLine(d.Replace)), Edit: sc.documentEdit(edit)}
}

// confirmAction says in the entry that it is still true. It is not offered where that
// would end no problem: what is gone or elsewhere stays so.
func (sc *scene) confirmAction(m *mapper, entry string, all []link.Drift) (protocol.CodeAction, bool) {
	e, ok := sc.view.Tree().Entry(entry)
	if !ok || !slices.ContainsFunc(all, func(d link.Drift) bool { return d.Kind == link.Changed }) {
		return protocol.CodeAction{}, false
	}
	ed := e.Confirm(sc.server.opts.Now())
	edit := protocol.TextEdit{Range: m.bounds(ed.At), NewText: ed.New}
	return protocol.CodeAction{Title: "Still true: confirm this entry", Edit: sc.documentEdit(edit)}, ed != tree.Edit{}
}

// documentEdit is an edit of the scene's document, at the version that was looked at
// where the client can tell.
func (sc *scene) documentEdit(edit protocol.TextEdit) *protocol.WorkspaceEdit {
	u := sc.uri(sc.path)
	if !sc.server.client.documentChanges || sc.doc == nil {
		return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{u: {edit}}}
	}
	id := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}}
	id.Version = &sc.doc.version
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{
		&protocol.TextDocumentEdit{TextDocument: id, Edits: []protocol.TextDocumentEditElement{&edit}},
	}}
}

// reviewAction offers the review of the entry.
func (sc *scene) reviewAction() (protocol.CodeAction, error) {
	raw, err := json.Marshal(reviewed{URI: sc.uri(sc.path)})
	title := "Review this entry against what changed"
	return protocol.CodeAction{Title: title, Command: protocol.Command{Title: title, Command: reviewCommand, Arguments: []protocol.LSPAny{raw}}}, err
}

// staleOf are the problems that the actions repair.
func staleOf(given []protocol.Diagnostic) []protocol.Diagnostic {
	return slices.DeleteFunc(slices.Clone(given), func(d protocol.Diagnostic) bool { return d.Code != protocol.String(tree.CodeStale) })
}

// reviewEntry serves the command: it shows the document by which the user changes the
// entry.
func reviewEntry(s *server, args []protocol.LSPAny) (work, error) {
	var about reviewed
	if len(args) == 0 || decode(jsonrpc2.RawMessage(args[0]), &about) != nil || about.URI == "" {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s wants {uri}", reviewCommand)
	}
	sc, err := s.scene(about.URI)
	if err != nil {
		return nil, err
	}
	if sc == nil {
		return nil, jsonrpc2.Errorf(codeRequestFailed, "%s lies in no workspace folder", about.URI)
	}
	return func(ctx context.Context) (any, error) {
		if err := sc.ready(ctx); err != nil {
			return nil, err
		}
		entry, ok := sc.view.EntryPath(sc.path)
		if !ok {
			return nil, fmt.Errorf("%s: not an entry of the context tree", sc.path)
		}
		text, err := sc.ws.DriftReview(ctx, sc.view, entry)
		if err != nil {
			return nil, err
		}
		result := &review{URI: sc.diffURI(entry)}
		if s.client.showDocument && s.client.content {
			done, err := s.conn.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: uri.URI(result.URI), TakeFocus: ptr(true)})
			result.Shown = err == nil && done != nil && done.Success
		}
		if !result.Shown {
			result.Text = text
		}
		return result, nil
	}, nil
}
