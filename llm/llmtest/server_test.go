package llmtest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/llm"
)

// post sends a body and returns the status and what comes, data of events without the rest.
func post(t *testing.T, address, key, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("X-Api-Key", key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s\n%s", response.StatusCode, response.Header.Get("Content-Type"), text)
}

// Both protocols, in pieces and in one text, from the same turns.
func TestServerSpeaks(t *testing.T) {
	say := llm.Response{Text: "Let me look.", Calls: []llm.Call{{ID: "c1", Tool: "look", Arguments: []byte(`{"a":1}`)}},
		Usage: llm.Usage{Input: 7, Output: 3}}
	for _, c := range []struct{ path, body, want string }{
		{"/chat/completions", `{"model":"m","messages":[{"role":"user","content":"why"}]}`, `200 application/json
{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"Let me look.","role":"assistant","tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"look"},"id":"c1","type":"function"}]}}],"model":"m","object":"chat.completion","usage":{"completion_tokens":3,"prompt_tokens":7,"total_tokens":10}}
`},
		{"/chat/completions",
			`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"why"}]}`,
			`200 text/event-stream
data: {"choices":[{"delta":{"content":"","role":"assistant"},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":"Let "},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":"me "},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":"look."},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"","name":"look"},"id":"c1","index":0,"type":"function"}]},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"a"},"index":0}]},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"\":1}"},"index":0}]},"finish_reason":null,"index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls","index":0}],"model":"m","object":"chat.completion.chunk"}

data: {"choices":[],"model":"m","object":"chat.completion.chunk","usage":{"completion_tokens":3,"prompt_tokens":7,"total_tokens":10}}

data: [DONE]

`},
		{"/messages", `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"why"}]}]}`,
			`200 application/json
{"content":[{"text":"Let me look.","type":"text"},{"id":"c1","input":{"a":1},"name":"look","type":"tool_use"}],"model":"m","role":"assistant","stop_reason":"tool_use","type":"message","usage":{"input_tokens":7,"output_tokens":3}}
`},
	} {
		s := Serve(t, Turn{Want: []Want{{In: "last", Text: "why"}}, Say: say})
		if diff := cmp.Diff(c.want, post(t, s.URL+c.path, Key, c.body)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// A request that is wrong takes no turn, and is kept; the key is in none.
func TestServerRefuses(t *testing.T) {
	s := Serve(t, Turn{Err: fmt.Errorf("overloaded")})
	for _, c := range []struct{ path, key, body, want string }{
		{"/chat/completions", "other", `{}`, "401 there is no such key"},
		{"/messages", "", `{}`, "401 there is no such key"},
		{"/completions", Key, `{}`, "404 "},
		{"/chat/completions", Key, `{`, "400 unexpected end"},
		{"/chat/completions", Key, `{"messages":[{"role":"tool","tool_call_id":"c9","content":"x"}]}`,
			`400 a result for \"c9\", which was not called`},
		{"/chat/completions", Key, `{"messages":[{"role":"assistant","tool_calls":[{"id":"c1"}]},{"role":"user","content":"x"}]}`,
			"400 calls without results"},
		{"/messages", Key, `{"messages":[]}`, "400 max_tokens"},
		{"/messages", Key,
			`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text"}]},{"role":"user","content":[{"type":"text"}]}]}`,
			"400 messages: roles must alternate"},
		{"/messages", Key,
			`{"max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1"}]},{"role":"user","content":[{"type":"text","text":"x"}]}]}`, "400 tool_use without tool_result"},
		{"/messages", Key,
			`{"max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"c1"}]}]}`, "400 a result for"},
		{"/messages", Key, `{"max_tokens":1,"messages":[]}`, "500 overloaded"},
	} {
		got := post(t, s.URL+c.path, c.key, c.body)
		status, text, _ := strings.Cut(c.want, " ")
		if !strings.HasPrefix(got, status) || !strings.Contains(got, text) {
			t.Errorf("%s %s: %s, want %s", c.path, c.body, got, c.want)
		}
	}
	asked := s.Requests()
	if len(asked) != 10 || asked[0].KeyRight || asked[1].KeyRight || !asked[9].KeyRight || asked[0].Body != "{}" ||
		asked[0].Path != "/v1/chat/completions" || strings.Contains(fmt.Sprint(asked), Key) {
		t.Errorf("%d requests: %+v", len(asked), asked)
	}
}
