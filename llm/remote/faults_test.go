package remote

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/llm"
)

const (
	plainOK = `{"choices":[{"index":0,"message":{"role":"assistant","content":"fine"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
	firstOK = `data: {"choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":null}]}` + "\n\n"
	lastOK  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	doneOK  = "data: [DONE]\n\n"
)

// status answers with a status and a body, and headers as pairs.
func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func stream(body string) http.HandlerFunc {
	return status(200, body, "Content-Type", "text/event-stream")
}

// cut sends a text as it is and ends the connection, by a reset or in order.
func cut(text string, reset bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		fmt.Fprint(c, text)
		if reset {
			awaitRead(c, len(text)) // a reset overtakes what was sent
			c.(*net.TCPConn).SetLinger(0)
		}
	}
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

// fault is what a server does to each of five questions, and what comes of it.
type fault struct {
	name     string
	handle   http.HandlerFunc
	requests int           // that reach the server, for one question
	kind     Kind          // of the error; "" for none
	text     string        // in the error, or the whole answer
	open     bool          // the breaker, after five
	after    time.Duration // what the server asks for
	calls    string        // of tools in the answer
}

var apart = "Fri, 02 Jan 2026 04:04:05 GMT" // an hour behind the clock of the tests

var faults = []fault{
	{name: "500", handle: status(500, `{"error":{"message":"boom","type":"server_error"}}`), requests: 3, kind: KindServer,
		text: `the server failed (500): "boom"; try again later`, open: true},
	{name: "502 with a page", handle: status(502, "<html>\n<h1>Bad Gateway</h1>"), requests: 3, kind: KindServer,
		text: `"<html> <h1>Bad Gateway</h1>"`, open: true},
	{name: "503", handle: status(503, ""), requests: 3, kind: KindServer, open: true},
	{name: "504", handle: status(504, ""), requests: 3, kind: KindServer, open: true},
	{name: "529", handle: status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), requests: 3,
		kind: KindServer, text: "Overloaded", open: true},
	{name: "501", handle: status(501, ""), requests: 1, kind: KindServer, open: true},
	{name: "429 without a time", handle: status(429, `{"error":{"message":"slow down"}}`), requests: 3, kind: KindLimited,
		text: "slow down", open: true},
	{name: "429 for an hour", handle: status(429, "", "Retry-After", "3600"), requests: 1, kind: KindLimited,
		text: "try again in 1h0m0s", open: true},
	{name: "429 until a date", handle: status(429, "", "Retry-After", apart), requests: 1, kind: KindLimited, text: "try again in",
		open: true},
	{name: "429 until a date that was", handle: status(429, "", "Retry-After", "Fri, 02 Jan 2020 04:04:05 GMT"), requests: 3,
		kind: KindLimited, open: true},
	{name: "429 for -1", handle: status(429, "", "Retry-After", "-1"), requests: 3, kind: KindLimited, open: true},
	{name: "429 for garbage", handle: status(429, "", "Retry-After", "soon; 99999999999999999999"), requests: 3, kind: KindLimited,
		open: true},
	{name: "429 for 99999999999999999999", handle: status(429, "", "Retry-After", "99999999999999999999"), requests: 3,
		kind: KindLimited, open: true},
	{name: "429 for two seconds", handle: status(429, "", "Retry-After", "2"), requests: 3, kind: KindLimited, open: true,
		after: 2 * time.Second},
	{name: "503 for two seconds", handle: status(503, "", "Retry-After", "2"), requests: 3, kind: KindServer, open: true,
		after: 2 * time.Second},
	{name: "429 without credit", handle: status(
		429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`),
		requests: 1, kind: KindKey, text: "no credit"},
	{name: "402", handle: status(402, `{"error":{"message":"Insufficient credits","code":402}}`), requests: 1, kind: KindKey,
		text: "no credit"},

	{name: "reset before headers", handle: cut("", true), requests: 3, kind: KindUnreachable,
		text: "closed the connection without an answer", open: true},
	{name: "closed before headers", handle: cut("", false), requests: 3, kind: KindUnreachable,
		text: "closed the connection without an answer", open: true},
	{name: "reset behind headers", handle: cut(streamHead, true), requests: 3, kind: KindServer, text: "ended its answer too early", open: true},
	{name: "reset mid stream", handle: cut(streamHead+firstOK, true), requests: 1, kind: KindServer, text: "ended its answer too early", open: true},
	{name: "closed mid stream", handle: cut(streamHead+firstOK, false), requests: 1, kind: KindServer, text: "ended its answer too early", open: true},
	{name: "JSON shorter than announced", handle: cut("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"+plainOK[:40], false),
		requests: 3, kind: KindServer, text: "ended its answer too early", open: true},
	{name: "no HTTP", handle: cut("220 mail.example.org ESMTP\r\n", false), requests: 1, kind: KindAnswer, text: "does not answer in HTTP",
		open: true},
	{name: "headers of 80 KiB", handle: status(200, plainOK, "X-Long", strings.Repeat("x", 80<<10)), requests: 1, kind: KindTooLarge,
		text: "headers are longer than 64 KiB", open: true},

	{name: "truncated JSON", handle: status(200, plainOK[:60]), requests: 1, kind: KindAnswer, text: "cannot be read", open: true},
	{name: "truncated JSON in a stream", handle: stream(firstOK + `data: {"choices":[{"ind`), requests: 1, kind: KindAnswer,
		text: "cannot be read", open: true},
	{name: "a page", handle: status(200, "\n <!doctype html><title>Sign in</title>", "Content-Type", "text/html"), requests: 1,
		kind: KindAnswer, text: `a web page (200): "<!doctype html><title>Sign in</title>"; check that brv.model.endpoint`, open: true},
	{name: "another schema", handle: status(200, `{"hello":"world"}`), requests: 1, kind: KindAnswer,
		text: "contains no text", open: true},
	{name: "choices of another type", handle: status(200, `{"choices":"none"}`), requests: 1, kind: KindAnswer, open: true},
	{name: "content of another type", handle: status(200, `{"choices":[{"message":{"content":{"a":1}}}]}`), requests: 1,
		kind: KindAnswer, open: true},
	{name: "an array", handle: status(200, `[{"error":{"code":400}}]`), requests: 1, kind: KindAnswer,
		text: "neither JSON nor an event stream", open: true},
	{name: "empty body", handle: status(200, ""), requests: 1, kind: KindAnswer, text: "empty", open: true},
	{name: "204", handle: status(204, ""), requests: 1, kind: KindAnswer, text: "empty (204)", open: true},
	{name: "blank body", handle: stream("\n\r\n \n"), requests: 3, kind: KindAnswer, text: "empty", open: true},
	{name: "another compression", handle: status(200, plainOK, "Content-Encoding", "br"), requests: 1, kind: KindAnswer,
		text: "compressed", open: true},
	{name: "no gzip in gzip", handle: status(200, plainOK, "Content-Encoding", "gzip"), requests: 1, kind: KindAnswer,
		text: "cannot be read", open: true},
	{name: "nothing but the end", handle: stream(doneOK), requests: 1, kind: KindAnswer, text: "contains no text", open: true},
	{name: "stream without its end", handle: stream(firstOK), requests: 1, kind: KindServer, text: "ended its answer too early", open: true},
	{name: "error event first", handle: stream(`data: {"error":{"message":"no slot free","type":"server_error"}}` + "\n\n"),
		requests: 1, kind: KindServer, text: "no slot free", open: true},
	{name: "error event mid stream", handle: stream(firstOK + "event: error\n" + `data: {"message":"out of memory"}` + "\n\n" +
		lastOK), requests: 1, kind: KindServer, text: "out of memory", open: true},
	{name: "finish reason error", handle: stream(firstOK + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}` +
		"\n\n" + doneOK), requests: 1, kind: KindServer, text: "failed in the middle", open: true},
	{name: "an error with status 200", handle: status(
		200, `{"error":{"message":"Rate limit exceeded","type":"rate_limit_exceeded"}}`), requests: 1, kind: KindLimited,
		text: "Rate limit", open: true},
	{name: "context length with status 200", handle: status(200,
		`{"error":{"message":"maximum context length is 4096 tokens","code":400}}`), requests: 1, kind: KindTooLong},
	{name: "all tokens thought away", handle: status(200, `{"choices":[{"message":{"content":""},"finish_reason":"length"}]}`),
		requests: 1, kind: KindAnswer, text: "used all its tokens", open: true},
	{name: "filtered", handle: status(200, `{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}`),
		requests: 1, kind: KindAnswer, text: "refused", open: true},

	{name: "401", handle: status(401, `{"error":{"message":"Incorrect API key provided"}}`), requests: 1, kind: KindKey,
		text: `the key was refused (401): "Incorrect API key provided"; check the key`},
	{name: "403", handle: status(403, "no"), requests: 1, kind: KindKey},
	{name: "404", handle: status(404, `{"error":"model \"x\" not found, try pulling it first"}`), requests: 1, kind: KindModel,
		text: "check brv.model.name and brv.model.endpoint"},
	{name: "400 no such model", handle: status(400, `{"error":{"message":"x is not a valid model ID"}}`), requests: 1, kind: KindModel},
	{name: "400 context length", handle: status(
		400, `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`),
		requests: 1, kind: KindTooLong, text: "too long for the model"},
	{name: "413", handle: status(413, ""), requests: 1, kind: KindTooLong},
	{name: "500 context length", handle: status(500, `{"error":{"message":"input is too long for the context size"}}`), requests: 1,
		kind: KindTooLong},
	{name: "400", handle: status(400, `{"error":{"message":"messages: bad"}}`), requests: 1, kind: KindRequest, text: "messages: bad"},
	{name: "422", handle: status(422, `{"detail":[{"loc":["body","stop"],"msg":"bad"}]}`), requests: 1, kind: KindRequest, text: "loc"},
	{name: "redirect", handle: status(307, "", "Location", "https://elsewhere.example.org/v1?a=b"), requests: 1, kind: KindAddress,
		text: "redirects to https://elsewhere.example.org, and redirects are not followed (307); check brv.model.endpoint"},

	{name: "fine", handle: status(200, plainOK), requests: 1, text: "fine"},
	{name: "a stream that says it is a page", handle: status(200, firstOK+lastOK+doneOK, "Content-Type", "text/html"), requests: 1,
		text: "fine"},
	{name: "JSON that says it is a stream", handle: stream(plainOK), requests: 1, text: "fine"},
	{name: "stream without [DONE]", handle: stream(firstOK + lastOK), requests: 1, text: "fine"},
	{name: "stream without a reason", handle: stream(firstOK + doneOK), requests: 1, kind: KindServer, text: "ended its answer too early", open: true},
	{name: "stream without the last empty line", handle: stream(firstOK + strings.TrimRight(lastOK, "\n")), requests: 1, text: "fine"},
	{name: "comments, other fields, CR LF", handle: stream("\xef\xbb\xbf: hello\r\n\r\nid: 1\r\nretry: 5\r\nevent: x\r\n" +
		strings.ReplaceAll(firstOK+lastOK, "\n", "\r\n")), requests: 1, text: "fine"},
	{name: "behind the end nothing counts", handle: stream(firstOK + lastOK + doneOK + "data: nonsense\n\n"), requests: 1, text: "fine"},
	{name: "other choices", handle: stream(`data: {"choices":[{"index":1,"delta":{"content":"bad"}}]}` + "\n\n" + firstOK + lastOK),
		requests: 1, text: "fine"},
	{name: "unknown finish reason", handle: status(200, strings.Replace(plainOK, `"stop"`, `"eos_token"`, 1)), requests: 1, text: "fine"},
	{name: "cut at the limit", handle: status(200, strings.Replace(plainOK, `"stop"`, `"length"`, 1)), requests: 1, text: "fine"},
	{name: "content in parts", handle: status(
		200,
		`{"choices":[{"message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"fi"},{"type":"text","text":"ne"}]},"finish_reason":"stop"}]}`), requests: 1, text: "fine"},
	{name: "refusal", handle: status(
		200, `{"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`), requests: 1,
		text: "I will not."},
	{name: "gzip", handle: zipped(plainOK), requests: 1, text: "fine"},
	{name: "gzip of a stream", handle: zipped(firstOK + lastOK), requests: 1, text: "fine"},

	{name: "call with broken JSON", handle: toolCalls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}`),
		requests: 1, calls: `a f {"x":`},
	{name: "arguments as an object", handle: toolCalls(`{"id":"a","function":{"name":"f","arguments":{"x": 1}}}`), requests: 1,
		calls: `a f {"x": 1}`},
	{name: "no arguments", handle: toolCalls(
		`{"index":0,"id":"a","function":{"name":"f","arguments":null}},{"index":1,"id":"b","function":{"name":"g"}}`), requests: 1,
		calls: "a f | b g"},
	{name: "in pieces by index", handle: toolCalls(`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`,
		`{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`,
		`{"index":0,"function":{"arguments":"{\"x\""}}`, `{"index":0,"function":{"arguments":":1}"}}`,
		`{"index":1,"function":{"arguments":"}"}}`), requests: 1, calls: `a f {"x":1} | b g {}`},
	{name: "identifier and name in each piece", handle: toolCalls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`,
		`{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}`), requests: 1, calls: "a f {}"},
	{name: "no index", handle: toolCalls(`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`,
		`{"id":"b","function":{"name":"g","arguments":"{}"}}`), requests: 1, calls: "a f {} | b g {}"},
	{name: "all with the index 0", handle: toolCalls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`,
		`{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}`), requests: 1, calls: "a f {} | b f {}"},
	{name: "no identifiers, all with the index 0", handle: toolCalls(`{"index":0,"function":{"name":"f","arguments":"{}"}}`,
		`{"index":0,"function":{"name":"f","arguments":"{}"}}`), requests: 1, calls: " f {} |  f {}"},
	{name: "the same identifier twice", handle: toolCalls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`,
		`{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}`), requests: 1, calls: "a f {} | a g {}"},
	{name: "an index far off", handle: toolCalls(`{"index":2000000000,"id":"a","function":{"name":"f","arguments":"{}"}}`,
		`{"index":-1,"id":"b","function":{"name":"g","arguments":"{}"}}`), requests: 1, calls: "a f {} | b g {}"},
}

func zipped(body string) http.HandlerFunc {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(body))
	z.Close()
	return status(200, b.String(), "Content-Encoding", "gzip")
}

func toolCalls(pieces ...string) http.HandlerFunc {
	body := ""
	for _, p := range pieces {
		body += `data: {"choices":[{"index":0,"delta":{"tool_calls":[` + p + `]}}]}` + "\n\n"
	}
	return stream(body + strings.Replace(lastOK, "stop", "tool_calls", 1) + doneOK)
}

// Each server fails in its own way, five times: how many requests reach it, what the error
// is, and whether it is left alone afterwards.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			url, requests := serve(t, f.handle)
			m, c := newModel(t, Options{Endpoint: url})
			f.check(t, m, c, requests)
		})
	}
}

