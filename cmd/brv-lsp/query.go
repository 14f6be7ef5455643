package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// shownScore is the least score, a probability, of further sources that are listed below an answer. A search and
// JSON list all.
const shownScore = 0.05

// queryOptions are the command line of query.
type queryOptions struct {
	consult.QueryRequest
	Tier *int `flag:"tier-max"`
}

func query(ctx context.Context, f *flags, o *queryOptions, e env) (answer, error) {
	f.opts.NoGraph = true
	req := &o.QueryRequest
	req.Text, req.TierMax = strings.Join(f.words, " "), o.Tier
	ask := func(ctx context.Context, v *workspace.View, req consult.QueryRequest) (*consult.QueryResponse, error) {
		if f.json || !isTerminal(e.stderr) {
			return consult.Query(ctx, v, req)
		}
		return consult.QueryTelling(ctx, v, req, func(r *consult.QueryResponse) {
			if r.Waiting {
				return // the organisation's answer comes at once
			}
			sayf(e.stderr, "%s\n\nbrv-lsp: asking %s about this; Ctrl-C stops it, and --tier-max 2 answers without a model\n\n",
				passage(strings.TrimSpace(r.Markdown)), provider.StateOf(v.Workspace()))
		})
	}
	return asks(ctx, f, ask, req, queryText)
}

func queryText(r *consult.QueryResponse) (text string, code int) {
	if r.Note != "" {
		text = "Note: " + r.Note + "\n\n"
	}
	text += strings.TrimSpace(r.Markdown) + "\n"
	if r.OutOfDomain {
		code = exitOutOfDomain
	} else if shown := likely(r.Sources); len(shown) > 0 {
		text += "\nFound:\n" + listed(shown)
	}
	if other := provider.ElsewhereText(r.Elsewhere); other != "" {
		text += "\n" + other
	}
	text += textf("\n%s (%.1f ms): %s\n", tierWords(r), r.LatencyMS, r.Why)
	if r.Evidence != "" {
		text += "Is the question covered? " + r.Evidence + "\n"
	}
	return text, code
}

// tierWords explains a tier to the reader.
func tierWords(r *consult.QueryResponse) string {
	switch {
	case r.OutOfDomain:
		return "Not covered"
	case r.Unsure:
		return "Perhaps not covered"
	case r.ForReader:
		return "The closest passages"
	case r.Tier == int(retrieval.TierDirect) && r.FromDocument():
		return "Answered from the documents"
	}
	return cmp.Or(retrieval.Tiers[r.Tier], "Answer of "+cmp.Or(r.Model, "a model"))
}

func search(ctx context.Context, f *flags, req *consult.QueryRequest, _ env) (answer, error) {
	f.opts.NoGraph = true
	req.Text = strings.Join(f.words, " ")
	return asks(ctx, f, consult.Search, req, searchText)
}

func searchText(r *consult.SearchResponse) (text string, code int) {
	if r.Note != "" {
		text = "Note: " + r.Note + "\n"
	}
	text += listed(r.Hits)
	switch {
	case len(r.Hits) == 0:
		text, code = text+"Nothing found.\n", exitOutOfDomain
	case r.OutOfDomain:
		text, code = text+"The tree does not seem to cover this.\n", exitOutOfDomain
	}
	for _, line := range []string{strings.TrimSuffix(provider.ElsewhereText(r.Elsewhere), "\n"), r.Why, r.Evidence} {
		if line != "" {
			text += line + "\n"
		}
	}
	return text, code
}

// likely returns the sources that an answer rests on, and further ones unless they are unlikely.
func likely(sources []consult.Source) []consult.Source {
	var out []consult.Source
	for i, s := range sources {
		if i == 0 || s.Used || s.Score >= shownScore || s.Why != "" {
			out = append(out, s)
		}
	}
	return out
}

// listed returns a line for each source, with its explanation below if there is one.
func listed(sources []consult.Source) string {
	var b strings.Builder
	for _, s := range sources {
		sayf(&b, "  %.2f  %s:%d  %s", s.Score, s.FilePath, s.Line, s.Title)
		if s.Via != "" {
			sayf(&b, "  (%s)", s.Via)
		}
		b.WriteByte('\n')
		for _, m := range s.Marks {
			sayf(&b, "        ! %s\n", m)
		}
		if s.Why != "" {
			sayf(&b, "        %s\n", s.Why)
		}
	}
	return b.String()
}
