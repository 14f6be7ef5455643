package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
)

// clock stands in for time between attempts and questions: a wait passes at once.
type clock struct {
	mu    sync.Mutex
	at    time.Time
	waits []time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) sleep(_ context.Context, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	c.waits = append(c.waits, d)
}

// newModel is a model at a test's server, with a clock of its own.
func newModel(t testing.TB, o Options) (*Model, *clock) {
	t.Helper()
	if o.Protocol == "" {
		o.Protocol = OpenAI
	}
	if o.Model == "" {
		o.Model = "test-model"
	}
	if o.Patience == 0 {
		o.Patience = time.Minute // of real time: no test waits for it
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	m.now, m.sleep = c.now, c.sleep
	transport := m.transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		read := new(atomic.Int64)
		reads.Store(conn.LocalAddr().String(), read)
		return &readConn{conn, read}, nil
	}
	return m, c
}

// reads has how much the clients of these tests have read, by their address.
var reads sync.Map // string → *atomic.Int64

type readConn struct {
	net.Conn
	read *atomic.Int64
}

func (c *readConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// awaitRead waits until the client of a connection has read so many bytes.
func awaitRead(c net.Conn, n int) {
	for range 10_000 {
		if read, ok := reads.Load(c.RemoteAddr().String()); ok && read.(*atomic.Int64).Load() >= int64(n) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func ask(text string) llm.Request {
	return llm.Request{System: "be brief", Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}}
}

// serve starts a server and counts the requests that reach it.
func serve(t testing.TB, handle http.HandlerFunc) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", requests
}

// listen accepts connections and counts them; handle gets each, and closes it.
func listen(t testing.TB, handle func(net.Conn)) (address string, connections *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	connections = new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go handle(c)
		}
	}()
	return l.Addr().String(), connections
}

