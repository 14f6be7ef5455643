package lsp

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/markup"
	"github.com/brv-lsp/brv-lsp/lsp/render"
	"github.com/brv-lsp/brv-lsp/workspace/navigate"
)

// documentLinks lists the relations and files an entry names, the entries that the
// comments of a code file name, and the files that a document links to or names, but for links of Markdown that
// the editor finds itself. One that leads nowhere is none: there is nothing to open,
// and the diagnostic says why.
//
// Each has its target at once, which costs the making of a URI: no client says whether it resolves
// links, and in one that does not they would be dead. So tooltips come at once as well, where the client shows any.
func documentLinks(ctx context.Context, sc *scene, _ *protocol.DocumentLinkParams) (any, error) {
	m, ok := sc.Mapper()
	if !ok {
		return nil, nil
	}
	found := navigate.DocLinks(ctx, sc.View, sc.Path)
	if len(found) == 0 {
		return nil, nil
	}
	links, at, known := make([]protocol.DocumentLink, 0, len(found)), render.NewLocator(sc.Scene), map[string]bool{}
	for _, l := range found {
		if l.Target == "" || l.Markdown && sc.server.Client.BuiltinMarkdown || !sc.leads(l.Target, known) {
			continue
		}
		link := protocol.DocumentLink{Range: m.Bounds(l.At), Target: new(at.File(l.Target, "").URI)}
		if l.Tooltip != "" && sc.server.Client.LinkTooltips {
			link.Tooltip = new(markup.OneLine(l.Tooltip))
		}
		links = append(links, link)
	}
	return render.List(links)
}

// leads reports whether a file exists, in the scene's folder also after following links. known caches that
// for the folders of an answer's files: following all links of a path takes ten times as long as checking one
// file.
func (sc *scene) leads(p string, known map[string]bool) bool {
	if sc.server.Documents.At(sc.Folder, p) != nil {
		return sc.Folder.Holds(p) // it need not exist yet
	}
	info, err := os.Lstat(filepath.Join(sc.Folder.Real, filepath.FromSlash(p)))
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return err == nil && sc.Folder.Holds(p)
	}
	dir := path.Dir(p)
	inside, asked := known[dir]
	if !asked {
		inside = sc.Folder.Holds(dir)
		known[dir] = inside
	}
	return inside
}
