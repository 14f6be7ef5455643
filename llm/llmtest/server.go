package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/llm"
)

// Key is the key that a server wants; a request with none or another gets 401 and no turn.
const Key = "llmtest-key"

// maxAsked bounds the part of a request that a server reads, in bytes: more than llm.Run ever sends.
const maxAsked = 16 << 20

// Server is a scripted model behind an address on this machine. It answers requests for
// …/chat/completions as OpenAI's API and for …/messages as Anthropic's, in pieces where that
// is asked for. A turn that fails is a status 500. It is safe for concurrent use.
type Server struct {
	URL string // ends in /v1; an endpoint for either protocol

	model *Model
	mu    sync.Mutex // guards what follows
	asked []Asked
}

// Asked is a request that reached a server.
type Asked struct {
	Path     string
	Header   http.Header // without the key
	KeyRight bool
	Body     string
	Request  llm.Request // what the body says
}

// Serve starts a server that plays its turns once, as [New] does; it stops when the test
// ends.
func Serve(t testing.TB, turns ...Turn) *Server {
	t.Helper()
	s := &Server{model: New(t, turns...)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// Requests are the requests so far, in order, refused ones too.
func (s *Server) Requests() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var speak wire = &openAI{}
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		speak, key = &anthropic{}, r.Header.Get("X-Api-Key")
	case !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAsked))
	if err != nil {
		return
	}
	asked := Asked{Path: r.URL.Path, Header: r.Header.Clone(), KeyRight: key == Key, Body: string(body)}
	asked.Header.Del("Authorization")
	asked.Header.Del("X-Api-Key")
	err = json.Unmarshal(body, speak)
	if err == nil {
		asked.Request, err = speak.question()
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	s.mu.Unlock()
	switch {
	case !asked.KeyRight:
		refuse(w, http.StatusUnauthorized, "authentication_error", "there is no such key")
	case r.Method != http.MethodPost:
		refuse(w, http.StatusMethodNotAllowed, "invalid_request_error", "this takes a POST")
	case err != nil:
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error())
	default:
		said, err := s.model.Complete(r.Context(), asked.Request)
		if err != nil {
			refuse(w, http.StatusInternalServerError, "api_error", err.Error())
			return
		}
		speak.answer(w, said)
	}
}

// wire is a protocol on the server's side: a request decoded from JSON.
type wire interface {
	question() (llm.Request, error)
	answer(w http.ResponseWriter, said llm.Response)
}

// object is JSON to be written.
type object map[string]any

// refuse answers with an error in the form of both protocols.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": kind, "message": message}})
}

// whole answers with one text.
func whole(w http.ResponseWriter, v object) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// send writes one event of a stream; its name may be "".
func send(w http.ResponseWriter, name string, v any) {
	w.Header().Set("Content-Type", "text/event-stream")
	data, _ := json.Marshal(v)
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
	_ = http.NewResponseController(w).Flush()
}

// pieces cuts a text as a model says it: word by word.
func pieces(text string) []string { return strings.SplitAfter(text, " ") }

// halves cuts a text in two, for arguments that come in pieces.
func halves(text string) []string {
	at := len(text) / 2
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return []string{text[:at], text[at:]}
}

