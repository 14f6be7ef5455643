package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/mcp/mcptest"
)

const secretToken = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// serveHTTP runs a server for many; its end is waited for.
func serveHTTP(t *testing.T, o Options) (address string) {
	t.Helper()
	o.Now = func() time.Time { return now }
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- ServeHTTP(ctx, l, secretToken, o) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

// bearer shows a token with each request.
type bearer struct{ http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+secretToken)
	return b.RoundTripper.RoundTrip(r)
}

// dialHTTP connects a client of the SDK.
func dialHTTP(t *testing.T, address, name string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	session, err := sdk.NewClient(&sdk.Implementation{Name: name, Version: "1"}, o).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: "http://" + address + Path,
			HTTPClient: &http.Client{Transport: bearer{transport}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func TestManySessionsShareOneFolder(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	var log bytes.Buffer // the handler writes one record at a time
	address := serveHTTP(t, Options{Root: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	const sessions = 50
	var all sync.WaitGroup
	for i := range sessions {
		c := dialHTTP(t, address, fmt.Sprintf("agent %d", i), nil)
		t.Cleanup(func() { c.Close() })
		all.Go(func() {
			for name, arguments := range map[string]map[string]any{
				"brv_search": {"query": "tokens"}, "brv_context": {"task": "sign access tokens"}, "brv_repo_map": nil,
				"brv_curate": {"operations": []map[string]any{{"type": "ADD", "path": "a/b", "title": fmt.Sprint("Entry ", i),
					"reason":  "a test",
					"content": map[string]any{"facts": []map[string]any{{"statement": fmt.Sprint("Fact ", i)}}}}}},
			} {
				r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
				if err != nil || r.IsError {
					t.Errorf("session %d, %s: %+v, %v", i, name, r, err)
				}
			}
		})
	}
	all.Wait()
	// Each proposal is that of its own client.
	c := dialHTTP(t, address, "reader", nil)
	t.Cleanup(func() { c.Close() })
	text := textOf(t, ask(t, c, "brv_review", map[string]any{"action": "list", "max_tokens": 100_000}))
	for i := range sessions {
		if !strings.Contains(text, fmt.Sprintf("by mcp: agent %d,", i)) {
			t.Errorf("nothing is by agent %d", i)
		}
	}
	if n := strings.Count(log.String(), "msg=folder"); n != 1 {
		t.Errorf("the folder is opened %d times:\n%s", n, log.String())
	}
}

func TestEachSessionIsToldWhatItFollows(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	address := serveHTTP(t, Options{Root: dir})
	told := make(chan string, 9)
	follow := func(name string) *sdk.ClientSession {
		c := dialHTTP(t, address, name, &sdk.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { told <- name },
		})
		t.Cleanup(func() { c.Close() })
		if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: tokensURI}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	follow("stays")
	leaves := follow("leaves")
	if err := leaves.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: tokensURI}); err != nil {
		t.Fatal(err)
	}
	rewrite(t, dir)
	if name := <-told; name != "stays" {
		t.Errorf("%s is told", name)
	}
}

// post sends one message, and returns the status and the text of the answer.
func post(t *testing.T, address, body string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+secretToken)
	change(r)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

const helloHTTP = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func TestOnlyTheUsersOwnAgentsAreAnswered(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	address := serveHTTP(t, Options{Root: dir})
	_, port, _ := net.SplitHostPort(address)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for name, c := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"token":                      {func(*http.Request) {}, 200},
		"localhost":                  {host("localhost:" + port), 200},
		"own origin":                 {header("Origin", "http://"+address), 200},
		"no token":                   {func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"wrong token":                {header("Authorization", "Bearer "+strings.ToLower(secretToken)), 401},
		"empty token":                {header("Authorization", "Bearer "), 401},
		"longer token":               {header("Authorization", "Bearer "+secretToken+"A"), 401},
		"another scheme":             {header("Authorization", "Basic "+secretToken), 401},
		"foreign origin":             {header("Origin", "https://example.org"), 403},
		"null origin":                {header("Origin", "null"), 403},
		"origin on another port":     {header("Origin", "http://127.0.0.1:1"), 403},
		"origin that begins like it": {header("Origin", "http://"+address+".example.org"), 403},
		"two origins": {func(r *http.Request) {
			r.Header["Origin"] = []string{"http://" + address, "https://example.org"}
		}, 403},
		"rebinding host":         {host("attacker.example:" + port), 403},
		"host without port":      {host("127.0.0.1"), 403},
		"host of another port":   {host("127.0.0.1:1"), 403},
		"host that ends like it": {host("x.localhost:" + port), 403},
		"another path":           {func(r *http.Request) { r.URL.Path = "/" }, 404},
	} {
		got, text := post(t, address, helloHTTP, c.change)
		if got != c.want || got != 200 && strings.Contains(text, secretToken) {
			t.Errorf("%s: %d, want %d: %s", name, got, c.want, text)
		}
	}
}

func TestOnlyLoopbackIsListenedAt(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0", "192.0.2.1:0", "example.org:0", "127.0.0.1", ""} {
		if l, err := Listen(address); err == nil {
			l.Close()
			t.Errorf("%q is listened at", address)
		}
	}
}

func TestBothErasAreServedOverHTTP(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	address := serveHTTP(t, Options{Root: dir})
	status, text := post(t, address, fmt.Sprintf(searchCall, 1, ","+stateless), func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "brv_search")
	})
	if status != 200 || !strings.Contains(text, "Access tokens") {
		t.Errorf("%d: %s", status, text)
	}
	for body, want := range map[string]string{
		"{": "-32700", "3": "-32600", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`: "-32600",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`: "-32600",
	} {
		if status, text := post(t, address, body, func(*http.Request) {}); status != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: %d: %s", body, status, text)
		}
	}
}

// Whatever one client sends, another is answered.
func TestAStormOverHTTPLeavesTheOthersAlone(t *testing.T) {
	dir, _ := folder(t, "calls.txtar")
	address := serveHTTP(t, Options{Root: dir})
	other := dialHTTP(t, address, "other", nil)
	t.Cleanup(func() { other.Close() })
	for _, modern := range []bool{false, true} {
		storm := mcptest.NewStorm(rand.Uint64(), modern)
		session := ""
		if !modern {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+Path,
				strings.NewReader(helloHTTP))
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Content-Type", "application/json")
			answer, err := (&http.Client{Transport: bearer{http.DefaultTransport}}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			session = answer.Header.Get("Mcp-Session-Id")
			answer.Body.Close()
		}
		for range 150 {
			line, _, _ := storm.Next()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // what listens for good is left
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+Path,
				strings.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Content-Type", "application/json")
			if session != "" {
				r.Header.Set("Mcp-Session-Id", session)
			}
			if modern {
				r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			}
			if answer, err := (bearer{http.DefaultTransport}).RoundTrip(r); err == nil {
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
			cancel()
		}
		ask(t, other, "brv_search", map[string]any{"query": "tokens"})
	}
}

func TestTheTokenIsTheUsersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "brv-lsp")
	first, file, err := Token(dir)
	if err != nil || len(first) < tokenSize {
		t.Fatal(first, err)
	}
	if again, _, err := Token(dir); err != nil || again != first {
		t.Errorf("%q is %q the second time, %v", first, again, err)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, text := range []string{"", "short\n", strings.Repeat("a", 20) + "\n" + strings.Repeat("b", 20),
		strings.Repeat("é", 30)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Token(dir); err == nil {
			t.Errorf("%q is a token", text)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Token(dir); err == nil || strings.Contains(err.Error(), first) {
		t.Errorf("a file that all can read: %v", err)
	}
}
