package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *server) addPrompts() {
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "recall", Title: "Recall what the team knows", Description: "Answers a question from the context tree, with sources",
		Arguments: []*sdk.PromptArgument{{Name: "question", Required: true}},
	}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		question := r.Params.Arguments["question"]
		if strings.TrimSpace(question) == "" || len(question) > maxText {
			return nil, invalid(fmt.Sprintf("arguments: question is required, a text of 1 to %d bytes", maxText))
		}
		return promptResult("Answer from the context tree, naming the entries you use: " + question +
			"\nCall brv_query first. If it says that the tree does not cover the question, say that."), nil
	})
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "curate-session", Title: "Keep what this session taught",
		Description: "Proposes entries for what was learned in this conversation",
	}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return promptResult(
			"List what we learned in this conversation that a colleague would need: rules, decisions with reasons, pitfalls. " +
				"Leave out what the code already says. For each, check with brv_search whether an entry already has it. Then propose them " +
				"with brv_curate, UPDATE where an entry exists, else ADD, naming the files it is about. Tell me the number of the " +
				"review."), nil
	})
}

func promptResult(text string) *sdk.GetPromptResult {
	return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
}
