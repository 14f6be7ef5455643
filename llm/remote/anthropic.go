package remote

import (
	"encoding/json"
	"net/http"

	"github.com/brv-lsp/brv-lsp/llm"
)

// messages is Anthropic's messages protocol, by its reference.
type messages struct{}

const (
	anthropicVersion = "2023-06-01" // still the only one
	anthropicTokens  = 4096         // for an answer without a limit, since the protocol requires one; every model supports it
)

type messagesRequest struct {
	Model       string          `json:"model"`
	System      string          `json:"system,omitempty"`
	Messages    []messagesTurn  `json:"messages"`
	Tools       []messagesTool  `json:"tools,omitempty"`
	ToolChoice  *messagesChoice `json:"tool_choice,omitempty"`
	MaxTokens   int             `json:"max_tokens"`
	Temperature *float64        `json:"temperature,omitempty"`
	Stream      bool            `json:"stream"`
}

type messagesTurn struct {
	Role    llm.Role       `json:"role"`
	Content messagesBlocks `json:"content"`
}

// messagesBlocks are the parts of a message. A single text is sent as a string, which means the same to Anthropic.
// Proxies pass a list on to servers whose templates accept only texts.
type messagesBlocks []messagesBlock

// MarshalJSON writes a list, or the only text as a string.
func (b messagesBlocks) MarshalJSON() ([]byte, error) {
	if len(b) == 1 && b[0].Type == "text" {
		return encode(b[0].Text)
	}
	return encode([]messagesBlock(b))
}

// messagesBlock is a part of a message. Its type determines which fields count.
type messagesBlock struct {
	Type string `json:"type"`

	Text string `json:"text,omitempty"`

	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`

	ForCallID string `json:"tool_use_id,omitempty"`
	Content   string `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitempty"`
}

type messagesTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
}

type messagesChoice struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
}

func (messages) header(h http.Header) { h.Set("Anthropic-Version", anthropicVersion) }

func (messages) request(model string, r llm.Request, h habits) (string, []byte, error) {
	q := messagesRequest{Model: model, System: r.System, MaxTokens: r.MaxTokens, Stream: true}
	if q.MaxTokens == 0 {
		q.MaxTokens = anthropicTokens
	}
	if !h.noTemperature {
		q.Temperature = &r.Temperature
	}
	for _, m := range r.Messages {
		q.add(m)
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, messagesTool{t.Name, t.Description, object(t.Parameters)})
	}
	switch {
	case r.Schema != nil && h.schema >= formObject:
		q.System = inWords(r.System, r.Schema)
	case r.Schema != nil:
		q.Tools = append(q.Tools, messagesTool{schemaTool + r.Schema.Name, "Takes your answer.", r.Schema.JSON})
		q.ToolChoice = &messagesChoice{"tool", schemaTool + r.Schema.Name}
	case r.NoCalls && len(r.Tools) > 0 && !h.noChoice:
		q.ToolChoice = &messagesChoice{Type: "none"}
	}
	body, err := encode(q)
	return "/messages", body, err
}

// schemaTool begins the name of the tool whose call is a structured answer.
const schemaTool = "answer_"

// add appends a message. Results of tools and the user's next message are one turn, results first, as the
// protocol requires; a turn without content is dropped.
func (q *messagesRequest) add(m llm.Message) {
	var blocks []messagesBlock
	for _, r := range m.Results {
		blocks = append(blocks, messagesBlock{Type: "tool_result", ForCallID: r.ID, Content: r.Text, IsError: r.IsError})
	}
	if m.Text != "" {
		blocks = append(blocks, messagesBlock{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		blocks = append(blocks, messagesBlock{Type: "tool_use", ID: c.ID, Name: c.Tool, Input: object(c.Arguments)})
	}
	role := m.Role
	if role == llm.RoleTool {
		role = llm.RoleUser
	}
	if n := len(q.Messages); n > 0 && q.Messages[n-1].Role == role {
		q.Messages[n-1].Content = append(q.Messages[n-1].Content, blocks...)
	} else if len(blocks) > 0 {
		q.Messages = append(q.Messages, messagesTurn{role, blocks})
	}
}

type messagesUsage struct {
	Input   int `json:"input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

type messagesAnswer struct {
	Type    string          `json:"type"`
	Content []messagesPart  `json:"content"`
	Reason  string          `json:"stop_reason"`
	Usage   *messagesUsage  `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// messagesPart is a block of an answer. Its type decides which fields count; blocks of other types, such as
// thoughts, are skipped.
type messagesPart struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// messagesEvent is one event of a stream.
type messagesEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *messagesAnswer `json:"message"`
	Block   messagesPart    `json:"content_block"`
	Delta   struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		JSON    string `json:"partial_json"`
		Thought string `json:"thinking"`
		Reason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *messagesUsage `json:"usage"`
}

func (messages) whole(text []byte, a *answer) *Error {
	var said messagesAnswer
	switch err := json.Unmarshal(text, &said); {
	case err != nil:
		return notUnderstood(text)
	case said.Type == "error" || len(said.Error) > 0:
		return failed(text)
	case said.Type != "message":
		return notUnderstood(text)
	}
	a.began, a.ended = true, true
	a.count(said.Usage)
	for i, p := range said.Content {
		a.open(i, p)
		if p.Type == "tool_use" {
			a.argue(i, string(p.Input))
		}
	}
	a.stop(said.Reason)
	return nil
}

func (messages) event(data []byte, a *answer) (bool, *Error) {
	var e messagesEvent
	if json.Unmarshal(data, &e) != nil {
		return false, notUnderstood(data)
	}
	switch e.Type {
	case "error":
		return false, failed(data)
	case "message_stop":
		a.ended = true
		return true, nil
	case "message_start":
		a.began = true
		if e.Message != nil {
			a.count(e.Message.Usage)
		}
	case "content_block_start":
		a.began = true
		a.open(e.Index, e.Block)
	case "content_block_delta":
		switch e.Delta.Type {
		case "text_delta":
			a.say(e.Delta.Text)
		case "input_json_delta":
			a.argue(e.Index, e.Delta.JSON)
		case "thinking_delta":
			a.received += len(e.Delta.Thought)
		}
	case "message_delta":
		a.count(e.Usage)
		a.stop(e.Delta.Reason)
	}
	return false, nil
}

// open begins a block.
func (a *answer) open(index int, p messagesPart) {
	switch p.Type {
	case "text":
		a.say(p.Text)
	case "tool_use":
		if p.Name == a.tool {
			a.toolAt = index + 1
		} else {
			a.received += a.calls.add(&index, p.ID, p.Name, "")
		}
	}
}

// argue adds a piece of a call's arguments.
func (a *answer) argue(index int, piece string) {
	if a.toolAt == index+1 {
		a.say(piece)
	} else if _, known := a.calls.at[index]; known {
		a.received += a.calls.add(&index, "", "", piece)
	}
}

// stop records why the answer ended, in OpenAI's words.
func (a *answer) stop(reason string) {
	if own, ok := map[string]string{"max_tokens": "length", "model_context_window_exceeded": "length",
		"refusal": "content_filter"}[reason]; ok {
		reason = own
	}
	if reason != "" {
		a.reason = reason
	}
}

// count records the number of tokens. Cached tokens count as read.
func (a *answer) count(u *messagesUsage) {
	if u == nil {
		return
	}
	if in := u.Input + u.Written + u.Cached; in > 0 {
		a.usage.Input = in
	}
	if u.Output > 0 {
		a.usage.Output = u.Output
	}
}
