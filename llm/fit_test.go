package llm_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
)

// What a conversation took until it became too long was taken, too.
func TestFittedCountsWhatWasTooLong(t *testing.T) {
	look := llm.NewTool("look", "Looks.", func(_ context.Context, _ struct{}) (string, error) { return "Nothing.", nil })
	m := llmtest.New(t,
		llmtest.Turn{Say: llm.Response{Calls: []llm.Call{{Tool: "look", Arguments: []byte(`{}`)}}, Usage: llm.Usage{Input: 100, Output: 10}}},
		llmtest.Turn{Err: fmt.Errorf("120 tokens are %w", llm.ErrTooLong)},
		llmtest.Turn{Say: llm.Response{Text: "Done.", Usage: llm.Usage{Input: 70, Output: 5}}})
	out, err := llm.Fitted(t.Context(), m, llm.Limits{}, func(int) (llm.Request, error) {
		return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "Look."}}, Tools: []llm.Tool{look}}, nil
	})
	if err != nil || out.Text != "Done." || out.Usage != (llm.Usage{Input: 170, Output: 15}) {
		t.Errorf("%+v %v", out, err)
	}
}
