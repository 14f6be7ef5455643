package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
)

// curateCommand keeps a selection as an entry. It is an editor's command, not one of the workspace's table,
// because it asks the user questions.
const curateCommand = render.CommandPrefix + "curateSelection"

// previewLines is how much of a drafted entry the question before writing shows.
const previewLines = 24

// curateAnnotation names the one annotation of a curate edit.
const curateAnnotation protocol.ChangeAnnotationIdentifier = "brv.curate"

// curated is the result of `brv.curateSelection`.
type curated struct {
	Path    string `json:"path"` // the path of the entry in the folder
	Title   string `json:"title"`
	Written bool   `json:"written"`
	Reason  string `json:"reason,omitempty"` // why the entry was not written
	Text    string `json:"text,omitempty"`   // the text of the entry, if the client has to write it
}

// draft plans the entry for a selection.
func (sc *scene) draft(ctx context.Context, sel selection) (*drafting.DraftResponse, error) {
	if sc.stale(sel) {
		return nil, protocol.ErrContentModified
	}
	m, ok := sc.Mapper()
	if !ok {
		return nil, fmt.Errorf("%s: not a readable text file", sc.Path)
	}
	at := m.Span(sel.Range)
	return drafting.Draft(ctx, sc.View, drafting.DraftRequest{Path: sc.Path, Start: at.Start, End: at.End})
}

// curateEdit is the edit that makes the entry, for clients that preview edits.
func (sc *scene) curateEdit(ctx context.Context, sel selection) (*protocol.WorkspaceEdit, error) {
	d, err := sc.draft(ctx, sel)
	if err != nil {
		return nil, err
	}
	edit := createEdit(sc.URI(d.Path), d.Text, curateAnnotation)
	edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{curateAnnotation: {
		Label: "Curate into the context tree", NeedsConfirmation: new(true), Description: new(d.Title + ", " + d.Path),
	}}
	return edit, nil
}

// insertDraft is the edit that fills the new entry, for clients that only apply edits.
func (sc *scene) insertDraft(ctx context.Context, sel selection) (*protocol.WorkspaceEdit, error) {
	d, err := sc.draft(ctx, sel)
	if err != nil {
		return nil, err
	}
	return insertEdit(sc.URI(d.Path), d.Text), nil
}

// createEdit makes a file with a text. It never replaces an existing one.
func createEdit(u uri.URI, text string, annotation protocol.ChangeAnnotationIdentifier) *protocol.WorkspaceEdit {
	create := &protocol.CreateFile{Kind: "create", URI: u, Options: &protocol.CreateFileOptions{Overwrite: new(false),
		IgnoreIfExists: new(false)}}
	insert := protocol.TextEdit{NewText: text}
	var element protocol.TextDocumentEditElement = &insert
	if annotation != "" {
		create.AnnotationID = annotation
		element = &protocol.AnnotatedTextEdit{TextEdit: insert, AnnotationID: annotation}
	}
	doc := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}}
	return &protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{
		create, &protocol.TextDocumentEdit{TextDocument: doc, Edits: []protocol.TextDocumentEditElement{element}},
	}}
}

// insertEdit is the edit for clients that cannot create files by name: they open
// the file that does not exist yet and insert into it; the user saves it.
func insertEdit(u uri.URI, text string) *protocol.WorkspaceEdit {
	return &protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{u: {{NewText: text}}}}
}

// curateSelection serves the command: draft, show, ask, write through the editor.
func curateSelection(ctx context.Context, sc *scene, req commandRequest) (any, error) {
	if !sc.Workspace.HasTree() {
		return nil, sc.Workspace.NoTree()
	}
	sel := selection{URI: req.URI, Version: req.own.(*placeParams).Version}
	if req.Range != nil {
		sel.Range = req.Range.Bounds()
	}
	d, err := sc.draft(ctx, sel)
	if err != nil {
		return nil, err
	}
	return sc.write(ctx, d)
}

// curateAction offers the selection's entry in the best form the client has: as
// an edit that it previews, else as a command that asks before it writes.
func (sc *scene) curateAction(ctx context.Context, sel selection) (protocol.CodeAction, error) {
	client := &sc.server.Client.Features
	const title = "Write down what the next person should know"
	action := protocol.CodeAction{Title: title, Kind: client.Kind(curateKind)}
	raw, err := json.Marshal(sel)
	if err != nil {
		return action, err
	}
	switch {
	case !client.ApplyEdit:
		// No question can lead to an edit here. The client fills a buffer with the entry,
		// which is shown and not saved.
		action.Edit, err = sc.insertDraft(ctx, sel)
	case !client.PreviewsEdits():
		action.Command = protocol.Command{Title: title, Command: curateCommand, Arguments: []protocol.LSPAny{raw}}
	case client.ResolveEdit:
		action.Data = raw
	default:
		action.Edit, err = sc.curateEdit(ctx, sel)
	}
	return action, err
}

// write asks the user and has the editor write the draft.
func (sc *scene) write(ctx context.Context, d *drafting.DraftResponse) (any, error) {
	result := &curated{Path: d.Path, Title: d.Title}
	if !sc.server.Client.ApplyEdit {
		result.Reason, result.Text = "this editor cannot apply edits from a language server", d.Text
		return result, nil
	}
	yes, err := sc.server.Client.Ask(ctx, question(d), "Write")
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s was not written, because the editor could not ask you: %w", d.Path, err)
	case !yes:
		result.Reason = cancelledByUser
		return result, nil
	}
	result.Reason, err = sc.apply(ctx, d)
	result.Written = err == nil && result.Reason == ""
	return result, err
}

// apply makes the editor write the draft and show it. It returns the reason if that failed.
func (sc *scene) apply(ctx context.Context, d *drafting.DraftResponse) (refused string, err error) {
	features, u := &sc.server.Client.Features, sc.URI(d.Path)
	edit := insertEdit(u, d.Text)
	if features.DocumentChanges && features.CreateFiles {
		edit = createEdit(u, d.Text, "")
	}
	done, err := sc.server.Client.Apply(ctx, "Curate "+d.Title, edit)
	if err != nil || !done.Applied {
		return cmp.Or(done, &client.Applied{}).Reason, err
	}
	sc.server.Client.Open(ctx, u, nil)
	return "", nil
}

// question shows what will be written: where, under which title, and how it
// begins.
func question(d *drafting.DraftResponse) string {
	text := markup.Clean(d.Text)
	if _, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); ok {
		text = body // the frontmatter says little more than the title
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	cut := ""
	if len(lines) > previewLines {
		lines, cut = lines[:previewLines], "\n…"
	}
	for i := range lines {
		lines[i] = markup.CutLine(lines[i])
	}
	return fmt.Sprintf("Write “%s” to %s?\n\n%s%s", markup.OneLine(d.Title), d.Path, strings.Join(lines, "\n"), cut)
}

// curateKind is the kind of the "Write down what the next person should know" action: a refactoring
// that extracts, so that clients list it among those.
const curateKind protocol.CodeActionKind = "refactor.extract.brv"
