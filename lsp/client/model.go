package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/lsp/wire"
)

// Requests to clients that announce support in their initialization options, and notifications from such
// clients.
const (
	// CompleteMethod asks the editor's own model; of clients that say "editorModel": true.
	CompleteMethod = "brv/model/complete"
	// SecretMethod asks for the key of an origin; of clients that say "secrets": true.
	SecretMethod = "brv/secret"
	// SecretChangeMethod is a notification that a key was stored or removed.
	SecretChangeMethod = "brv/didChangeSecret"
)

// editorPatience is the least time for a whole answer of the editor's model: the answer comes at once, so
// there is no first piece that shows it is on its way. It is the time for one question of the ladder.
const editorPatience = 30 * time.Second

// maxModelAnswer bounds what the editor's model may say at once, in bytes as sent.
const maxModelAnswer = 1 << 20

// secretWithin bounds the wait for a key: an editor may ask its user to unlock the store.
const secretWithin = 30 * time.Second

// CompleteParams ask the editor's model, with the whole conversation.
type CompleteParams struct {
	Model    string        `json:"model,omitempty"` // `brv.model.name`, if it is set
	System   string        `json:"system"`
	Messages []llm.Message `json:"messages"`
	Tools    []llm.Tool    `json:"tools"`
	NoCalls  bool          `json:"noCalls"` // the model must answer in text and call no tool
	// the most tokens of the answer; 0: the model decides. VS Code cuts the answer at this length, because it cannot
	// pass the limit on
	MaxTokens   int             `json:"maxTokens"`
	Temperature float64         `json:"temperature"`      // 0 to 1; VS Code ignores it
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema: the answer must be one JSON value of this form
	PatienceMs  int64           `json:"patienceMs"`       // the server cancels the request after this time
}

// CompleteResult is the answer of the editor's model.
type CompleteResult struct {
	Text  string     `json:"text"`
	Calls []llm.Call `json:"calls,omitempty"` // empty: the answer is complete
	Cut   bool       `json:"cut,omitempty"`   // the text was cut at `maxTokens`
	Model string     `json:"model,omitempty"` // the model's name
	Usage modelUsage `json:"usage,omitzero"`
}

// modelUsage counts tokens; 0 if the editor does not know.
type modelUsage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// SecretParams ask for the key of an origin.
type SecretParams struct {
	Origin string `json:"origin"` // scheme, host and port, such as `https://api.example.com`
}

// SecretResult is the key.
type SecretResult struct {
	Key *string `json:"key"` // null if there is none
}

// Model is the editor's own model, of a given name if that is not "". It gets at least the given patience for
// an answer; its answers are not trusted.
func (c *Client) Model(name string, patience time.Duration) llm.Model {
	return &editorModel{c: c, wanted: name, patience: max(editorPatience, patience)}
}

type editorModel struct {
	c        *Client
	wanted   string        // the name that the settings ask for, "" for any
	patience time.Duration // for a whole answer
	name     atomic.Pointer[string]
}

// Name is the model's name as last reported by the editor, or else the requested one.
func (m *editorModel) Name() string {
	if said := m.name.Load(); said != nil {
		return *said
	}
	return cmp.Or(m.wanted, "the editor's model")
}

// Patience is how long it may be silent.
func (m *editorModel) Patience() time.Duration { return m.patience }

// Complete asks the editor. The request is cancelled when ctx ends, and after the model's
// patience.
func (m *editorModel) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer m.c.After(m.patience, func() { cancel(llm.TimedOut("the editor's model", m.patience)) })()
	var raw json.RawMessage
	if err := m.c.request(ctx, CompleteMethod, m.params(r), &raw); err != nil {
		if ctx.Err() != nil {
			return llm.Response{}, context.Cause(ctx)
		}
		return llm.Response{}, fmt.Errorf("the editor's model: %s", sanitize.Line(err.Error(), maxModelError))
	}
	if len(raw) > maxModelAnswer {
		return llm.Response{}, fmt.Errorf("the editor's model sent %d bytes; the limit is %d", len(raw), maxModelAnswer)
	}
	said, err := readCompletion(bytes.Clone(raw))
	if err != nil {
		return llm.Response{}, fmt.Errorf("the editor's answer cannot be read: %s", sanitize.Line(err.Error(), maxModelError))
	}
	if name := sanitize.Line(said.Model, maxModelName); name != "" {
		m.name.Store(&name)
	}
	out := llm.Response{Text: said.Text, Calls: said.Calls, Cut: said.Cut,
		Usage: llm.Usage{Input: max(0, said.Usage.Input), Output: max(0, said.Usage.Output)}}
	if r.Stream != nil && out.Text != "" {
		r.Stream(out.Text)
	}
	return out, nil
}

// readCompletion reads an answer that has a text, or calls.
func readCompletion(raw json.RawMessage) (said CompleteResult, err error) {
	if err := wire.Decode(jsonrpc2.RawMessage(raw), &said); err != nil {
		return said, err
	}
	if strings.TrimSpace(said.Text) == "" && len(said.Calls) == 0 {
		return said, errors.New("it has neither text nor tool calls")
	}
	said.Text = strings.ToValidUTF8(said.Text, "\ufffd")
	return said, nil
}

// maxModelError bounds the quoted part of an error from the editor, in bytes. It is not an error of this
// protocol any more: its code has no meaning for the request that needed the model.
const maxModelError = 300

// maxModelName bounds the name of a model, in bytes.
const maxModelName = 100

// params are the request's, as the protocol has them.
func (m *editorModel) params(r llm.Request) CompleteParams {
	p := CompleteParams{
		Model: m.wanted, System: r.System, Messages: append([]llm.Message{}, r.Messages...), Tools: append([]llm.Tool{}, r.Tools...),
		NoCalls: r.NoCalls, MaxTokens: r.MaxTokens, Temperature: r.Temperature, PatienceMs: m.patience.Milliseconds(),
	}
	if r.Schema != nil {
		p.Schema = r.Schema.JSON
	}
	for i, message := range p.Messages {
		p.Messages[i].Calls = slices.Clone(message.Calls)
		for j, c := range message.Calls {
			p.Messages[i].Calls[j].Arguments = valid(c.Arguments)
		}
	}
	return p
}

// valid makes sure that raw is JSON that a message can contain: invalid JSON becomes a string.
func valid(raw json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}")
	}
	if json.Valid(raw) {
		return raw
	}
	text, _ := json.Marshal(string(raw)) // a string always marshals
	return text
}
