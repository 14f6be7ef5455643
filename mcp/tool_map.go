package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// Limits of a map.
const (
	showOutline    = "outline"
	showSymbols    = "symbols"
	showDependents = "dependents"
	showImpact     = "impact"
)

var mapTool = tool{
	name: "brv_repo_map", title: "Map of the code", lists: true, budget: codemap.DefaultOutline,
	about: "How this project's code hangs together, instead of grep: its outline; where symbols are defined; dependents of a file or " +
		"symbol; the impact of changing, renaming or removing it. Not for what code does (brv_context).",
	params: []param{
		{name: "show", kind: kindChoice, choices: []string{showOutline, showSymbols, showDependents, showImpact}},
		{name: "symbol", kind: kindText, max: 200, about: "Name, part of one, Type.method"},
		{name: "file", kind: kindText, max: 1000},
		{name: "task", kind: kindText, about: "Of the outline"},
		{name: "max_tokens", kind: kindNumber, min: leastTokens, max: mostTokens, about: "Default 2000"},
	},
	run: mapCode,
}

func mapCode(ctx context.Context, c *call) (answer, error) {
	show := showOutline
	if c.text("symbol") != "" && c.text("task") == "" {
		show = showSymbols
	}
	if show = cmp.Or(c.text("show"), show); show != showOutline {
		if c.text("task") != "" {
			return answer{}, errors.New("task: allowed only with show: outline; give a symbol or a file")
		}
		if show == showSymbols {
			return findSymbols(ctx, c)
		}
		return neighbours(ctx, c, show == showImpact)
	}
	if c.text("symbol") != "" {
		return answer{}, errors.New("symbol: allowed only with show: symbols, dependents or impact")
	}
	const line = "%s of code, %s.\n"
	req := codemap.MapRequest{Task: c.text("task"), Limit: 10, BudgetTokens: c.most - around(c.counter,
		fmt.Sprintf(line, words.Counted(1_000_000, "file", "files"), "most important first")+noted(codemap.WithoutSyntax()))}
	if file := c.text("file"); file != "" {
		p, err := locate.Locate(c.view, file)
		if err != nil {
			return answer{}, fmt.Errorf("file: %w", err)
		}
		req.Path = p
	}
	r, err := codemap.Map(ctx, c.view, req)
	if err != nil {
		return answer{}, err
	}
	parts := struct {
		size
		Files   int      `json:"files"`
		Pending int      `json:"pending,omitempty"`
		Sources []source `json:"sources"`
	}{size{r.OutlineTokens, r.BudgetTokens}, r.Files, r.Pending, []source{}}
	for _, f := range r.Ranked {
		parts.Sources = append(parts.Sources, source{Path: f.Path, Score: rounded(f.Score), Reason: sanitize.Line(f.Reason, 120)})
	}
	if r.Files == 0 {
		return answer{words: "This folder has no code in a supported language.\n" + noted(r.Note), parts: parts}, nil
	}
	order := "most important first"
	if req.Task != "" || req.Path != "" {
		order = "most relevant first"
	}
	return answer{words: fmt.Sprintf(line, words.Counted(r.Files, "file", "files"), order) + noted(r.Note), data: r.Outline, parts: parts}, nil
}
