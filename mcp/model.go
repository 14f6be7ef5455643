//lint:file-ignore SA1019 sampling is deprecated in 2026-07-28; the clients in use speak older protocols and offer it

package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// samplingPatience is the least time that a client is given for an answer of its model: the
// answer comes at once, and its user may be asked first. It is that of one question of the ladder.
const samplingPatience = 30 * time.Second

// samplingTokens bounds an answer where the request does not: the protocol needs a number. It
// is that of the paper's longest answer, section 4.2.
const samplingTokens = 2048

// maxSampled bounds what a client's model may say at once, in bytes of texts and arguments.
const maxSampled = 1 << 20

// setModel gives the folder the model that the settings name: one behind an address, or where
// that is `editor` the client's own, by sampling, if it announced that.
func (s *server) setModel(ws *workspace.Workspace, client *sdk.ServerSession, all settings.Settings) {
	trusted, _ := ws.Trusted()
	p := provider.Program{Getenv: s.getenv, Dir: s.opts.Config, Now: s.now, Log: s.opts.Log,
		Own:  func(c provider.Choice) (llm.Model, error) { return newSampling(client, c.Name, all.Model, s.now) },
		Tell: func(what string, why error) { s.opts.Log.Warn(what, "err", why) }}
	p.Find(all, trusted)(ws)
}

func (s *server) getenv(name string) string {
	if s.opts.Getenv == nil {
		return ""
	}
	return s.opts.Getenv(name)
}

// sampling is the client's own model. What it says is not trusted.
type sampling struct {
	ask func(context.Context, *sdk.CreateMessageWithToolsParams) (*sdk.CreateMessageWithToolsResult, error) // of the session
	// the name that the settings ask for, "" for any
	wanted string
	// the client announced that it can tell its model of tools
	tools    bool
	patience time.Duration
	name     atomic.Pointer[string] // the model's name
}

// newSampling is the model of a client that announced one and may be asked for it.
func newSampling(client *sdk.ServerSession, name string, now settings.Model, clock func() time.Time) (llm.Model, error) {
	if client == nil {
		return nil, errors.New("brv.model.provider is editor, and a server of many clients asks none of them; name another provider")
	}
	p := client.InitializeParams()
	switch {
	case p == nil || p.Capabilities == nil || p.Capabilities.Sampling == nil:
		return nil, errors.New("brv.model.provider is editor, and this client offers no model (sampling); name another provider")
	case p.ProtocolVersion >= stateless20260728:
		return nil, errors.New("brv.model.provider is editor, and the protocol " + p.ProtocolVersion +
			" lets a server ask no client for its model; name another provider")
	}
	m := &sampling{ask: client.CreateMessageWithTools, wanted: name, tools: p.Capabilities.Sampling.Tools != nil,
		patience: max(samplingPatience, time.Duration(now.PatienceSeconds)*time.Second)}
	return llm.WithBreaker(m, clock, now.ContextTokens), nil
}

// stateless20260728 is the protocol from which on a server asks nothing of a client by itself.
const stateless20260728 = "2026-07-28"

// Name is the model's name as the client said it last, else the one that was asked for.
func (m *sampling) Name() string {
	if said := m.name.Load(); said != nil {
		return *said
	}
	return cmp.Or(m.wanted, "the client's model")
}

// Patience is how long it may say nothing.
func (m *sampling) Patience() time.Duration { return m.patience }

// Tools reports whether it can be told of tools.
func (m *sampling) Tools() bool { return m.tools }

// errNoTools says that a question cannot be put to a client's model.
var errNoTools = errors.New("this client's model cannot be told of tools (sampling.tools): the question needs them")

