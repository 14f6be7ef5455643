package workspace

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/link"
)

// The code of a view is as it was read from disk. What the open buffers change in it
// is parsed when a request asks for it, once for all requests between two keystrokes
// in code, and never on a keystroke. A keystroke in an entry changes none of it.

// withOpen is the view in which code, and the links to it, are as the open buffers
// have them. Where ctx ends first, or a buffer cannot be parsed, it returns the view
// as it is, with the error: the code is then that on disk.
func (v *View) withOpen(ctx context.Context) (*View, error) {
	texts := openTexts(v)
	if v.open == nil || len(texts) == 0 && !v.ws.code.beginning() {
		return v, nil
	}
	code, err := v.openMap.get(ctx, v.ws.core, lay(v, texts))
	if err != nil {
		return v, err
	}
	v.open.once.Do(func() { v.open.view = overlaid(v, code) })
	return v.open.view, nil
}

// lay lays texts over the code; while that is read for the first time also what open entries name.
func lay(v *View, texts map[string]string) func() (*codebase.RepoMap, error) {
	return func() (*codebase.RepoMap, error) {
		if v.ws.code.beginning() {
			addNamed(v, texts)
		}
		return v.code.With(v.ws.ctx, texts)
	}
}

// maxNamed is how many files are read before the rest: as many unsaved texts as a map keeps.
const maxNamed = 64

// addNamed adds the files that open entries name, so that what these say of symbols is understood before
// all of the code is read.
func addNamed(v *View, texts map[string]string) {
	for p := range v.buffers {
		entry, ok := v.EntryPath(p)
		if !ok {
			continue
		}
		for _, c := range v.Links().Of(entry) {
			if _, has := texts[c.Path]; has || c.Folder || !c.Exists || len(texts) >= maxNamed {
				continue
			}
			if text, ok := v.Text(c.Path); ok {
				texts[c.Path] = text
			}
		}
	}
}

// openTexts are the buffers that may be code.
func openTexts(v *View) map[string]string {
	texts := map[string]string{}
	for p, text := range v.buffers {
		if !IsTreePath(p) {
			texts[p] = text
		}
	}
	return texts
}

// overlaid is the view with a map in which the buffers are laid over the code.
func overlaid(v *View, code *codebase.RepoMap) *View {
	if code == v.code { // no buffer differs from the disk
		return v
	}
	next := *v
	next.code, next.open = code, nil
	next.links = sync.OnceValue(func() *link.Links { return v.ws.openLinker.of(v.Tree(), code, v.code, &v.ws.linker) })
	return &next
}

// ForFile is the view for what an editor shows in passing about a file: that of withOpen, or while the
// code is read for the first time, that of aheadOf. It waits for a [Look], and else does with the code
// on disk.
func (v *View) ForFile(ctx context.Context, p string) *View {
	if v.open == nil {
		return v
	}
	short, cancel := v.Within(ctx, Look)
	defer cancel()
	if v.ws.code.beginning() {
		if ahead := aheadOf(short, v, p); ahead != nil {
			return ahead
		}
	}
	v = withPresentCode(v) // it may have been read since the request came
	laid, err := v.withOpen(short)
	if err != nil && ctx.Err() == nil {
		v.Logger().Debug("unsaved code was not read", "err", err)
	}
	return laid
}

// aheadOf is the view in which a file is all the code that there is: what it marks and defines is known
// long before the rest is read. Where even its syntax is not there before ctx ends, its marks are found
// in its text. An entry may name any file: it waits until it is known which there are, and else has
// those that are open. It is nil where more is known meanwhile.
func aheadOf(ctx context.Context, v *View, p string) *View {
	c := v.ws.code
	text, ok := v.Text(p)
	if IsTreePath(p) || !ok {
		if c.stages[codeFiles].Wait(ctx) == nil || !c.beginning() {
			return nil
		}
		return v.over(c.alone, c.readAlready())
	}
	laid, err := c.readAhead(p, text).get(ctx)
	switch {
	case !c.beginning():
		return nil
	case err == nil:
		return overlaid(v, laid)
	}
	return v.over(c.plain, map[string]string{p: text})
}

