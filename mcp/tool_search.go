package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

var searchTool = tool{
	name: "brv_search", title: "Search the context tree", lists: true, budget: 4_000,
	about: "Lists what the team wrote on a subject: entries with the lines that match. Not for code, nor for an answer (brv_query).",
	params: []param{
		{name: "query", kind: kindText, required: true},
		scope,
		{name: "limit", kind: kindNumber, min: 1, max: consult.MaxSources, about: "Default 8"},
	},
	run: search,
}

func search(ctx context.Context, c *call) (answer, error) {
	r, err := consult.Search(ctx, c.view, consult.QueryRequest{Text: c.text("query"), Scope: c.text("scope"),
		Limit: c.number("limit", 0)})
	if err != nil {
		return answer{}, err
	}
	parts := struct {
		OutOfDomain bool     `json:"outOfDomain,omitempty"`
		Sources     []source `json:"sources"`
	}{r.OutOfDomain, found(r.Hits)}
	a := answer{parts: parts, words: words.Counted(len(r.Hits), "result", "results") + ", best first.\n"}
	if len(r.Hits) == 0 {
		a.words = "No entry contains these words. Try other words, or brv_context for the code.\n"
	} else if r.OutOfDomain {
		a.words += "The results lack the distinctive words of the question: it may not be covered.\n"
	}
	for _, remark := range []string{r.Note, r.Why} {
		if remark != "" {
			a.words += sanitize.Line(remark, 300) + "\n"
		}
	}
	var b strings.Builder
	for n, h := range r.Hits {
		fmt.Fprintf(&b, "[%d] %s:%d %s (%.2f)\n%s", n+1, sanitize.Line(h.FilePath, 400), h.Line, sanitize.Line(h.Title, 200), h.Score,
			snippet(consult.Passage(ctx, c.view, h)))
		for _, m := range h.Marks {
			fmt.Fprintf(&b, "    ! %s\n", m)
		}
	}
	a.data = b.String() + provider.ElsewhereText(r.Elsewhere)
	return a, nil
}

// Limits for showing a hit.
const (
	snippetLines = 3
	snippetWidth = 200 // bytes
)

// snippet returns the beginning of a passage, indented.
func snippet(passage string) string {
	var b strings.Builder
	left := snippetLines
	for line := range strings.Lines(passage) {
		if line = sanitize.Line(line, snippetWidth); line != "" && left > 0 {
			b.WriteString("    " + line + "\n")
			left--
		}
	}
	return b.String()
}