// Complete asks the client. Without sampling.tools a conversation with tools cannot be had.
func (m *sampling) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if len(r.Tools) > 0 && !m.tools {
		return llm.Response{}, errNoTools
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.patience, llm.TimedOut("the client's model", m.patience))
	defer cancel()
	said, err := m.ask(ctx, m.params(r))
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	if err != nil {
		return llm.Response{}, fmt.Errorf("the client's model: %s", sanitize.Line(err.Error(), 300))
	}
	if name := sanitize.Line(said.Model, 100); name != "" {
		m.name.Store(&name)
	}
	return readSampled(said, r)
}

// readSampled reads what the client's model said.
func readSampled(said *sdk.CreateMessageWithToolsResult, r llm.Request) (out llm.Response, err error) {
	size := 0
	for _, c := range said.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			size += len(c.Text)
			out.Text += c.Text
		case *sdk.ToolUseContent:
			arguments, err := json.Marshal(c.Input)
			if err != nil {
				return out, fmt.Errorf("the client's model: %w", err)
			}
			size += len(arguments)
			out.Calls = append(out.Calls, llm.Call{ID: c.ID, Tool: c.Name, Arguments: arguments})
		}
	}
	out.Text, out.Cut = strings.ToValidUTF8(out.Text, "\ufffd"), said.StopReason == "maxTokens"
	switch {
	case size > maxSampled:
		return llm.Response{}, fmt.Errorf("the client's model said %d bytes; at most %d are read", size, maxSampled)
	case strings.TrimSpace(out.Text) == "" && len(out.Calls) == 0:
		return llm.Response{}, errors.New("the client's model said neither text nor calls")
	}
	if r.Stream != nil && out.Text != "" {
		r.Stream(out.Text)
	}
	return out, nil
}

// params are the request's, as the protocol has them.
func (m *sampling) params(r llm.Request) *sdk.CreateMessageWithToolsParams {
	p := &sdk.CreateMessageWithToolsParams{
		SystemPrompt: r.System, MaxTokens: int64(cmp.Or(r.MaxTokens, samplingTokens)), Temperature: r.Temperature,
		Messages: []*sdk.SamplingMessageV2{},
	}
	if m.wanted != "" {
		p.ModelPreferences = &sdk.ModelPreferences{Hints: []*sdk.ModelHint{{Name: m.wanted}}}
	}
	if r.Schema != nil { // sampling knows none
		p.SystemPrompt = strings.TrimLeft(p.SystemPrompt+"\n\n", "\n") +
			"Answer with one JSON value of this JSON Schema, and nothing else:\n" + string(r.Schema.JSON)
	}
	for _, t := range r.Tools {
		p.Tools = append(p.Tools, &sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Parameters})
	}
	if len(p.Tools) > 0 && r.NoCalls {
		p.ToolChoice = &sdk.ToolChoice{Mode: "none"}
	}
	for _, message := range r.Messages {
		if content := contentOf(message); len(content) > 0 {
			p.Messages = append(p.Messages, &sdk.SamplingMessageV2{Role: roleOf(message.Role), Content: content})
		}
	}
	return p
}

// roleOf is a role in the protocol, where results of tools are the user's.
func roleOf(r llm.Role) sdk.Role {
	if r == llm.RoleAssistant {
		return "assistant"
	}
	return "user"
}

// contentOf returns the content of a message. Results stand alone: the protocol allows nothing beside
// them.
func contentOf(m llm.Message) (out []sdk.Content) {
	for _, r := range m.Results {
		out = append(out, &sdk.ToolResultContent{ToolUseID: r.ID, Content: []sdk.Content{&sdk.TextContent{Text: r.Text}},
			IsError: r.IsError})
	}
	if len(out) > 0 {
		return out
	}
	if m.Text != "" {
		out = append(out, &sdk.TextContent{Text: m.Text})
	}
	for _, c := range m.Calls {
		out = append(out, &sdk.ToolUseContent{ID: c.ID, Name: c.Tool, Input: object(c.Arguments)})
	}
	return out
}

// object returns the arguments that a model wrote, where they are an object.
func object(raw json.RawMessage) (members map[string]any) {
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&members) != nil {
		return map[string]any{}
	}
	return members
}
