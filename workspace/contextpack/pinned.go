package contextpack

import (
	"context"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/documents"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// pin adds the pinned items of a request to its task, and pinned sections of documents to the tree of the
// pack. It lists the items that do not exist: they may have been renamed since.
func (req PackRequest) pin(ctx context.Context, v *workspace.View, in *pack.Inputs, t *pack.Task) (gone []string) {
	set, found := documents.Empty(), map[string]*format.Entry{}
	if strings.Contains(strings.Join(req.Pinned, "\n"), format.SectionSign) {
		if all, err := v.Documents(ctx); err == nil {
			set = all
		}
	}
	for _, p := range req.Pinned {
		_, known := in.Tree.Entry(p)
		if _, file := in.Code.Chunk(p); file {
			known = true
		}
		if _, _, ok := set.Section(p); ok && !known {
			found[p], known = set.Snapshot().Entry(p)
		}
		if path, at, ok := symbolNamed(in.Code, p); ok && !known {
			t.Places = append(t.Places, pack.Place{Path: path, Offset: at, Kind: pack.PlacePinned})
			p, known = path, true
		}
		if known {
			t.Pinned = append(t.Pinned, p)
		} else {
			gone = append(gone, p)
		}
	}
	if len(found) > 0 {
		in.Tree = in.Tree.Update(found)
	}
	return gone
}

// symbolNamed finds the symbol of a file that path#Name or path#Container.Name means.
func symbolNamed(code *codebase.RepoMap, p string) (path string, offset int, ok bool) {
	i := strings.LastIndexByte(p, '#')
	if i < 0 {
		return "", 0, false
	}
	path, name := p[:i], p[i+1:]
	chunk, ok := code.Chunk(path)
	if !ok {
		return "", 0, false
	}
	for _, s := range chunk.Symbols() {
		if s.Name == name || s.Container+"."+s.Name == name {
			return path, s.NameAt.Start, true
		}
	}
	return "", 0, false
}