func (f fault) check(t *testing.T, m *Model, c *clock, requests *atomic.Int32) {
	for question := range 5 {
		before, waits := int(requests.Load()), len(c.waits)
		said, err := m.Complete(t.Context(), ask("why"))
		if got := kindOf(t, err); got != f.kind {
			t.Fatalf("kind %q: %v", got, err)
		}
		if err != nil && (!strings.Contains(err.Error(), f.text) || !strings.HasPrefix(err.Error(), m.at.Origin+": ")) {
			t.Errorf("the text is %v", err)
		}
		if err == nil && (f.calls == "" && said.Text != f.text || callsOf(said) != f.calls || said.Cut != (f.name == "cut at the limit")) {
			t.Errorf("%q, calls %q", said.Text, callsOf(said))
		}
		if got := int(requests.Load()) - before; got != f.requests {
			t.Errorf("question %d: %d requests", question+1, got)
		}
		for i, d := range c.waits[waits:] {
			least, most := firstWait<<(2*i)/2, firstWait<<(2*i)
			if f.after > 0 {
				least, most = f.after, f.after+firstWait
			}
			if d < least || d >= most {
				t.Errorf("wait %d is %v", i+1, d)
			}
		}
	}
	before := requests.Load()
	_, err := m.Complete(t.Context(), ask("why"))
	resting := kindOf(t, err) == KindResting
	if resting != f.open || f.open && (requests.Load() != before || !strings.Contains(err.Error(), "asked again in 60 s")) {
		t.Errorf("after five: %v, %d requests", err, requests.Load()-before)
	}
}

