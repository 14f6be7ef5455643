package remote

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/brv-lsp/brv-lsp/llm"
)

// chat is OpenAI's chat completions protocol, by its reference and those of Ollama, vLLM, LM Studio, llama.cpp and
// OpenRouter.
type chat struct{}

type chatRequest struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Tools               []chatTool    `json:"tools,omitempty"`
	ToolChoice          string        `json:"tool_choice,omitempty"`
	ResponseFormat      *chatFormat   `json:"response_format,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	Temperature         *float64      `json:"temperature,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       *chatOptions  `json:"stream_options,omitempty"`
}

type chatOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role      llm.Role       `json:"role"`
	Content   string         `json:"content"` // never null, which some servers refuse next to calls
	Calls     []chatToolCall `json:"tool_calls,omitempty"`
	ForCallID string         `json:"tool_call_id,omitempty"`
}

type chatToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	} `json:"function"`
}

type chatFormat struct {
	Type   string          `json:"type"`
	Schema *chatSchema     `json:"json_schema,omitempty"`
	Object json.RawMessage `json:"schema,omitempty"`
}

type chatSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

func (chat) header(http.Header) {}

func (chat) request(model string, r llm.Request, h habits) (string, []byte, error) {
	q := chatRequest{Model: model, Stream: !h.noStream}
	system := r.System
	if r.Schema != nil && h.schema == formPrompt {
		system = inWords(system, r.Schema)
	} else if r.Schema != nil && h.schema == formObject {
		q.ResponseFormat = &chatFormat{Type: "json_object", Object: r.Schema.JSON}
	} else if r.Schema != nil {
		q.ResponseFormat = &chatFormat{Type: "json_schema", Schema: &chatSchema{r.Schema.Name, r.Schema.JSON, h.schema == formStrict}}
	}
	if system != "" {
		q.Messages = append(q.Messages, chatMessage{Role: "system", Content: system})
	}
	for _, m := range r.Messages {
		q.Messages = append(q.Messages, chatMessages(m)...)
	}
	for _, t := range r.Tools {
		tool := chatTool{Type: "function"}
		tool.Function.Name, tool.Function.Description, tool.Function.Parameters = t.Name, t.Description, t.Parameters
		q.Tools = append(q.Tools, tool)
	}
	if r.NoCalls && len(r.Tools) > 0 && !h.noChoice {
		q.ToolChoice = "none"
	}
	if h.newTokens {
		q.MaxCompletionTokens = r.MaxTokens
	} else {
		q.MaxTokens = r.MaxTokens
	}
	if !h.noTemperature {
		q.Temperature = &r.Temperature
	}
	if !h.noUsage && q.Stream {
		q.StreamOptions = &chatOptions{true}
	}
	body, err := encode(q)
	return "/chat/completions", body, err
}

// chatMessages converts one message of a conversation. Each tool result becomes a message of its own.
func chatMessages(m llm.Message) (out []chatMessage) {
	for _, r := range m.Results {
		out = append(out, chatMessage{Role: llm.RoleTool, Content: r.Text, ForCallID: r.ID})
	}
	said := chatMessage{Role: m.Role, Content: m.Text}
	for _, c := range m.Calls {
		said.Calls = append(said.Calls, chatToolCall{c.ID, "function", chatFunction{c.Tool, string(object(c.Arguments))}})
	}
	if m.Role == llm.RoleTool {
		said.Role = llm.RoleUser
	}
	if said.Content != "" || len(said.Calls) > 0 {
		out = append(out, said)
	}
	return out
}

// chatAnswer is a whole answer, or a piece of one.
type chatAnswer struct {
	Choices []struct {
		Index   int       `json:"index"`
		Message *chatSaid `json:"message"`
		Delta   *chatSaid `json:"delta"`
		Reason  string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Input  int `json:"prompt_tokens"`
		Output int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatSaid struct {
	Content json.RawMessage `json:"content"` // a string, or a list of parts
	Refusal string          `json:"refusal"`
	// Thoughts are not part of an answer, but show that one is coming. Servers use different names.
	Thought  json.RawMessage `json:"reasoning_content"` // DeepSeek, llama.cpp
	Thought2 json.RawMessage `json:"reasoning"`         // OpenRouter, Ollama, vLLM
	Calls    []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"` // a string, or the object itself
		} `json:"function"`
	} `json:"tool_calls"`
}

func (c chat) whole(text []byte, a *answer) *Error {
	a.ended = true
	_, fault := c.event(text, a)
	return fault
}

func (chat) event(data []byte, a *answer) (bool, *Error) {
	if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
		a.ended, a.streamed = true, true
		return true, nil
	}
	var piece chatAnswer
	if json.Unmarshal(data, &piece) != nil {
		return false, notUnderstood(data)
	}
	if len(piece.Error) > 0 && string(piece.Error) != "null" {
		return false, failed(data)
	}
	if u := piece.Usage; u != nil {
		a.usage = llm.Usage{Input: u.Input, Output: u.Output}
	}
	for _, choice := range piece.Choices {
		if choice.Index != 0 {
			continue
		}
		a.began = true
		for _, said := range []*chatSaid{choice.Message, choice.Delta} {
			if said != nil && !a.hear(said) {
				return false, notUnderstood(data)
			}
		}
		if choice.Reason != "" {
			a.reason = choice.Reason
		}
	}
	return false, nil
}

// hear adds a piece. It returns false if the piece has an unknown form.
func (a *answer) hear(said *chatSaid) bool {
	text, ok := contentOf(said.Content)
	a.say(text)
	a.refusal += said.Refusal
	a.received += len(said.Refusal) + max(lengthOf(said.Thought), lengthOf(said.Thought2)) // some servers send both
	for _, c := range said.Calls {
		arguments := string(c.Function.Arguments)
		if strings.HasPrefix(arguments, `"`) {
			_ = json.Unmarshal(c.Function.Arguments, &arguments) // it is part of valid JSON
		} else if arguments == "null" {
			arguments = ""
		}
		a.received += a.calls.add(c.Index, c.ID, c.Function.Name, arguments)
	}
	return ok
}

// lengthOf returns the length of a JSON string, 0 for other values.
func lengthOf(raw json.RawMessage) int {
	var text string
	if len(raw) > 0 && json.Unmarshal(raw, &text) != nil {
		return 0
	}
	return len(text)
}

// contentOf returns the text of a message: a string, or the texts among its parts.
func contentOf(content json.RawMessage) (text string, ok bool) {
	if len(content) == 0 || json.Unmarshal(content, &text) == nil { // null counts as empty too
		return text, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", false
	}
	for _, p := range parts {
		if p.Type == "text" {
			text += p.Text
		}
	}
	return text, true
}
