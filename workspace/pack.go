package workspace

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
)

// What a pack may have to do without.
const (
	someCode    = "the code was not read"
	newestCode  = "the newest changes of the code"
	newestLinks = "links between entries and code"
	unsavedCode = "unsaved text of open code files"
	foundBy     = "entries found by their words"
	whatIsStale = "it is not known yet whether entries are stale"
)

// without says what a pack does without, and why.
func without(what string, err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return what + ": reading takes longer than the deadline"
	}
	return what + ": " + err.Error()
}

// Pack fills one token budget with entries and code for a task. Of code that is
// read for the first time it waits for the words; Pack.Pending says how many files
// were not yet read further. With a deadline it waits for nothing longer than that
// allows, and Pack.Degraded says what is missing.
func (w *Workspace) Pack(ctx context.Context, v *View, req PackRequest) (*pack.Pack, error) {
	task, counter, err := req.task()
	if err != nil {
		return nil, err
	}
	if req.DeadlineMs > 0 {
		task.Deadline = w.opts.Now().Add(time.Duration(req.DeadlineMs) * time.Millisecond)
	}
	h, done := hurryIn(ctx, v, req.DeadlineMs)
	defer done()
	prompt := h.prompt
	if !v.part {
		v.index.begin(w, v.makeIndex) // beside the reading of the code
	}
	v, degraded, err := w.promptView(ctx, prompt, v)
	if err != nil {
		return nil, err
	}
	degraded = append(h.degraded, degraded...)
	if err := req.placed(&task, v); err != nil {
		return nil, err
	}
	links, err := w.linksBy(prompt, v)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		degraded = append(degraded, without(newestLinks, err))
	}
	in := w.inputs(v, links, counter)
	stale := w.driftsFor(prompt, v)
	in.Drift, in.Ahead = stale.drift, stale.expect
	search, err := v.Search(prompt)
	switch {
	case err == nil:
	case prompt.Err() == nil || ctx.Err() != nil:
		return nil, err
	default: // what is not found now is not remembered
		search, in.Memory, degraded = noSearch, nil, append(degraded, without(foundBy, err))
	}
	in.Search = func(ctx context.Context, text string, limit int) ([]retrieval.Hit, error) {
		r, err := search(ctx, retrieval.Query{Text: text, Limit: limit, Now: in.Now})
		return r.Hits, err
	}
	if task.Before, err = w.packs.before(req); err != nil {
		return nil, err
	}
	p, err := pack.Build(ctx, in, task)
	if err != nil {
		return nil, err
	}
	p.Pending = v.Code().Pending()
	p.Degraded = append(degraded, p.Degraded...)
	if !stale.known {
		p.Degraded = append(p.Degraded, whatIsStale)
	}
	if len(p.Items) > 0 {
		p.ID = packID(p.Text)
		w.packs.keep(req, &p)
		w.used(usedInPack(&p)...)
	}
	return &p, nil
}

// inputs are what a pack is made of, but for the search.
func (w *Workspace) inputs(v *View, links *link.Links, counter *tokens.Encoding) pack.Inputs {
	in := pack.Inputs{
		Tree: v.Tree(), Code: v.Code(), Links: links, Now: w.opts.Now(), Clock: w.opts.Now, Memory: w.memory,
		Count: counter.Count, Estimate: counter.Estimate, Tokenizer: counter.Name(),
	}
	return in
}

// linksBy are the links of a view. Where ctx ends first they are for the next answer, and
// this one has none.
func (w *Workspace) linksBy(ctx context.Context, v *View) (*link.Links, error) {
	if ctx.Done() == nil {
		return v.Links(), nil
	}
	made := make(chan struct{})
	if !w.spawn(func() { v.Links(); close(made) }) {
		return nil, errClosed
	}
	select {
	case <-made:
		return v.Links(), nil
	case <-ctx.Done():
		return noLinks(), ctx.Err()
	}
}

// noLinks are those of nothing.
var noLinks = sync.OnceValue(func() *link.Links { return link.Build(tree.NewSnapshot(nil, nil), codebase.Empty()) })

// maxReserve is what a deadline leaves for the pack itself once all is read: it takes
// below 100 ms at 8,192 tokens (see package pack).
const maxReserve = 100 * time.Millisecond

// waiting is how long a pack may wait for what it is made of.
func waiting(allowed time.Duration) time.Duration { return allowed - min(allowed/2, maxReserve) }

// promptView is the view of a request with the code as it is now, on disk and in the
// open buffers. What is not ready by the end of prompt, or cannot be read, it does
// without, and says so.
func (w *Workspace) promptView(ctx, prompt context.Context, v *View) (_ *View, degraded []string, err error) {
	note := func(what string, err error) {
		if err != nil {
			degraded = append(degraded, without(what, err))
		}
	}
	note(someCode, w.waitWords(prompt))
	note(newestCode, w.follow(prompt))
	v, err = w.withPresentCode(v).withOpen(prompt)
	note(unsavedCode, err)
	if w.ctx.Err() != nil {
		return nil, nil, errClosed
	}
	return v, degraded, ctx.Err()
}

// withPresentCode is the view with the code as it was read last: the code may have been
// read after the view was taken. The buffers stay those of the request, whose offsets
// count in them.
func (w *Workspace) withPresentCode(v *View) *View {
	present := w.View()
	switch {
	case present.code == v.code:
		return v
	case present.disk == v.disk && maps.Equal(present.buffers, v.buffers):
		return present
	}
	return v.withCode(present.code)
}

// noSearch finds nothing.
func noSearch(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, nil
}