func callsOf(said llm.Response) string {
	var out []string
	for _, c := range said.Calls {
		out = append(out, strings.TrimRight(c.ID+" "+c.Tool+" "+string(c.Arguments), " "))
	}
	return strings.Join(out, " | ")
}

// Faults of the connection: nothing of a request reaches the server.
func TestFaultsOfConnections(t *testing.T) {
	requests := new(atomic.Int32)
	secure := serveTLS(t, nil, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	plain, plainRequests := serve(t, status(200, plainOK))
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody.Close()
	for _, c := range []struct {
		fault
		url   string
		tried int
	}{
		{fault{name: "a certificate that nobody trusts", kind: KindTLS, text: "certificate is not valid", open: true}, secure.URL, 0},
		{fault{name: "TLS to a plain port", kind: KindTLS, text: "does not support TLS, so https is not possible; check brv.model.endpoint",
			open: true}, strings.Replace(plain, "http:", "https:", 1), 0},
		{fault{name: "plain to a TLS port", kind: KindRequest, text: "HTTPS server"}, strings.Replace(secure.URL, "https:", "http:",
			1), 0},
		{fault{name: "nobody there", kind: KindUnreachable, text: "cannot be reached; check that the server runs", open: true},
			"http://" + nobody.Addr().String(), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, clock := newModel(t, Options{Endpoint: c.url, Key: "hunter2-hunter2"})
			c.check(t, m, clock, requests)
			if len(clock.waits) != 5*c.tried {
				t.Errorf("%d waits", len(clock.waits))
			}
		})
	}
	if plainRequests.Load() != 0 {
		t.Error("a request went out in plain")
	}
}

