package workspace

import (
	"context"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// View is the workspace at one moment. It is immutable: what it computes late,
// it computes from inputs that never change.
type View struct {
	ws      *Workspace
	disk    *tree.Snapshot
	code    *codebase.RepoMap
	buffers map[string]string // open buffers by workspace path; never written to

	tree  func() *tree.Snapshot
	links func() *link.Links
	index *lazyIndex
}

// lazyIndex is computed once and kept; a failed or cancelled try is repeated.
type lazyIndex struct {
	mu    sync.Mutex // held while the index is synced
	index *retrieval.Index
}

// newView makes a view. Where `same` is given, the tree is the one of that view
// and what was computed from it is shared.
func newView(w *Workspace, disk *tree.Snapshot, code *codebase.RepoMap, buffers map[string]string, same *View) *View {
	v := &View{ws: w, disk: disk, code: code, buffers: buffers}
	if same != nil {
		v.tree, v.links, v.index = same.tree, same.links, same.index
		return v
	}
	v.index = &lazyIndex{}
	v.tree = sync.OnceValue(func() *tree.Snapshot {
		t := disk
		for p, text := range buffers {
			if entry, ok := v.EntryPath(p); ok {
				t = t.With(entry, text)
			}
		}
		return t
	})
	v.links = sync.OnceValue(func() *link.Links { return w.linksOf(v.Tree(), code) })
	return v
}

// linksOf links a tree and a repo map, from the links made last where they help.
func (w *Workspace) linksOf(t *tree.Snapshot, code *codebase.RepoMap) *link.Links {
	w.linking.Lock()
	defer w.linking.Unlock()
	if w.lastLinks == nil {
		w.lastLinks = link.Build(t, code)
	} else {
		w.lastLinks = w.lastLinks.Update(t, code)
	}
	return w.lastLinks
}

// unless returns v, or nil where the tree changed, for newView to share.
func (v *View) unless(changed bool) *View {
	if changed {
		return nil
	}
	return v
}

// Tree is the context tree with the open buffers laid over it.
func (v *View) Tree() *tree.Snapshot { return v.tree() }

// Code is the repo map as last read; empty until the first read ended.
func (v *View) Code() *codebase.RepoMap { return v.code }

// Links are the edges between the tree and the code.
func (v *View) Links() *link.Links { return v.links() }

// Index is the search index over the tree.
func (v *View) Index(ctx context.Context) (*retrieval.Index, error) {
	v.index.mu.Lock()
	defer v.index.mu.Unlock()
	if v.index.index == nil {
		x, err := v.ws.search.Sync(ctx, v.Tree())
		if err != nil {
			return nil, err
		}
		v.index.index = x
	}
	return v.index.index, nil
}

// Text returns the current text of a file: the open buffer, else the entry or
// code file on disk. ok is false for files that are not readable text.
func (v *View) Text(p string) (text string, ok bool) {
	if text, ok := v.buffers[p]; ok {
		return text, true
	}
	if entry, ok := v.EntryPath(p); ok {
		e, ok := v.Tree().Entry(entry)
		if !ok {
			return "", false
		}
		return e.Text, true
	}
	data, err := v.ws.root.ReadFile(p, codebase.DefaultMaxFileSize)
	return string(data), err == nil
}

// EntryPath turns a workspace path into a tree path; ok is false outside the tree
// and for files that are no markdown.
func (v *View) EntryPath(p string) (entry string, ok bool) {
	if entry, ok = strings.CutPrefix(p, treeDir+"/"); !ok || !strings.HasSuffix(entry, ".md") {
		return "", false
	}
	return entry, true
}

// FilePath turns a tree path into a workspace path.
func (v *View) FilePath(entry string) string { return treeDir + "/" + entry }