// over is the view with texts that need no parse over a map of no files; nil if there is none.
func (v *View) over(code *codebase.RepoMap, texts map[string]string) *View {
	code, err := code.With(v.ws.ctx, texts)
	if err != nil {
		return nil
	}
	return overlaid(v, code)
}

// opened begins to read what an editor opened: it will ask about that.
func (c *codeState) opened(p, text string) {
	switch v := c.View(); {
	case IsTreePath(p):
	case c.beginning():
		c.readAhead(p, text)
	case c.at(codeRead):
		v.openMap.begin(c.core, lay(v, openTexts(v)))
	}
}

// Complete is the view once the code is read, with what others changed since and its open
// buffers in it. A buffer that cannot be parsed counts as on disk.
func (v *View) Complete(ctx context.Context) (*View, error) {
	w := v.ws
	if err := w.WaitCode(ctx); err != nil {
		return nil, err
	}
	if err := w.Follow(ctx); err != nil {
		return nil, err
	}
	v, err := v.WithOpenCode(ctx)
	if err != nil && ctx.Err() == nil {
		w.opts.Log.Warn("unsaved code was not read", "err", err)
	}
	return v, ctx.Err()
}

// WithOpenCode is the view with the code as it is now, on disk and in the open buffers. Where ctx
// ends first, or a buffer cannot be parsed, the code is that on disk, and the error says why.
func (v *View) WithOpenCode(ctx context.Context) (*View, error) {
	return withPresentCode(v).withOpen(ctx)
}

// LinksWithin are the links of the view. Where ctx ends first they are for the next answer, and
// this one has none.
func (v *View) LinksWithin(ctx context.Context) (*link.Links, error) {
	if ctx.Done() == nil {
		return v.Links(), nil
	}
	links, err := (&lazy[*link.Links]{}).get(ctx, v.ws.core, func() (*link.Links, error) { return v.Links(), nil })
	if err != nil {
		links = noLinks()
	}
	return links, err
}

// Symbols are the definitions of a file's current text: those of the repo map
// where it was made of that text, else read now.
func (v *View) Symbols(ctx context.Context, p, text string) []syntax.Symbol {
	if c, ok := v.Code().Chunk(p); ok && c.Hash == codebase.HashOf(text) {
		return c.Symbols()
	}
	f, err := v.ws.code.pool.Parse(ctx, syntax.Request{Path: p, Language: syntax.LanguageFor(p, []byte(text)), Source: []byte(text),
		Urgent: true})
	if err != nil {
		v.Logger().Warn("selection was not parsed", "path", p, "err", err)
	}
	return f.Symbols
}

// withBuffers is the view after one buffer was opened, changed or closed. What
// does not depend on that file is shared.
func withBuffers(v *View, buffers map[string]string, changed string) *View {
	s := v.state
	s.buffers = buffers
	if !IsTreePath(changed) {
		s.openMap = newOpenMap()
		same := *v
		same.state, same.open, same.docs = s, &openView{}, &laidDocuments{}
		return &same
	}
	if !v.ws.code.at(codeSyntax) {
		s.openMap = newOpenMap() // see addNamed
	}
	if v.hasTree.Load() {
		s.base, s.pending = v.Tree(), nil
	}
	if !slices.Contains(s.pending, changed) {
		s.pending = append(slices.Clip(s.pending), changed)
	}
	return newView(v.ws, s)
}

// Overlay lays an editor's unsaved text over a file. It never blocks on the
// disk, so that it can run where requests are read.
func (w *Workspace) Overlay(p, text string) {
	w.stir()
	open := false
	w.swap(func(v *View) *View {
		buffers := map[string]string{}
		maps.Copy(buffers, v.buffers)
		_, open = buffers[p]
		buffers[p] = text
		return withBuffers(v, buffers, p)
	})
	if !open {
		w.code.opened(p, text)
	}
}

// Drop ends an overlay: the disk counts again.
func (w *Workspace) Drop(p string) {
	w.swap(func(v *View) *View {
		if _, ok := v.buffers[p]; !ok {
			return v
		}
		buffers := maps.Clone(v.buffers)
		delete(buffers, p)
		return withBuffers(v, buffers, p)
	})
}
