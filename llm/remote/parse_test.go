package remote

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/llm"
)

// all reads a whole stream: the data of its events, with ! before those called error.
func all(in io.Reader) (out []string, err error) {
	s := events{in: bufio.NewReader(in)}
	for {
		data, err := s.next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if s.failed {
			data = append([]byte("!"), data...)
		}
		out = append(out, string(data))
	}
}

func TestEvents(t *testing.T) {
	for in, want := range map[string]string{
		"":                            "",
		"data: a\n\ndata: b\n\n":      `["a" "b"]`,
		"data:a\n\n":                  `["a"]`,
		"data:  a\n\n":                `[" a"]`,
		"data: a\ndata: b\n\n":        `["a\nb"]`,
		"data\n\n":                    `[""]`,
		"data:\n\n":                   `[""]`,
		"\n\n\n":                      "",
		": comment\n\n":               "",
		":\ndata: a\n:\n\n":           `["a"]`,
		"data: a\r\n\r\ndata: b\r\r":  `["a" "b"]`,
		"data: a\r\rdata: b\n\n":      `["a" "b"]`,
		"data: a":                     `["a"]`,
		"data: a\n":                   `["a"]`,
		"event: x\n\n":                "",
		"event: error\ndata: a\n\n":   `["!a"]`,
		"data: a\nevent: error\n\n":   `["!a"]`,
		"event: error\n\ndata: a\n\n": `["a"]`,
		"id: 1\nretry: 2\nother\ndatum: c\ndata: a\n\n": `["a"]`,
		"Data: a\n\n": "",
	} {
		got, err := all(strings.NewReader(in))
		shown := ""
		if len(got) > 0 {
			shown = fmt.Sprintf("%q", got)
		}
		if shown != want || err != nil {
			t.Errorf("%q: %s, %v", in, shown, err)
		}
	}
}

// Whatever comes, in whatever pieces and with whatever line ends, is the same events, within
// the limits.
func FuzzEvents(f *testing.F) {
	for _, body := range tapes(f) {
		f.Add(string(body))
	}
	f.Add("data: a\r\n\r\nevent: error\rdata\ndata: b\n\n: c")
	f.Fuzz(func(t *testing.T, in string) {
		whole, err := all(strings.NewReader(in))
		bytewise, err1 := all(iotest.OneByteReader(strings.NewReader(in)))
		if diff := cmp.Diff(whole, bytewise); diff != "" || (err == nil) != (err1 == nil) {
			t.Errorf("byte by byte: %v %v\n%s", err, err1, diff)
		}
		if !strings.Contains(in, "\r") {
			crlf, err1 := all(strings.NewReader(strings.ReplaceAll(in, "\n", "\r\n")))
			if diff := cmp.Diff(whole, crlf); diff != "" || (err == nil) != (err1 == nil) {
				t.Errorf("with CR LF: %v %v\n%s", err, err1, diff)
			}
		}
		for _, data := range whole {
			if len(data) > maxEvent+1 {
				t.Errorf("an event of %d bytes", len(data))
			}
		}
	})
}

// tapes are the bodies of all answers in testdata/dialects.
func tapes(t testing.TB) (bodies [][]byte) {
	names, _ := filepath.Glob("testdata/dialects/*.txtar")
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".response") {
				_, body, _ := bytes.Cut(file.Data, []byte("\n\n"))
				bodies = append(bodies, body)
			}
		}
	}
	if len(bodies) < 20 {
		t.Fatal("no testdata")
	}
	return bodies
}

func FuzzOpenAIAnswer(f *testing.F)    { fuzzAnswer(f, OpenAI) }
func FuzzAnthropicAnswer(f *testing.F) { fuzzAnswer(f, Anthropic) }

// fuzzAnswer reads whatever a server may say with each status: there is an answer or an
// error, which can be shown; what was streamed is what was said; and a conversation that goes
// on from it can be written.
func fuzzAnswer(f *testing.F, p Protocol) {
	for _, body := range tapes(f) {
		for _, status := range []int{200, 400, 500} {
			f.Add(body, status, false)
		}
		f.Add(body, 200, true)
	}
	m, err := New(Options{Protocol: p, Model: "m", Patience: time.Hour})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int, form bool) {
		r := ask("why")
		if form {
			r.Schema = &llm.Schema{Name: "count", JSON: json.RawMessage("{}")}
		}
		streamed := ""
		r.Stream = func(piece string) { streamed += piece }
		w := watch(t.Context(), time.Hour, m.now)
		defer w.stop()
		a := newAnswer(w, r)
		response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}
		var fault *Error
		if status/100 == 2 {
			if fault = m.read(w, response, a); fault == nil {
				fault = a.finish(r)
			}
		} else {
			fault = m.refused(response)
		}
		if fault != nil {
			if words[fault.Kind].what == "" || len(fault.Message) > maxSaid || strings.ContainsAny(fault.Message, "\x00\n\r\u202e\u200b") ||
				strings.ToValidUTF8(fault.Message, "") != fault.Message {
				t.Errorf("%q %q", fault.Kind, fault.Message)
			}
			return
		}
		text := a.text.String()
		if !form && text != streamed || form && len(a.calls.list) == 0 &&
			(!json.Valid([]byte(text)) || !strings.HasPrefix(text, "{") || !strings.Contains(streamed, text)) {
			t.Errorf("said %q, streamed %q", text, streamed)
		}
		on := llm.Request{Messages: []llm.Message{{Role: llm.RoleAssistant, Text: text, Calls: a.calls.list}}}
		if _, out, err := m.speak.request("m", on, habits{}); err != nil || !json.Valid(out) {
			t.Errorf("%v %s", err, out)
		}
	})
}

// BenchmarkStream reads an answer of 1,024 tokens, a piece each, as OpenAI streams it.
func BenchmarkStream(b *testing.B) {
	piece := `data: {"id":"chatcmpl-Aq1","object":"chat.completion.chunk","created":1767323045,"model":"gpt-5-mini-2025-08-07","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x1Yz"}` + "\n\n"
	body := []byte(strings.Repeat(piece, 1024) + lastOK + doneOK)
	m, err := New(Options{Protocol: OpenAI, Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		w := watch(b.Context(), time.Minute, m.now)
		a := newAnswer(w, llm.Request{Stream: func(string) {}})
		if fault := m.read(w, &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewReader(body))}, a); fault != nil ||
			a.finish(llm.Request{}) != nil || a.text.Len() != 6*1024 {
			b.Fatal(fault)
		}
		w.stop()
	}
}
