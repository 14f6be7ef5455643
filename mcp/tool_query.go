package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/retrieval"
	"github.com/brv-lsp/brv-lsp/workspace/consult"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

var queryTool = tool{
	name: "brv_query", title: "Ask the context tree", lists: true, budget: 4_000,
	about: "What this project's team decided: which rule or convention holds, and why; or " +
		"that it is not written down. " +
		"Not for how code works (brv_context), nor general knowledge.",
	params: []param{
		{name: "question", kind: kindText, required: true},
		{name: "also", kind: kindTexts, max: consult.MaxPhrasings, about: "Rephrased in likely words"},
		scope,
		{name: "max_tokens", kind: kindNumber, min: leastTokens, max: mostTokens, about: "Default 4000"},
		{name: "tier_max", kind: kindNumber, min: 0, max: retrieval.LastTier, about: "Default 2"},
	},
	run: query,
}

func query(ctx context.Context, c *call) (answer, error) {
	tier := c.number("tier_max", 2)
	r, err := consult.Query(ctx, c.view, consult.QueryRequest{Text: c.text("question"), Also: c.texts("also"), Scope: c.text("scope"),
		TierMax: &tier})
	if err != nil {
		return answer{}, err
	}
	parts := struct {
		Tier        int      `json:"tier"`
		Confidence  float64  `json:"confidence"`
		OutOfDomain bool     `json:"outOfDomain,omitempty"`
		ForReader   bool     `json:"forReader,omitempty"` // passages to reason over, no answer
		Unsure      bool     `json:"unsure,omitempty"`    // they are only what comes nearest
		Sources     []source `json:"sources"`
	}{r.Tier, rounded(r.Confidence), r.OutOfDomain, r.ForReader, r.Unsure, found(r.Sources)}
	a := answer{data: r.Markdown, parts: parts}
	if other := provider.ElsewhereText(r.Elsewhere); other != "" {
		a.data = strings.TrimRight(a.data, "\n") + "\n\n" + other
	}
	switch {
	case r.OutOfDomain:
		a.words = "The context tree does not cover this question. Say so instead of guessing. Look in the code with brv_context, " +
			"and propose what you find with brv_curate.\n"
	case r.Unsure:
		a.words = "Perhaps nothing here answers this question: these passages are the closest. Use one only if it answers the " +
			"question; otherwise say that the question is not covered.\n"
	case r.ForReader:
		a.words = "No direct answer. These passages fit best: use them if they help, and cite them.\n"
	case slices.ContainsFunc(r.Sources, func(s consult.Source) bool { return s.Used && len(s.Marks) > 0 }):
		a.words = "The context tree answers, but the code of these entries has changed: check the code first.\n"
	case r.FromDocument():
		a.words = "A document of this folder answers:\n"
	default:
		a.words = "The context tree answers:\n"
	}
	if r.TokensIn > 0 {
		who := cmp.Or(sanitize.Line(r.Model, 80), "its answer was not used")
		a.words += fmt.Sprintf("Model: %s, %d tokens in, %d out.\n", who, r.TokensIn, r.TokensOut)
	}
	if r.Note != "" {
		a.words += "Note: " + sanitize.Line(r.Note, 300) + "\n"
	}
	return a, nil
}

// found returns the sources of an answer.
func found(list []consult.Source) []source {
	out := []source{}
	for _, s := range list {
		reason := ""
		if s.Used {
			reason = "the answer uses this source"
		} else if s.Via != "" {
			reason = sanitize.Line(s.Via, 120)
		}
		out = append(out, source{Path: s.FilePath, Lines: &[2]int{s.Line, s.Last}, Score: rounded(s.Score), Reason: reason,
			Marks: s.Marks})
	}
	return out
}
