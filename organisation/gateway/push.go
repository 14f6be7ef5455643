package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/retrieval"
)

// push accepts a manifest if all its texts are there, and otherwise returns the missing ones.
func (g *Gateway) push(ctx context.Context, key string, p organisation.Push) (organisation.Pushed, error) {
	var out organisation.Pushed
	if err := p.Check(); err != nil {
		return out, refuse(http.StatusBadRequest, err)
	}
	if err := g.pusher(ctx, p.Repository, p.Commit, key); err != nil {
		return out, err
	}
	defer g.alone(p.Repository)()
	all, err := g.look(ctx, true)
	if err != nil {
		return out, err
	}
	before := all[p.Repository]
	switch {
	case before == nil:
	case p.Number < before.Number:
		return out, refuse(http.StatusConflict, fmt.Errorf("nothing was stored: push %d is older than the stored push %d",
			p.Number, before.Number))
	case p.Number == before.Number && (p.Commit != before.Commit || !maps.Equal(p.Entries, before.Entries)):
		return out, refuse(http.StatusConflict, fmt.Errorf("nothing was stored: another push has the number %d", p.Number))
	}
	there, err := g.o.Store.Texts(ctx, p.Repository)
	if err != nil {
		return out, err
	}
	m := &organisation.Manifest{Repository: p.Repository, Commit: p.Commit, Number: p.Number, Pushed: g.o.Now().UTC(), Entries: p.Entries}
	named := map[string]bool{}
	for path, digest := range p.Entries {
		id := organisation.ID(p.Repository, path, digest)
		l, ok := there[id]
		if !ok {
			out.Lacking = append(out.Lacking, path)
		}
		named[id] = true
		m.Lengths.Add(l, 1)
	}
	slices.Sort(out.Lacking)
	if len(out.Lacking) > 0 {
		return out, nil
	}
	switch err := g.o.Store.Commit(ctx, m, before); {
	case errors.Is(err, organisation.ErrConflict):
		all, again := g.look(ctx, true)
		if now := all[p.Repository]; again != nil || now == nil || now.Number != p.Number || !maps.Equal(now.Entries, p.Entries) {
			return out, refuse(http.StatusConflict, err) // otherwise this push did it, and the answer was lost
		}
	case err != nil:
		return out, err
	}
	maps.DeleteFunc(there, func(id string, _ retrieval.Lengths) bool { return named[id] })
	if err := g.o.Store.Write(ctx, p.Repository, nil, slices.Sorted(maps.Keys(there))); err != nil {
		g.o.Log.Warn("entries that this push deleted stay in the store until the next push", "repository", p.Repository, "err", err)
	}
	_, err = g.look(ctx, true)
	return out, err
}

// texts accepts texts of a push. Invalid ones, and those with a credential, are refused; the others are
// accepted.
func (g *Gateway) texts(ctx context.Context, key string, t organisation.Texts) (organisation.Refused, error) {
	out := organisation.Refused{Refused: map[string]string{}}
	if err := g.pusher(ctx, t.Repository, "", key); err != nil {
		return out, err
	}
	if len(t.Documents) > organisation.MaxEntries {
		return out, refuse(http.StatusBadRequest, errors.New("too many texts at once"))
	}
	defer g.alone(t.Repository)()
	var put []organisation.Document
	for _, d := range t.Documents {
		d.Repository = t.Repository
		switch why := organisation.Credential(d.Text); {
		case organisation.CheckPath(d.Path) != nil:
			out.Refused[d.Path] = "this is not the path of an entry"
		case len(d.Text) > organisation.MaxText:
			out.Refused[d.Path] = fmt.Sprintf("longer than %d KiB", organisation.MaxText>>10)
		case why != "":
			out.Refused[d.Path] = why
		default:
			put = append(put, d)
		}
	}
	return out, g.o.Store.Write(ctx, t.Repository, put, nil)
}
