package state

import (
	"context"
	"path/filepath"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/lsp/position"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// Scene is the subject of a request: one document and the state of its workspace, both taken on the read loop.
type Scene struct {
	Folder    *Folder
	Path      string               // of the document, in the folder
	Workspace *workspace.Workspace // nil while the workspace is opening
	View      *workspace.View
	Doc       *Document // nil if the document is not open
	Session   *Session

	existing *workspace.FileCheck // see Stands
}

// Scene returns the state for a request about u. It is nil if u is outside of all workspace folders: then other
// language servers answer.
func (s *Session) Scene(u uri.URI) (*Scene, error) {
	if u == "" {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "textDocument.uri is missing")
	}
	sc := &Scene{Session: s, Doc: s.Documents.Get(u)}
	if sc.Doc != nil {
		sc.Folder, sc.Path = sc.Doc.Folder, sc.Doc.Path
	} else {
		sc.Folder, sc.Path = s.Folders.Locate(u)
	}
	if sc.Folder == nil || sc.Doc != nil && sc.Doc.Desynced {
		return nil, nil
	}
	if sc.Workspace = sc.Folder.Current(); sc.Workspace != nil {
		sc.View = sc.Workspace.View()
		sc.Workspace.FollowSoon()
	}
	return sc, nil
}

// Ready waits until the workspace is open, for at most a [workspace.Look]. The view may then have only a part of
// the tree, including the entries that the document refers to. If the document changed while the request waited,
// the request is obsolete.
func (sc *Scene) Ready(ctx context.Context) error {
	if sc.View != nil && !sc.View.Reading() {
		return nil
	}
	ws, err := sc.Folder.Wait(ctx)
	if err != nil {
		return err
	}
	sc.Workspace, sc.View = ws, ws.Around(sc.Path)
	return sc.unchanged()
}

// Complete waits until the whole context tree is read. It is for requests whose result would be wrong, or would
// change the wrong things, if a part is missing.
func (sc *Scene) Complete(ctx context.Context) error {
	if sc.View != nil && !sc.View.Reading() {
		return nil
	}
	ws, err := sc.Folder.Wait(ctx)
	if err == nil {
		err = ws.WaitTree(ctx)
	}
	if err != nil {
		return err
	}
	sc.Workspace, sc.View = ws, ws.View()
	return sc.unchanged()
}

// unchanged returns an error if the document is not the one that the request was about.
func (sc *Scene) unchanged() error {
	if sc.Doc != nil && sc.Session.Documents.Get(sc.Doc.URI) != sc.Doc {
		return protocol.ErrContentModified
	}
	return nil
}

// Obsolete reports whether the client should learn that an answer is about an outdated text. The client then drops
// the answer, or asks again.
func (sc *Scene) Obsolete(result any) bool {
	if result == nil || sc.Doc == nil || !sc.Session.Client.DropsStale {
		return false
	}
	now := sc.Session.Documents.Get(sc.Doc.URI)
	return now == nil || now.Mapper != sc.Doc.Mapper
}

// Mapper returns the document's coordinates: for the buffer if it is open, or else for the workspace's copy of the
// file.
func (sc *Scene) Mapper() (*position.Mapper, bool) {
	if sc.Doc != nil {
		return sc.Doc.Mapper, true
	}
	text, ok := sc.View.Text(sc.Path)
	return position.NewMapper(text, sc.Session.Client.Encoding), ok
}

// Entry returns the scene's document as an entry, if the view has the same text.
func (sc *Scene) Entry() (*position.Mapper, *format.Entry, bool) {
	path, ok := sc.View.EntryPath(sc.Path)
	if !ok {
		return nil, nil, false
	}
	e, ok := sc.View.Tree().Entry(path)
	if !ok {
		return nil, nil, false
	}
	m, ok := sc.Current()
	return m, e, ok
}

// Current returns the mapper of the scene's document, if the view has the same text.
func (sc *Scene) Current() (m *position.Mapper, ok bool) {
	text, known := sc.View.Text(sc.Path)
	switch {
	case !known || sc.Doc != nil && text != sc.Doc.Text():
		return nil, false
	case sc.Doc != nil:
		return sc.Doc.Mapper, true
	}
	return position.NewMapper(text, sc.Session.Client.Encoding), true
}

// URI returns the URI of a file of the scene's folder, in the client's spelling if the file is open.
func (sc *Scene) URI(path string) uri.URI {
	if d := sc.Session.Documents.At(sc.Folder, path); d != nil {
		return d.URI
	}
	return sc.Folder.URI(path)
}

// Stands reports whether a file of the folder still exists. Answers do not name missing files.
func (sc *Scene) Stands(path string) bool {
	if sc.Session.Documents.At(sc.Folder, path) != nil || filepath.IsAbs(path) {
		return true // files of other trees are not checked for each answer
	}
	if sc.existing == nil {
		sc.existing = sc.View.FileCheck()
	}
	return sc.existing.Has(path)
}

// SceneOf returns the state of a folder, for requests without a document.
func (s *Session) SceneOf(f *Folder) *Scene {
	sc := &Scene{Session: s, Folder: f}
	if sc.Workspace = f.Current(); sc.Workspace != nil {
		sc.View = sc.Workspace.View()
	}
	return sc
}

// Settings returns the settings of the scene's folder.
func (sc *Scene) Settings() settings.Settings {
	if sc.Folder != nil {
		if s := sc.Folder.Settings.Load(); s != nil {
			return *s
		}
	}
	return settings.Default()
}

// Grades returns the severities that the user chose.
func (sc *Scene) Grades() diagnosis.Grades {
	return diagnosis.Grades(sc.Settings().Diagnostics.Severity)
}

// Link returns the target of a link to a file, "" if the file is gone.
func (sc *Scene) Link(path string) uri.URI {
	if !sc.Stands(path) {
		return ""
	}
	return sc.URI(path)
}

// Existing returns the targets whose files exist.
func (sc *Scene) Existing(targets []navigate.Target) []navigate.Target {
	return slices.DeleteFunc(targets, func(t navigate.Target) bool { return !sc.Stands(t.Path) })
}
