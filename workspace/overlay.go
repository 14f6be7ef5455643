package workspace

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree"
)

// The code of a view is as it was read from disk. What the open buffers change in it
// is parsed when a request asks for it, once for all requests between two keystrokes
// in code, and never on a keystroke. A keystroke in an entry changes none of it.

// openView is the view with its buffers laid over the code, made once.
type openView struct {
	once sync.Once
	view *View
}

// withOpen is the view in which code, and the links to it, are as the open buffers
// have them. Where ctx ends first, or a buffer cannot be parsed, it returns the view
// as it is, with the error: the code is then that on disk.
func (v *View) withOpen(ctx context.Context) (*View, error) {
	texts := v.openTexts()
	if len(texts) == 0 || v.open == nil {
		return v, nil
	}
	code, err := v.openMap.get(ctx, v.ws, func() (*codebase.RepoMap, error) { return v.code.With(v.ws.ctx, texts) })
	if err != nil {
		return v, err
	}
	v.open.once.Do(func() { v.open.view = v.laid(code) })
	return v.open.view, nil
}

// openTexts are the buffers that may be code.
func (v *View) openTexts() map[string]string {
	texts := map[string]string{}
	for p, text := range v.buffers {
		if !isTreePath(p) {
			texts[p] = text
		}
	}
	return texts
}

// laid is the view with a map in which the buffers are laid over the code.
func (v *View) laid(code *codebase.RepoMap) *View {
	if code == v.code { // no buffer differs from the disk
		return v
	}
	next := *v
	next.code, next.open = code, nil
	next.links = sync.OnceValue(func() *link.Links { return v.ws.openLinker.of(v.Tree(), code, v.code, &v.ws.linker) })
	return &next
}

// quickly is withOpen for what an editor shows in passing: it waits a little, and else
// does with the code on disk.
func (v *View) quickly(ctx context.Context) *View {
	short, cancel := v.ws.within(ctx, answerBudget)
	defer cancel()
	v, err := v.withOpen(short)
	if err != nil && ctx.Err() == nil {
		v.ws.opts.Log.Debug("open buffers are not in the code", "err", err)
	}
	return v
}

// linker makes links, from those made last where they help.
type linker struct {
	mu   sync.Mutex // held while links are made
	last atomic.Pointer[madeLinks]
}

// madeLinks are links with the code on disk that theirs is, or is laid over.
type madeLinks struct {
	links *link.Links
	disk  *codebase.RepoMap
}

// of makes the links of a tree and a map. disk is the map, or what it is laid over. Where
// only other, the other linker, knows that disk, its links are the nearer ones: they share
// nearly all with what is made from them.
func (l *linker) of(t *tree.Snapshot, code, disk *codebase.RepoMap, other *linker) *link.Links {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, near := l.last.Load(), other.last.Load()
	if near != nil && near.disk == disk && (last == nil || last.disk != disk) {
		last = near
	}
	next := &madeLinks{disk: disk}
	if last == nil {
		next.links = link.Build(t, code)
	} else {
		next.links = last.links.Update(t, code)
	}
	l.last.Store(next)
	return next.links
}
