package lsp

import (
	"context"
	"fmt"
	"maps"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree/relink"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codeaction"
)

// offerFileEvents requests events for the operations on all files: entries also name code, and these names
// change.
func offerFileEvents(c *client.Features, caps *protocol.ServerCapabilities) {
	if c.FileEvents == (client.FileEvents{}) {
		return
	}
	all := protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{
		{Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**/*"}},
		// "*" may not match hidden folders
		{Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**/.brv/context-tree/**"}},
	}}
	options := &protocol.FileOperationOptions{}
	for _, offered := range []struct {
		has bool
		to  *protocol.FileOperationRegistrationOptions
	}{
		{c.FileEvents.WillRename, &options.WillRename}, {c.FileEvents.DidRename, &options.DidRename},
		{c.FileEvents.DidCreate, &options.DidCreate},
		{c.FileEvents.WillDelete, &options.WillDelete}, {c.FileEvents.DidDelete, &options.DidDelete},
	} {
		if offered.has {
			*offered.to = all
		}
	}
	caps.Workspace.FileOperations = options
}

// moved groups the moves of a request by the workspace folder of the old path. Moves from outside, and of
// non-files, are dropped; a move out of the folder gets a path that is invalid inside it.
func (s *server) moved(files []protocol.FileRename) map[*state.Folder][]relink.FileMove {
	out := map[*state.Folder][]relink.FileMove{}
	for _, f := range files {
		from, path := s.Folders.Locate(uri.URI(f.OldURI))
		to, now := s.Folders.Locate(uri.URI(f.NewURI))
		if from == nil || path == "." {
			continue
		}
		if to != from {
			now = outside
		}
		out[from] = append(out[from], relink.FileMove{From: path, To: now})
	}
	return out
}

// outside represents every path outside of a folder; no file of a folder has it.
const outside = "../"

// willRenameFiles answers with the edits that must follow moves which the client is about to make. It reports
// links that cannot follow.
func willRenameFiles(s *server, p *protocol.RenameFilesParams) (dispatch.Work, error) {
	moved := s.moved(p.Files)
	scenes := map[*state.Folder]*scene{}
	for f := range moved {
		scenes[f] = s.sceneOf(f)
	}
	return func(ctx context.Context) (any, error) {
		all := &protocol.WorkspaceEdit{}
		for f, sc := range scenes {
			if err := sc.Complete(ctx); err != nil {
				return nil, err
			}
			if ws := f.Current(); ws != nil {
				var named []string
				for _, m := range moved[f] {
					if named = append(named, m.From); workspace.IsTreePath(m.To) {
						named = append(named, m.To)
					}
				}
				ws.ReadNamed(named)
				sc.View = ws.View()
			}
			edit, err := sc.follow(ctx, moved[f])
			if err != nil {
				return nil, err
			}
			add(all, edit)
		}
		if len(all.Changes) == 0 && len(all.DocumentChanges) == 0 {
			return nil, nil
		}
		return all, nil
	}, nil
}

// project is the state in which file operations are planned. The code of a folder that holds many projects is not
// read for them: the editor waits, and the folder may be the whole disk.
func (sc *scene) project(ctx context.Context) (refactor.Project, error) {
	if sc.Folder.HoldsManyProjects() {
		return codeaction.Project(sc.View), nil
	}
	return codeaction.WholeProject(ctx, sc.View)
}

// follow plans the edits for moves of one folder's files.
func (sc *scene) follow(ctx context.Context, moves []relink.FileMove) (*protocol.WorkspaceEdit, error) {
	if last := sc.server.renamed.Load(); last != nil && last.Did(moves, sc.View.Text) {
		return &protocol.WorkspaceEdit{}, nil // the editor carries out our own rename
	}
	project, err := sc.project(ctx)
	if err != nil {
		return nil, err
	}
	change := project.Follow(moves)
	sc.tellLeft(ctx, change)
	// Editors ask by themselves whether what follows a move may be done.
	return render.WorkspaceEdit(sc.Scene, change.Unasked())
}

// maxLeft bounds the number of links left behind that are listed one by one.
const maxLeft = 5

// tellLeft lists the links that do not follow a change.
func (sc *scene) tellLeft(ctx context.Context, c refactor.Change) {
	for _, why := range c.Left[:min(len(c.Left), maxLeft)] {
		sc.server.Client.Tell(ctx, protocol.MessageTypeWarning, why)
	}
	if n := len(c.Left) - maxLeft; n > 0 {
		sc.server.Client.Tell(ctx, protocol.MessageTypeWarning, fmt.Sprintf("More links that were not changed: %d", n))
	}
}

// add adds the edits of another folder.
func add(all, more *protocol.WorkspaceEdit) {
	all.DocumentChanges = append(all.DocumentChanges, more.DocumentChanges...)
	if all.Changes == nil {
		all.Changes = more.Changes
	} else {
		maps.Copy(all.Changes, more.Changes)
	}
	if all.ChangeAnnotations == nil {
		all.ChangeAnnotations = more.ChangeAnnotations
	} else {
		maps.Copy(all.ChangeAnnotations, more.ChangeAnnotations)
	}
}

// willDeleteFiles warns about references to the files; it changes nothing.
func willDeleteFiles(s *server, p *protocol.DeleteFilesParams) (dispatch.Work, error) {
	gone := map[*state.Folder][]string{}
	scenes := map[*state.Folder]*scene{}
	for _, d := range p.Files {
		if f, path := s.Folders.Locate(uri.URI(d.URI)); f != nil && path != "." {
			gone[f] = append(gone[f], path)
			scenes[f] = s.sceneOf(f)
		}
	}
	return func(ctx context.Context) (any, error) {
		for f, sc := range scenes {
			if err := sc.Complete(ctx); err != nil {
				return nil, err
			}
			project, err := sc.project(ctx)
			if err != nil {
				return nil, err
			}
			if lost := project.Farewell(gone[f]); lost != "" {
				s.Client.Tell(ctx, protocol.MessageTypeWarning, lost)
			}
		}
		return nil, nil
	}, nil
}

func didRenameFiles(s *server, p *protocol.RenameFilesParams) {
	var changed []string
	for _, f := range p.Files {
		changed = append(changed, f.OldURI, f.NewURI)
		from, old := s.Folders.Locate(uri.URI(f.OldURI))
		to, now := s.Folders.Locate(uri.URI(f.NewURI))
		if from == nil || from != to {
			continue
		}
		if ws := from.Current(); ws != nil {
			s.Client.Spawn("renamed", func() error { ws.Renamed(old, now); return nil })
		}
	}
	s.filesChanged(changed)
}

func didCreateFiles(s *server, p *protocol.CreateFilesParams) {
	var changed []string
	for _, f := range p.Files {
		changed = append(changed, f.URI)
	}
	s.filesChanged(changed)
}

func didDeleteFiles(s *server, p *protocol.DeleteFilesParams) {
	var changed []string
	for _, f := range p.Files {
		changed = append(changed, f.URI)
	}
	s.filesChanged(changed)
}

// filesChanged tells the workspaces about new and deleted files.
func (s *server) filesChanged(uris []string) {
	changed := map[*state.Folder][]string{}
	for _, u := range uris {
		if f, path := s.Folders.Locate(uri.URI(u)); f != nil && path != "." {
			changed[f] = append(changed[f], path)
		}
	}
	for f, paths := range changed {
		if ws := f.Current(); ws != nil {
			ws.DiskChanged(paths)
		}
	}
}