func serveTLS(t *testing.T, c *tls.Config, handle http.HandlerFunc) *httptest.Server {
	s := httptest.NewUnstartedServer(handle)
	s.TLS, s.Config.ErrorLog = c, log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// With a certificate that is trusted, but no TLS that is too old.
func TestTLS(t *testing.T) {
	s := serveTLS(t, nil, status(200, plainOK))
	m, _ := newModel(t, Options{Endpoint: s.URL})
	transport := m.transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	if said, err := m.Complete(t.Context(), ask("why")); err != nil || said.Text != "fine" ||
		transport.TLSClientConfig.InsecureSkipVerify {
		t.Error(said, err)
	}
	old := serveTLS(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, status(200, plainOK))
	m, _ = newModel(t, Options{Endpoint: old.URL})
	m.transport.(*http.Transport).TLSClientConfig.RootCAs = transport.TLSClientConfig.RootCAs
	if _, err := m.Complete(t.Context(), ask("why")); kindOf(t, err) != KindTLS {
		t.Error(err)
	}
}

// What fails once and then works is asked as often as it takes.
func TestRetryHelps(t *testing.T) {
	n := 0
	url, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n < 3 {
			w.WriteHeader(503)
			return
		}
		fmt.Fprint(w, plainOK)
	})
	m, c := newModel(t, Options{Endpoint: url})
	if said, err := m.Complete(t.Context(), ask("why")); err != nil || said.Text != "fine" || requests.Load() != 3 || len(c.waits) != 2 {
		t.Error(said, err, c.waits)
	}
}

