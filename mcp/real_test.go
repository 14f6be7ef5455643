//lint:file-ignore SA1019 sampling is deprecated in 2026-07-28; the clients in use speak older protocols and offer it

package mcp

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/remote"
)

// A client answers by a real model: `./test models` names its server. What so small a model says is not looked at, but
// that it was asked in a form that it takes, and that either its answer or the passages come.
func TestRealSampling(t *testing.T) {
	endpoint := os.Getenv("BRV_MODEL_ENDPOINT")
	if endpoint == "" {
		t.Skip("BRV_MODEL_ENDPOINT is not set: ./test models")
	}
	m, err := remote.New(remote.Options{Protocol: remote.OpenAI, Endpoint: endpoint, Model: "smol", Patience: 3 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := folder(t, "model.txtar")
	var said llm.Response
	c := dialOld(t, Options{Root: dir, Trust: trusted, Config: userSettings(t,
		`{"model": {"provider": "editor", "contextTokens": 2048, "patienceSeconds": 180}}`)}, &sdk.ClientOptions{
		CreateMessageHandler: func(ctx context.Context, r *sdk.CreateMessageRequest) (_ *sdk.CreateMessageResult, err error) {
			ask := llm.Request{System: r.Params.SystemPrompt, MaxTokens: int(r.Params.MaxTokens)}
			for _, one := range r.Params.Messages {
				ask.Messages = append(ask.Messages, llm.Message{Role: llm.Role(one.Role), Text: one.Content.(*sdk.TextContent).Text})
			}
			if said, err = m.Complete(ctx, ask); err != nil {
				return nil, err
			}
			return &sdk.CreateMessageResult{Role: "assistant", Model: m.Name(), Content: &sdk.TextContent{Text: said.Text}}, nil
		},
	})
	text, tier := asks(t, c, onceQuestion)
	t.Logf("tier %d, it said %q", tier, said.Text)
	if said.Text == "" || !strings.Contains(text, "three attempts") || tier != 3 && !strings.Contains(text, "is not shown") {
		t.Error(fmt.Sprint(tier), text)
	}
}
