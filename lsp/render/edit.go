package render

import (
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/refactor"
)

// WorkspaceEdit renders a planned change in the best form that the client supports: documentChanges with versions,
// resource operations and annotations, or else plain changes. It fails if files must be moved or deleted and the
// client cannot do that. Moves come last, so that until then each file has the name that the editor knows.
func WorkspaceEdit(sc *state.Scene, change refactor.Change) (*protocol.WorkspaceEdit, error) {
	client := &sc.Session.Client.Features
	edit := &protocol.WorkspaceEdit{}
	var moves []protocol.DocumentChange
	for _, f := range change.Files {
		if !sc.Folder.Holds(f.Path) || !sc.Folder.Holds(f.To) {
			return nil, fmt.Errorf("%s: a symbolic link points outside the folder; edit the file at its real path", f.Path)
		}
		if lacking := lacking(client, f); lacking != "" {
			return nil, fmt.Errorf(
				"%s: this editor cannot %s files for a language server (workspaceEdit.resourceOperations lacks %q); do that yourself",
				f.Path, lacking, lacking)
		}
		if !f.Create && !sc.Stands(f.Path) {
			if f.To == "" && !f.Delete {
				continue // the text to edit was removed since the change was planned
			}
			return nil, fmt.Errorf("%s no longer exists; try again", f.Path)
		}
		if !client.DocumentChanges {
			edits := TextEdits(sc, f)
			if f.Create {
				edits = []protocol.TextEdit{{NewText: f.Text}}
			}
			plainEdit(sc, edit, f.Path, edits)
			continue
		}
		edit.DocumentChanges = append(edit.DocumentChanges, fileChanges(sc, edit, f)...)
		if f.To != "" {
			moves = append(moves, renameFile(sc, edit, f))
		}
	}
	edit.DocumentChanges = append(edit.DocumentChanges, moves...)
	return edit, nil
}

// lacking returns the operation that a file's change needs and the client does not support, or "". An edit of a
// missing file can create it, since editors accept that.
func lacking(c *client.Features, f refactor.File) string {
	switch {
	case f.To != "" && !c.RenameFiles:
		return "rename"
	case f.Delete && !c.DeleteFiles:
		return "delete"
	}
	return ""
}

func plainEdit(sc *state.Scene, edit *protocol.WorkspaceEdit, path string, edits []protocol.TextEdit) {
	if edit.Changes == nil {
		edit.Changes = map[uri.URI][]protocol.TextEdit{}
	}
	edit.Changes[sc.URI(path)] = edits
}

// TextEdits returns a file's edits in the client's coordinates.
func TextEdits(sc *state.Scene, f refactor.File) []protocol.TextEdit {
	m := position.NewMapper(f.Before, sc.Session.Client.Encoding)
	out := make([]protocol.TextEdit, len(f.Edits))
	for i, e := range f.Edits {
		out[i] = protocol.TextEdit{Range: m.Bounds(e.At), NewText: e.New}
	}
	return out
}

// fileChanges returns the steps for one file, except its move.
func fileChanges(sc *state.Scene, edit *protocol.WorkspaceEdit, f refactor.File) []protocol.DocumentChange {
	annotation := annotate(sc, edit, f.Confirm)
	u := sc.URI(f.Path)
	if f.Delete {
		return []protocol.DocumentChange{&protocol.DeleteFile{Kind: "delete", URI: u,
			ResourceOperation: protocol.ResourceOperation{Kind: "delete", AnnotationID: annotation}}}
	}
	var out []protocol.DocumentChange
	edits := TextEdits(sc, f)
	if f.Create {
		edits = []protocol.TextEdit{{NewText: f.Text}}
	}
	if f.Create && sc.Session.Client.CreateFiles {
		out = append(out, &protocol.CreateFile{Kind: "create", URI: u, ResourceOperation: protocol.ResourceOperation{Kind: "create",
			AnnotationID: annotation}, Options: &protocol.CreateFileOptions{Overwrite: new(false), IgnoreIfExists: new(false)}})
	}
	if len(edits) > 0 {
		id := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}}
		if d := sc.Session.Documents.At(sc.Folder, f.Path); d != nil {
			id.Version = new(d.Version)
		}
		elements := make([]protocol.TextDocumentEditElement, len(edits))
		for i := range edits {
			elements[i] = &edits[i]
			if annotation != "" {
				elements[i] = &protocol.AnnotatedTextEdit{TextEdit: edits[i], AnnotationID: annotation}
			}
		}
		out = append(out, &protocol.TextDocumentEdit{TextDocument: id, Edits: elements})
	}
	return out
}

func renameFile(sc *state.Scene, edit *protocol.WorkspaceEdit, f refactor.File) protocol.DocumentChange {
	return &protocol.RenameFile{
		Kind: "rename", OldURI: sc.URI(f.Path), NewURI: sc.Folder.URI(f.To),
		ResourceOperation: protocol.ResourceOperation{Kind: "rename", AnnotationID: annotate(sc, edit, f.Confirm)},
		Options:           &protocol.RenameFileOptions{Overwrite: new(false), IgnoreIfExists: new(false)},
	}
}

// annotate returns the id of an annotation that asks the user to confirm. It is "" without a reason, or if the
// client does not support annotations.
func annotate(sc *state.Scene, edit *protocol.WorkspaceEdit, reason string) protocol.ChangeAnnotationIdentifier {
	if reason == "" || !sc.Session.Client.Annotations {
		return ""
	}
	if edit.ChangeAnnotations == nil {
		edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	}
	id := protocol.ChangeAnnotationIdentifier("brv: " + reason)
	edit.ChangeAnnotations[id] = protocol.ChangeAnnotation{Label: reason, NeedsConfirmation: new(true)}
	return id
}

// CommandPrefix begins the name of each command.
const CommandPrefix = "brv."

// ReferencesCommand shows the places that mention a file, or the thing at a position.
const ReferencesCommand = CommandPrefix + "showReferences"

// ReviewCommand shows the drift of an entry. The editor provides it, and not the workspace's table, because it
// opens a document there.
const ReviewCommand = CommandPrefix + "reviewEntry"

// EntryCommand opens an entry. The editor provides it too.
const EntryCommand = CommandPrefix + "openEntry"

// ShowReviewCommand shows a pending review. The editor provides it, and not the workspace's table, because it
// opens a document there. Its id is the number of a batch; without one, it shows the oldest batch that concerns
// the entry.
const ShowReviewCommand = CommandPrefix + "showReview"