// openAI is a request for chat completions.
type openAI struct {
	Model         string
	Stream        bool
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
	Temperature         float64
	ToolChoice          string `json:"tool_choice"`
	ResponseFormat      struct {
		Type   string
		Schema struct {
			Name   string
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	Messages []struct {
		Role    llm.Role
		Content string
		CallID  string `json:"tool_call_id"`
		Calls   []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

func (q *openAI) question() (llm.Request, error) {
	r := llm.Request{MaxTokens: max(q.MaxTokens, q.MaxCompletionTokens), Temperature: q.Temperature, NoCalls: q.ToolChoice == "none"}
	if q.ResponseFormat.Type == "json_schema" {
		r.Schema = &llm.Schema{Name: q.ResponseFormat.Schema.Name, JSON: q.ResponseFormat.Schema.Schema}
	}
	for _, t := range q.Tools {
		r.Tools = append(r.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters})
	}
	due := map[string]bool{} // calls without a result
	for _, m := range q.Messages {
		n := len(r.Messages)
		switch m.Role {
		case "system":
			r.System += m.Content
			continue
		case llm.RoleTool:
			if !due[m.CallID] {
				return r, fmt.Errorf("a result for %q, which was not called", m.CallID)
			}
			delete(due, m.CallID)
			result := llm.CallResult{ID: m.CallID, Text: m.Content}
			if n > 0 && r.Messages[n-1].Role == llm.RoleTool {
				r.Messages[n-1].Results = append(r.Messages[n-1].Results, result)
			} else {
				r.Messages = append(r.Messages, llm.Message{Role: m.Role, Results: []llm.CallResult{result}})
			}
			continue
		}
		if len(due) > 0 {
			return r, errors.New("calls without results")
		}
		said := llm.Message{Role: m.Role, Text: m.Content}
		for _, c := range m.Calls {
			due[c.ID] = true
			said.Calls = append(said.Calls, llm.Call{ID: c.ID, Tool: c.Function.Name, Arguments: json.RawMessage(c.Function.Arguments)})
		}
		r.Messages = append(r.Messages, said)
	}
	if len(due) > 0 {
		return r, errors.New("calls without results")
	}
	return r, nil
}

func (q *openAI) answer(w http.ResponseWriter, said llm.Response) {
	reason := "stop"
	if len(said.Calls) > 0 {
		reason = "tool_calls"
	}
	usage := object{"prompt_tokens": said.Usage.Input, "completion_tokens": said.Usage.Output, "total_tokens": said.Usage.Input +
		said.Usage.Output}
	if !q.Stream {
		var calls []object
		for _, c := range said.Calls {
			calls = append(calls, object{"id": c.ID, "type": "function",
				"function": object{"name": c.Tool, "arguments": string(c.Arguments)}})
		}
		whole(w, object{"object": "chat.completion", "model": q.Model, "usage": usage, "choices": []object{
			{"index": 0, "finish_reason": reason, "message": object{"role": "assistant", "content": said.Text, "tool_calls": calls}}}})
		return
	}
	chunk := func(delta object, reason any) {
		send(w, "", object{"object": "chat.completion.chunk", "model": q.Model,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(said.Text) {
		chunk(object{"content": p}, nil)
	}
	for i, c := range said.Calls {
		chunk(
			object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function",
				"function": object{"name": c.Tool, "arguments": ""}}}}, nil)
		for _, p := range halves(string(c.Arguments)) {
			chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	chunk(object{}, reason)
	if q.StreamOptions.IncludeUsage {
		send(w, "", object{"object": "chat.completion.chunk", "model": q.Model, "choices": []object{}, "usage": usage})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// anthropic is a request for messages.
type anthropic struct {
	Model       string
	System      string
	Stream      bool
	MaxTokens   int `json:"max_tokens"`
	Temperature float64
	ToolChoice  struct{ Type, Name string } `json:"tool_choice"`
	Tools       []struct {
		Name, Description string
		Schema            json.RawMessage `json:"input_schema"`
	}
	Messages []struct {
		Role    llm.Role
		Content anthropicBlocks
	}
}

type anthropicBlock struct {
	Type, Text, ID, Name, Content string
	Input                         json.RawMessage
	CallID                        string `json:"tool_use_id"`
	IsError                       bool   `json:"is_error"`
}

// anthropicBlocks are the parts of a message, or its one text.
type anthropicBlocks []anthropicBlock

// UnmarshalJSON reads either.
func (b *anthropicBlocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = anthropicBlocks{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]anthropicBlock)(b))
}

func (q *anthropic) question() (llm.Request, error) {
	r := llm.Request{System: q.System, MaxTokens: q.MaxTokens, Temperature: q.Temperature, NoCalls: q.ToolChoice.Type == "none"}
	if q.MaxTokens == 0 {
		return r, errors.New("max_tokens: field required")
	}
	for _, t := range q.Tools {
		if q.ToolChoice.Type == "tool" && q.ToolChoice.Name == t.Name {
			r.NoCalls, r.Schema = true, &llm.Schema{Name: t.Name, JSON: t.Schema}
			continue
		}
		r.Tools = append(r.Tools, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema})
	}
	due := map[string]bool{}
	for i, m := range q.Messages {
		if i > 0 && q.Messages[i-1].Role == m.Role || len(m.Content) == 0 {
			return r, errors.New("messages: roles must alternate and have content")
		}
		said, results := llm.Message{Role: m.Role}, llm.Message{Role: llm.RoleTool}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				said.Text += b.Text
			case "tool_use":
				due[b.ID] = true
				said.Calls = append(said.Calls, llm.Call{ID: b.ID, Tool: b.Name, Arguments: b.Input})
			case "tool_result":
				if !due[b.CallID] || said.Text != "" {
					return r, fmt.Errorf("a result for %q, which was not called or stands behind text", b.CallID)
				}
				delete(due, b.CallID)
				results.Results = append(results.Results, llm.CallResult{ID: b.CallID, Text: b.Content, IsError: b.IsError})
			}
		}
		if len(results.Results) > 0 {
			r.Messages = append(r.Messages, results)
		}
		if m.Role == llm.RoleUser && len(due) > 0 {
			return r, errors.New("tool_use without tool_result")
		}
		if said.Text != "" || len(said.Calls) > 0 {
			r.Messages = append(r.Messages, said)
		}
	}
	return r, nil
}

// blocks are the parts of an answer: text, then calls. Where the answer must be the call of a
// tool, the text that the script has is its arguments.
func (q *anthropic) blocks(said llm.Response) []object {
	var out []object
	switch {
	case q.ToolChoice.Type == "tool" && json.Valid([]byte(said.Text)):
		return []object{{"type": "tool_use", "id": "toolu_form", "name": q.ToolChoice.Name, "input": json.RawMessage(said.Text)}}
	case said.Text != "":
		out = append(out, object{"type": "text", "text": said.Text})
	}
	for _, c := range said.Calls {
		out = append(out, object{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": c.Arguments})
	}
	return out
}

func (q *anthropic) answer(w http.ResponseWriter, said llm.Response) {
	reason, blocks := "end_turn", q.blocks(said)
	if n := len(blocks); n > 0 && blocks[n-1]["type"] == "tool_use" {
		reason = "tool_use"
	}
	usage := object{"input_tokens": said.Usage.Input, "output_tokens": said.Usage.Output}
	if !q.Stream {
		whole(w, object{"type": "message", "role": "assistant", "model": q.Model, "content": blocks, "stop_reason": reason,
			"usage": usage})
		return
	}
	send(w, "message_start", object{"type": "message_start", "message": object{"type": "message", "role": "assistant", "model": q.Model,
		"content": []any{}, "stop_reason": nil, "usage": object{"input_tokens": said.Usage.Input, "output_tokens": 1}}})
	send(w, "ping", object{"type": "ping"})
	for i, b := range blocks {
		begins, deltas := object{"type": "text", "text": ""}, []object{}
		if b["type"] == "text" {
			for _, p := range pieces(said.Text) {
				deltas = append(deltas, object{"type": "text_delta", "text": p})
			}
		} else {
			begins = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			for _, p := range halves(string(b["input"].(json.RawMessage))) {
				deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
			}
		}
		send(w, "content_block_start", object{"type": "content_block_start", "index": i, "content_block": begins})
		for _, d := range deltas {
			send(w, "content_block_delta", object{"type": "content_block_delta", "index": i, "delta": d})
		}
		send(w, "content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	send(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": said.Usage.Output}})
	send(w, "message_stop", object{"type": "message_stop"})
}