// kindOf is the kind of an error, "" for none.
func kindOf(t testing.TB, err error) Kind {
	t.Helper()
	var fault *Error
	if err != nil && !errors.As(err, &fault) {
		t.Errorf("%T is no error of this package: %v", err, err)
		return "?"
	}
	if fault == nil {
		return ""
	}
	return fault.Kind
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct{ protocol, address, origin, base, refused string }{
		{"openai", "", "https://api.openai.com", "https://api.openai.com/v1", ""},
		{"anthropic", "", "https://api.anthropic.com", "https://api.anthropic.com/v1", ""},
		{"openai", "https://EXAMPLE.org:443/v1/", "https://example.org", "https://example.org/v1", ""},
		{"openai", "https://example.org/v1/chat/completions", "https://example.org", "https://example.org/v1", ""},
		{"anthropic", "https://example.org/a/messages/", "https://example.org", "https://example.org/a", ""},
		{"openai", "https://192.0.2.1:8443", "https://192.0.2.1:8443", "https://192.0.2.1:8443", ""},
		{"openai", "http://localhost:11434/v1", "http://localhost:11434", "http://localhost:11434/v1", ""},
		{"openai", "http://LocalHost:080/v1", "http://localhost", "http://localhost/v1", ""},
		{"openai", "http://127.4.5.6:1/v1", "http://127.4.5.6:1", "http://127.4.5.6:1/v1", ""},
		{"openai", "http://[::1]:8080/v1", "http://[::1]:8080", "http://[::1]:8080/v1", ""},
		{"openai", "http://[::ffff:127.0.0.1]/v1", "http://[::ffff:127.0.0.1]", "http://[::ffff:127.0.0.1]/v1", ""},

		{"openai", "http://example.org/v1", "", "", "must use https, or http on this machine"},
		{"openai", "http://192.168.0.2/v1", "", "", "must use https"},
		{"openai", "http://0.0.0.0:8080/v1", "", "", "must use https"},
		{"openai", "http://2130706433/v1", "", "", "must use https"},
		{"openai", "http://127.1/v1", "", "", "must use https"},
		{"openai", "http://0x7f.0.0.1/v1", "", "", "must use https"},
		{"openai", "http://localhost.example.org/v1", "", "", "must use https"},
		{"openai", "http://127.0.0.1.nip.io/v1", "", "", "must use https"},
		{"openai", "http://localhost./v1", "", "", "must use https"},
		{"openai", "http://[::]/v1", "", "", "must use https"},
		{"openai", "http://[::ffff:10.0.0.1]/v1", "", "", "must use https"},
		{"openai", "http://[fe80::1%25lo]/v1", "", "", "network zone"},
		{"openai", "ftp://example.org", "", "", "must use https"},
		{"openai", "file:///etc/passwd", "", "", "not an address"},
		{"openai", "localhost:11434", "", "", "not an address"},
		{"openai", "//example.org", "", "", "must use https"},
		{"openai", "https://", "", "", "not an address"},
		{"openai", "https://:443/v1", "", "", "not an address"},
		{"openai", "https://user:hunter2@example.org/v1", "", "", "user or password"},
		{"openai", "https://hunter2@example.org/v1", "", "", "user or password"},
		{"openai", "http://localhost@example.org/v1", "", "", "user or password"},
		{"openai", "https://example.org/v1?key=hunter2", "", "", "query or fragment"},
		{"openai", "https://example.org/v1?", "", "", "query or fragment"},
		{"openai", "https://example.org/v1#hunter2", "", "", "query or fragment"},
		{"openai", "https://example.org:0/v1", "", "", "port"},
		{"openai", "https://example.org:65536/v1", "", "", "port"},
		{"openai", "https://example.org:hunter2/v1", "", "", "not an address"},
		{"openai", "https://exämple.org/v1", "", "", "xn--"},
		{"openai", "https://example.org\\@hunter2/v1", "", "", "xn--"},
		{"openai", "https://example.org /v1", "", "", "spaces"},
		{"openai", " https://example.org/v1", "", "", "spaces"},
		{"openai", "https://example.org/\r\nX-Key: hunter2", "", "", "spaces"},
		{"openai", "https://example.org/%zzhunter2", "", "", "not an address"},
		{"openai", "https://" + strings.Repeat("a", 3000), "", "", "longer"},
		{"gopher", "https://example.org", "", "", "unknown protocol"},
	} {
		e, err := parse(Protocol(c.protocol), c.address)
		origin, _ := Origin(Protocol(c.protocol), c.address)
		if e.Origin != c.origin || e.Base != c.base || origin != c.origin || (err != nil) != (c.refused != "") {
			t.Errorf("%q: %+v, %v", c.address, e, err)
		}
		if err != nil && (kindOf(t, err) != KindAddress || !strings.Contains(err.Error(), c.refused) ||
			strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "brv.model.")) {
			t.Errorf("%q: %v", c.address, err)
		}
	}
}

// A name of this machine may lead anywhere; what is dialled decides.
func TestHTTPIsDialledOnThisMachineAlone(t *testing.T) {
	var own net.IP
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
			own = n.IP
		}
	}
	if own == nil {
		own = net.IPv4zero // no network: the address of no machine, on which a listener answers too
	}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	m, _ := newModel(t, Options{Endpoint: "http://localhost:" + port + "/v1", Key: "hunter2-hunter2", Patience: 5 * time.Second})
	m.at.Base = "http://" + net.JoinHostPort(own.String(), port) // as if localhost were that
	_, err = m.Complete(t.Context(), ask("why"))
	if kindOf(t, err) != KindAddress || !strings.Contains(err.Error(), "resolves to another") {
		t.Error(err)
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(50 * time.Millisecond))
	if c, err := l.Accept(); err == nil {
		t.Errorf("%s was connected to", c.LocalAddr())
	}
}

// A proxy is the user's own setting; it sees the host's name and no more.
func TestProxyIsForOtherMachinesAlone(t *testing.T) {
	here, _ := newModel(t, Options{Endpoint: "http://localhost:1/v1"})
	away, _ := newModel(t, Options{Endpoint: "https://model.example.org/v1", Key: "hunter2-hunter2"})
	if here.transport.(*http.Transport).Proxy != nil || away.transport.(*http.Transport).Proxy == nil {
		t.Error("a proxy for this machine, or none for others")
	}
	saw := make(chan string, 9)
	address, _ := listen(t, func(c net.Conn) {
		defer c.Close()
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			saw <- err.Error()
			return
		}
		var b bytes.Buffer
		r.Write(&b)
		saw <- r.Method + " " + r.Host + "\n" + b.String()
		fmt.Fprint(c, "HTTP/1.1 502 Bad Gateway\r\n\r\n")
	})
	proxy, _ := http.NewRequest("GET", "http://"+address, nil)
	away.transport.(*http.Transport).Proxy = http.ProxyURL(proxy.URL)
	_, err := away.Complete(t.Context(), ask("the question"))
	got := <-saw
	if kindOf(t, err) != KindUnreachable || !strings.HasPrefix(got, "CONNECT model.example.org:443\n") ||
		strings.Contains(got, "hunter2") || strings.Contains(got, "question") {
		t.Errorf("%v\n%s", err, got)
	}
}