// What a server refuses is put in another way, and that is remembered.
func TestHabits(t *testing.T) {
	schema := &llm.Schema{Name: "n", JSON: []byte(`{"type":"object"}`)}
	object := strings.Replace(plainOK, "fine", "{}", 1)
	refuses := func(what, said string) func(body string) string {
		return func(body string) string {
			if strings.Contains(body, what) {
				return said
			}
			return ""
		}
	}
	for _, c := range []struct {
		name     string
		protocol Protocol
		refuse   func(body string) string // what is said to it; "" accepts
		request  llm.Request
		requests int // of the first question
		last     string
	}{
		{"max_tokens", OpenAI,
			refuses(
				`"max_tokens"`,
				"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
			llm.Request{MaxTokens: 7}, 2, `"max_completion_tokens":7`},
		{"temperature", OpenAI, refuses(`"temperature"`, "Unsupported value: 'temperature' does not support 0.3 with this model."),
			llm.Request{Temperature: 0.3}, 2, `"stream":true`},
		{"stream_options", OpenAI, refuses(`"stream_options"`, "Unrecognized request argument supplied: stream_options"),
			llm.Request{}, 2, `"temperature":0`},
		{"tool_choice", OpenAI, refuses(`"tool_choice"`, "tool_choice: none is not supported"),
			llm.Request{NoCalls: true, Tools: []llm.Tool{{Name: "f"}}}, 2, `"tools":`},
		{"strict schema", OpenAI,
			refuses(
				`"strict":true`,
				"Invalid schema for response_format 'n': 'additionalProperties' is required to be supplied and to be false."),
			llm.Request{Schema: schema}, 2, `"strict":false`},
		{"a grammar beside json_object", OpenAI, refuses(`"json_schema"`, "'loc': ('body', 'response_format', 'type'), Input should be 'json_object'"),
			llm.Request{Schema: schema}, 3, `"response_format":{"type":"json_object","schema":{"type":"object"}}`},
		{"no schema", OpenAI, refuses(`"response_format"`, "'response_format.type' must be 'text'"),
			llm.Request{Schema: schema, System: "be brief"}, 4,
			`"content":"be brief\n\nAnswer with one JSON object of this JSON Schema, and nothing else:\n{\"type\":\"object\"}"`},
		{"several", OpenAI, func(body string) string {
			for _, w := range []string{"temperature", "max_tokens", "stream_options", "response_format"} {
				if strings.Contains(body, `"`+w+`"`) {
					return w + " is unknown"
				}
			}
			return ""
		}, llm.Request{Schema: schema, MaxTokens: 5}, 7, `"max_completion_tokens":5`},
		{"old temperature", Anthropic, refuses(`"temperature"`, "`temperature` is deprecated for this model."), llm.Request{}, 2,
			`"max_tokens":4096`},
		{"no forced tool", Anthropic, refuses(`"tool_choice"`, "tool_choice: this model does not support forced tools"),
			llm.Request{Schema: schema}, 3, `{\"type\":\"object\"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := ""
			url, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
				var b bytes.Buffer
				b.ReadFrom(r.Body)
				last = b.String()
				if said := c.refuse(last); said != "" {
					w.WriteHeader(400)
					fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, said)
					return
				}
				if c.protocol == Anthropic {
					fmt.Fprint(w, `{"type":"message","content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"}`)
					return
				}
				fmt.Fprint(w, object)
			})
			m, clock := newModel(t, Options{Protocol: c.protocol, Endpoint: url})
			c.request.Messages = ask("why").Messages
			for i, want := range []int{c.requests, 1, 1} {
				before := requests.Load()
				said, err := m.Complete(t.Context(), c.request)
				if got := int(requests.Load() - before); err != nil || said.Text != "{}" || got != want ||
					!strings.Contains(last, c.last) || len(clock.waits) > 0 {
					t.Errorf("question %d: %v %v, %d requests, the last\n%s", i+1, said, err, got, last)
				}
			}
		})
	}
	t.Run("refused whatever is changed", func(t *testing.T) {
		url, requests := serve(
			t, status(400, `{"error":{"message":"max_tokens temperature stream_options tool_choice response_format"}}`))
		m, _ := newModel(t, Options{Endpoint: url})
		r := llm.Request{Schema: schema, MaxTokens: 5, NoCalls: true, Tools: []llm.Tool{{Name: "f"}}, Messages: ask("why").Messages}
		if _, err := m.Complete(t.Context(), r); kindOf(t, err) != KindRequest || requests.Load() != 8 || m.habits != (habits{}) {
			t.Error(err, requests.Load(), m.habits)
		}
	})
}

// What is asked of OpenAI itself begins with the field that all its models take.
func TestOpenAIsOwnField(t *testing.T) {
	for endpoint, want := range map[string]bool{"": true, "https://api.openai.com:443/v1": true,
		"https://openrouter.ai/api/v1": false, "http://localhost:11434/v1": false} {
		if m, _ := newModel(t, Options{Endpoint: endpoint}); m.habits.newTokens != want {
			t.Errorf("%q: %v", endpoint, m.habits)
		}
	}
}

func TestPanicOfWhoListensEndsTheProbe(t *testing.T) {
	url, _ := serve(t, status(200, plainOK))
	m, c := newModel(t, Options{Endpoint: url})
	for range 5 {
		m.breaker.Leave(c.at.Add(-time.Minute), llm.Failed, "")
	}
	r := ask("why")
	r.Stream = func(string) { panic("ouch") }
	func() {
		defer func() {
			if recover() != "ouch" {
				t.Error("no panic")
			}
		}()
		m.Complete(t.Context(), r)
	}()
	if said, err := m.Complete(t.Context(), ask("why")); err != nil || said.Text != "fine" {
		t.Error(said, err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := map[string]time.Duration{}
	want := map[string]time.Duration{"": 0, "0": 0, "-1": 0, "3600": time.Hour, " 2 ": 2 * time.Second, "1.5": 0, "1e9": 0,
		"2147483647": 2147483647 * time.Second, "9223372036854775807": 0,
		apart: time.Hour, "Thu, 01 Jan 1970 00:00:00 GMT": 0, "soon": 0}
	for header := range want {
		got[header] = retryAfter(header, now)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What llama-cpp-python's server does where a question is longer than its context: a stream breaks off with
// nothing in it, and only a question for one text is told why.
func TestContextIsLearned(t *testing.T) {
	url, requests := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"stream":true`) {
			cut(streamHead, false)(w, r)
			return
		}
		status(400, `{"error":{"message":"This model's maximum context length is 2048 tokens. However, you requested 10081 tokens",`+
			`"type":"invalid_request_error","code":"context_length_exceeded"}}`)(w, r)
	})
	m, _ := newModel(t, Options{Endpoint: url})
	if m.Context() != localContext {
		t.Error(m.Context())
	}
	_, err := m.Complete(t.Context(), ask("why"))
	if !errors.Is(err, llm.ErrTooLong) || requests.Load() != 2 || m.Context() != 2048 || m.habits.noStream {
		t.Errorf("%v after %d requests, context %d", err, requests.Load(), m.Context())
	}
}

