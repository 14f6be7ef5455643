package gateway

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// maxPassage bounds the shown passage of an entry, in bytes.
const maxPassage = 1 << 10

// noteLost is the note for an answer in which a part of the store is missing.
const noteLost = "results may be missing: a part of the organisation's store does not answer"

// ask answers a question from the repositories that the person may read. All counts and comparisons are
// limited to them.
func (g *Gateway) ask(ctx context.Context, token string, q organisation.Question) (organisation.Answer, error) {
	out := organisation.Answer{Hits: []organisation.Hit{}}
	all, err := g.look(ctx, false)
	all = maps.Clone(all)
	if err != nil {
		return out, err
	}
	who, may, err := g.rights.reader(ctx, token, all)
	switch {
	case errors.Is(err, errToken):
		return out, refuse(http.StatusUnauthorized, err)
	case err != nil:
		out.Note = errUnknown.Error()
		return out, nil
	case !g.within(who):
		return out, refuse(http.StatusTooManyRequests, errors.New("too many questions in one minute; try again later"))
	case len(q.Text) > organisation.MaxQuestion || strings.TrimSpace(q.Text) == "":
		return out, refuse(http.StatusBadRequest, errors.New("the question is empty or longer than 8 KiB"))
	}
	c := retrieval.Collection{Count: func(ctx context.Context, groups [][]string) ([]int, error) {
		return g.o.Store.Count(ctx, may, groups)
	}}
	for _, name := range may {
		c.Add(all[name].Lengths, 1)
	}
	terms := retrieval.Terms(q.Text)
	if c.Entries == 0 || len(terms) == 0 {
		return out, nil
	}
	of, entries, partial, err := g.candidates(ctx, all, may, terms)
	if err != nil {
		return out, err
	}
	if partial {
		out.Note = noteLost
	}
	if len(entries) == 0 {
		return out, nil
	}
	r, err := c.Rank(ctx, entries, retrieval.Query{Text: q.Text, Limit: organisation.MaxHits, Now: g.o.Now()})
	if err != nil || r.OutOfDomain {
		return out, err
	}
	a, err := g.rights.access()
	if err != nil {
		return out, err
	}
	for _, h := range r.Hits {
		d := of[h.Path]
		if q.Limit > 0 && len(out.Hits) == q.Limit {
			break
		}
		m := all[d.Repository]
		out.Hits = append(out.Hits, organisation.Hit{
			Repository: d.Repository, Path: d.Path, Title: sanitize.Line(h.Title, 200), Passage: passage(d.Text, h.Passage),
			Score: h.Score, Link: link(a.Link, m, d.Path), Pushed: m.Pushed,
		})
	}
	return out, nil
}

// candidates finds entries of the manifests, by path. Documents that no manifest names belong to a push that
// is running or has just ended: then the manifests are read again, and more candidates are requested.
func (g *Gateway) candidates(ctx context.Context, all map[string]*organisation.Manifest, may []string, terms []retrieval.Term) (
	of map[string]organisation.Document, entries []*format.Entry, partial bool, err error) {
	for most := organisation.Candidates; ; most *= 2 {
		var found []organisation.Document
		if found, partial, err = g.o.Store.Find(ctx, may, terms, most); err != nil {
			return nil, nil, false, err
		}
		of, entries = map[string]organisation.Document{}, nil
		strange := false
		for _, d := range found[:min(len(found), most)] {
			if _, permitted := slices.BinarySearch(may, d.Repository); !permitted { // by a store that cannot be trusted
				continue
			}
			if m := all[d.Repository]; m == nil || !m.Holds(d) {
				strange = true
				continue
			}
			e := d.Entry()
			if _, twice := of[e.Path]; !twice && len(entries) < organisation.Candidates {
				of[e.Path], entries = d, append(entries, e)
			}
		}
		if !strange || most > organisation.Candidates {
			return of, entries, partial, nil
		}
		now, err := g.look(ctx, true)
		if err != nil {
			return nil, nil, false, err
		}
		maps.Copy(all, now)
	}
}

func passage(text string, at markdown.Span) string {
	if at.Start > at.End || at.End > len(text) {
		return ""
	}
	return sanitize.Cut(secrets.Redact(at.Of(text)), maxPassage)
}

// link is the address of an entry at the commit that was pushed.
func link(template string, m *organisation.Manifest, p string) string {
	escape := func(p string) string {
		parts := strings.Split(p, "/")
		for i := range parts {
			parts[i] = url.PathEscape(parts[i])
		}
		return strings.Join(parts, "/")
	}
	return strings.NewReplacer("{repository}", escape(m.Repository), "{commit}", m.Commit,
		"{path}", escape(".brv/"+tree.Dir+"/"+p)).Replace(template)
}

// within counts a person's question, and reports whether this minute's limit allows it.
func (g *Gateway) within(who string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if minute := g.o.Now().Truncate(time.Minute); !minute.Equal(g.minute) {
		g.minute, g.asked = minute, map[string]int{}
	}
	g.asked[who]++
	return g.asked[who] <= g.o.Questions
}