// Whatever is done with a model, its options and its errors, the key is in none of it.
func TestKeyIsNowhere(t *testing.T) {
	const key = "s3cr3t-hunter2-of-mine"
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	hidden := strings.Join(strings.Split(key, ""), "\u200b")
	echo := strings.Join([]string{key, hidden, strings.Repeat(" ", 3*maxSaid) + key, strings.Repeat("x", maxSaid-5) + key,
		strings.Repeat(" ", maxRefusal-90) + key}, "\x00")
	for _, answer := range []string{
		`{"error": {"message": ` + quoted(echo) + `}}`, `{"error": ` + quoted(key) + `}`, `{"detail": ` + quoted(key) + `}`,
		`{"message": ` + quoted(hidden) + `}`,
		strings.Repeat(" ", maxRefusal-16) + key, "<p>" + strings.Repeat(" ", 4096-19) + key,
		`{"choices": "` + strings.Repeat(" ", maxRefusal-29) + key + `"}`,
		echo, "<html>" + key, strings.Repeat("\u200b", maxRefusal/3-7) + key, "data: {\"error\": {\"message\": " + quoted(key) +
			"}}\n\n", "data: " + key + "\n\n",
	} {
		for _, status := range []int{200, 302, 400, 401, 404, 413, 429, 500} {
			url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer "+key {
					t.Errorf("the key did not come: %v", r.Header)
				}
				w.Header().Set("Location", "https://"+key+".example.org/"+key)
				w.WriteHeader(status)
				fmt.Fprint(w, answer)
			})
			o := Options{Endpoint: url, Key: key, Log: logger, Protocol: OpenAI, Model: "m"}
			m, _ := newModel(t, o)
			_, err := m.Complete(t.Context(), ask("a private question"))
			if err == nil {
				t.Fatalf("%d %q is no error", status, answer)
			}
			type holder struct {
				m *Model
				e error
			}
			shown := fmt.Sprintf("%v %+v %#v %s %q %x", o, o, o, o, o, o) + fmt.Sprintf("%v %+v %#v %s %q", m, m, m, m, m) +
				fmt.Sprintf("%+v %#v", holder{m, err}, &holder{m, err}) + fmt.Sprintf("%v %+v %#v %q", err, err, err, err)
			b, _ := json.Marshal(o)
			shown += string(b)
			logger.Info("all", "options", o, "model", m, "error", err)
			if len(err.Error()) > maxSaid+400 {
				t.Errorf("%d: an error of %d bytes", status, len(err.Error()))
			}
			for _, bad := range []string{key, fmt.Sprintf("%x", key), hidden, "hunter2"} {
				if strings.Contains(shown, bad) || strings.Contains(log.String(), bad) {
					t.Errorf("%d %.60q: the key in\n%s\n%s", status, answer, shown, log.String())
				}
			}
			if strings.Contains(log.String(), "private") {
				t.Errorf("the question in the log: %s", log.String())
			}
			log.Reset()
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestWhatNoModelCanBeMadeOf(t *testing.T) {
	for kind, o := range map[Kind]Options{
		KindModel:   {Protocol: OpenAI, Model: " "},
		KindKey:     {Protocol: OpenAI, Model: "m", Key: "hunter2\r\nX-Other: 1"},
		KindAddress: {Protocol: OpenAI, Model: "m", Endpoint: "http://example.org"},
	} {
		if m, err := New(o); m != nil || kindOf(t, err) != kind || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if m, err := New(Options{Protocol: Anthropic, Model: "m", Key: " key\n"}); err != nil || m.Name() != "m" ||
		m.String() != "m at https://api.anthropic.com" {
		t.Error(m, err)
	}
}

// The loop and a scripted server, in both protocols: what the one says is what the other
// understands.
func TestConversation(t *testing.T) {
	look := llm.NewTool("look", "Shows a file.", func(_ context.Context, a struct {
		Path string `json:"path" about:"the file"`
	}) (string, error) {
		return "the text of " + a.Path, nil
	})
	script := `
turn
want system: be brief
want last: why
want tools: look
want calls: yes
say Let me look.
call look {"path": "a.md"}
call look {"path": "ü.md"}
usage 100 20
turn
want last: the text of a.md
want last: the text of ü.md
want last: result c2
want calls: no
want any: "ü.md"}
say Because of ü.
usage 200 5`
	want := llm.Outcome{Text: "Because of ü.\n", End: llm.EndTurns, Turns: 2, Calls: 2, Usage: llm.Usage{Input: 300, Output: 25}}
	for _, p := range []Protocol{OpenAI, Anthropic} {
		t.Run(string(p), func(t *testing.T) {
			turns, err := llmtest.Parse(script)
			if err != nil {
				t.Fatal(err)
			}
			s := llmtest.Serve(t, turns...)
			m, _ := newModel(t, Options{Protocol: p, Endpoint: s.URL, Key: llmtest.Key})
			r := ask("why")
			r.Tools, r.MaxTokens, r.Temperature = []llm.Tool{look}, 50, 0.3
			streamed := ""
			r.Stream = func(piece string) { streamed += piece }
			out, err := llm.Run(t.Context(), llm.Guard(m), r, llm.Limits{Turns: 2})
			out.Messages = nil
			if diff := cmp.Diff(want, out); diff != "" || err != nil || streamed != "Let me look.\nBecause of ü.\n" {
				t.Errorf("%v %q (-want +got)\n%s", err, streamed, diff)
			}
			for _, q := range s.Requests() {
				if !q.KeyRight || q.Request.MaxTokens != 50 || q.Request.Temperature != 0.3 ||
					strings.Contains(fmt.Sprint(q), llmtest.Key) {
					t.Errorf("%+v", q)
				}
			}
		})
	}
}

func TestStructuredAnswer(t *testing.T) {
	for _, p := range []Protocol{OpenAI, Anthropic} {
		s := llmtest.Serve(t, llmtest.Turn{Want: []llmtest.Want{{In: "any", Text: "schema "}}, Say: llm.Response{Text: `{"n": 5}`}},
			llmtest.Turn{Say: llm.Response{Text: "five"}})
		m, _ := newModel(t, Options{Protocol: p, Endpoint: s.URL, Key: llmtest.Key})
		r := ask("how many")
		r.Schema = &llm.Schema{Name: "count", JSON: json.RawMessage(
			`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)}
		streamed := ""
		r.Stream = func(piece string) { streamed += piece }
		said, err := m.Complete(t.Context(), r)
		if err != nil || said.Text != `{"n": 5}` || len(said.Calls) > 0 || streamed != said.Text {
			t.Errorf("%s: %+v %v %q", p, said, err, streamed)
		}
		if _, err = m.Complete(t.Context(), r); kindOf(t, err) != KindAnswer || !strings.Contains(err.Error(), "not one JSON object") {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestWhatIsOneObject(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}`:                 `{"a":1}`,
		" \n{\"a\":1}\n":          `{"a":1}`,
		"```json\n{\"a\":1}\n```": `{"a":1}`,
		"Here it is:\n```\n{\"a\":1}\n```\nThat is it.": `{"a":1}`,
		"```json\n{\"a\":\"```\"}\n```":                 "{\"a\":\"```\"}",
		"{\"a\":\"```json\\n{}\\n```\"}":                "{\"a\":\"```json\\n{}\\n```\"}",
		"<think>{}\n</think>\n{\"a\":1}":                `{"a":1}`,
		`{"a":1}{"b":2}`:                                "", `[1]`: "", `5`: "", `"{}"`: "", ``: "", `{"a":1`: "", "```json\n{}": "",
		"```": "", "<think>{}": "", `null`: "",
	} {
		if got, ok := objectIn(text); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
}
