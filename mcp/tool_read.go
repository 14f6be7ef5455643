package mcp

import (
	"context"
	"fmt"

	"github.com/brv-lsp/brv-lsp/workspace/consult"
)

var readTool = tool{
	name: "brv_read", title: "Read entries and files", lists: true,
	about: "Texts of files and entries whose paths you know. Not for searching.",
	params: []param{
		{name: "paths", kind: kindTexts, required: true, max: consult.MaxRead,
			about: "Lines as in src/a.go:10-40"},
		maxTokens,
	},
	run: readTexts,
}

// readWords is the server's sentence above texts.
const readWords = "Each text follows its number and source.\n"

func readTexts(ctx context.Context, c *call) (answer, error) {
	budget := c.most - around(c.counter, readWords)
	r, err := consult.Read(ctx, c.view, consult.ReadRequest{Paths: c.texts("paths"), BudgetTokens: budget,
		Tokenizer: c.text("tokenizer")})
	if err != nil {
		return answer{}, err
	}
	parts := struct {
		size
		Sources []source `json:"sources"`
	}{size{r.Tokens, r.Budget}, []source{}}
	failed := 0
	for _, i := range r.Items {
		s := source{Path: i.Path, Reason: i.Error}
		if i.Error != "" {
			failed++
		} else if i.Lines != [2]int{} {
			s.Lines = &i.Lines
		}
		if i.Cut {
			s.Reason = "cut: the budget is used up"
		}
		parts.Sources = append(parts.Sources, s)
	}
	if failed == len(r.Items) {
		return answer{}, fmt.Errorf("paths: %s", joined(r.Items))
	}
	return answer{words: readWords, data: r.Text, parts: parts}, nil
}

// joined returns the errors of all items.
func joined(items []consult.ReadItem) (text string) {
	for _, i := range items {
		text += "\n" + i.Error
	}
	return text[1:]
}