func TestContextsThatServersName(t *testing.T) {
	for said, want := range map[string]int{
		"This model's maximum context length is 8192 tokens. However, you requested 10081 tokens": 8192,
		"the request exceeds the available context size (4096 tokens), try increasing it":         4096,
		`exceed_context_size_error "n_prompt_tokens":5000,"n_ctx":4096`:                           4096,
		"prompt is too long: 212321 tokens > 199999 maximum":                                      0,
		"maximum context length is 99999999999999999999":                                          0,
	} {
		e := &Error{Status: 400}
		e.classify("")
		e.narrow(strings.ToLower(said))
		if e.Kind != KindTooLong || e.context != want {
			t.Errorf("%q: %s, %d", said, e.Kind, e.context)
		}
	}
}

// A server that reads its model from the disk is waited for as long as the patience lasts.
func TestLoadingIsWaitedFor(t *testing.T) {
	loading := 9
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if loading--; loading >= 0 {
			status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)(w, r)
			return
		}
		fmt.Fprint(w, plainOK)
	})
	m, clock := newModel(t, Options{Endpoint: url, Patience: time.Minute})
	if said, err := m.Complete(t.Context(), ask("why")); err != nil || said.Text != "fine" || len(clock.waits) != 9 {
		t.Errorf("%v %v, waits %v", said, err, clock.waits)
	}
}
