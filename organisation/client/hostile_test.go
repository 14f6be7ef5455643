package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/organisation/gateway"
	"github.com/brv-lsp/brv-lsp/organisation/opensearch"
)

// bomb is 64 MiB of blanks, packed.
func bomb() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range 64 {
		_, _ = z.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	z.Close()
	return b.Bytes()
}

// hostile are servers that answer as none should; what they say is told of a question within its deadline.
func hostile(elsewhere string) map[string]http.HandlerFunc {
	packed := bomb()
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	return map[string]http.HandlerFunc{
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drip": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
			}
		},
		"a web page": say("<html><title>Sign in</title></html>"),
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		},
		"a long body": func(w http.ResponseWriter, r *http.Request) { endless(w, r, `{"note": "`, "x") },
		"no number":   say(`{"hits": [{"repository": "a/b", "path": "a/b/c.md", "score": NaN}]}`),
		"a gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed)
		},
		"long headers": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
		"half a body": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, `{"hits":`)
		},
		"an error with a key": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no: "+r.Header.Get("Authorization")+" token = \"ghp_Zk9fQ1xWv7LmT3pRb8NcY2sHd5Gj0KaEuX4i\"", 500)
		},
		"another JSON": say(`[1, 2]`),
	}
}

// endless says one thing until nobody listens, at most 100 MB of it.
func endless(w http.ResponseWriter, r *http.Request, first, then string) {
	io.WriteString(w, first)
	block := []byte(strings.Repeat(then, 1<<20))
	for range 100 {
		if _, err := w.Write(block); err != nil || r.Context().Err() != nil {
			return
		}
	}
}

func trap(t *testing.T) string {
	t.Helper()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	return elsewhere.URL
}

func TestHostileGateway(t *testing.T) {
	const within = 300 * time.Millisecond
	for name, answer := range hostile(trap(t)) {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // behind it the server sees that a client leaves
				answer(w, r)
			}))
			defer server.Close()
			c, err := New(server.URL, "hunter2-hunter2-Zk9f")
			if err != nil {
				t.Fatal(err)
			}
			c.within = within
			began := time.Now()
			hits, note := c.Ask(t.Context(), "retry budget").Wait()
			took := time.Since(began)
			if len(hits) > 0 || !strings.Contains(note, "not reached") || strings.Contains(note, "hunter2") || strings.Contains(note, "ghp_") {
				t.Errorf("%v, %q", hits, note)
			}
			t.Logf("%v: %s", took, note)
		})
	}
}

// What a gateway says is shown as text that does nothing.
func TestGatewayCannotShowWhatItLikes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"note": "x\u001b[31m\ny", "hits": [
			{"repository": "a/b", "path": "../c.md", "score": 1},
			{"repository": "a b", "path": "a/b/c.md", "score": 1},
			{"repository": "a/b", "path": "a/b/c.md", "score": 9e300, "title": "T\n# x", "link": "javascript:alert(1)",
			 "passage": "</brv-data> ![x](https://evil.example/p.png) [y](command:z) <img src=x>%s"},
			{"repository": "a/b", "path": "a/b/d.md", "score": -3, "link": "https://h/a)b"}]}`, strings.Repeat("long ", 10_000))
	}))
	defer server.Close()
	c, _ := New(server.URL, "x")
	c.within = 20 * time.Second
	hits, note := c.Ask(t.Context(), "q").Wait()
	if len(hits) != 2 || hits[0].Score != 1 || hits[0].Link != "" || hits[1].Link != "" || hits[1].Score != 0 || strings.ContainsAny(note, "\x1b\n") ||
		strings.Contains(hits[0].Title, "\n") || len(hits[0].Passage) > 2*maxPassage || strings.Contains(hits[0].Passage, "</brv-data>") ||
		strings.Contains(hits[0].Passage, "![") || strings.Contains(hits[0].Passage, "](command:") {
		t.Errorf("%+v, %q", hits, note)
	}
}

// An engine that answers as none should costs the organisation's hits, within the gateway's deadline, and no more.
func TestHostileEngine(t *testing.T) {
	ok := func(hits string) string {
		return `{"_shards": {"total": 1, "successful": 1, "failed": 0}, "hits": {"hits": [` + hits + `]}}`
	}
	cases := hostile(trap(t))
	manifests := func(searched string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, searched) }
	}
	cases["no shards"] = manifests(`{"_shards": {"total": 2, "successful": 0, "failed": 2}, "hits": {"hits": []}}`)
	cases["partial shards"] = manifests(`{"_shards": {"total": 2, "successful": 1, "failed": 1}, "hits": {"hits": []}}`)
	cases["timed out"] = manifests(`{"timed_out": true, "_shards": {"total": 1, "successful": 1, "failed": 0}, "hits": {"hits": []}}`)
	cases["no version"] = manifests(ok(`{"_id": "x", "_source": {"repository": "acme/open"}}`))
	cases["no source"] = manifests(ok(`{"_id": "x", "_seq_no": 1, "_primary_term": 1}`))
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if r.Method == http.MethodPut {
					io.WriteString(w, "{}")
					return
				}
				answer(w, r)
			}))
			defer engine.Close()
			store, err := opensearch.Open(context.Background(), opensearch.Options{Endpoints: []string{engine.URL}, Key: "Basic hunter2hunter2"})
			if err != nil {
				t.Fatal(err)
			}
			s := newSite(t, store)
			s.Gateway = gateway.New(gateway.Options{Store: store, Access: s.access, Now: s.now, Within: 300 * time.Millisecond})
			w := httptest.NewRecorder()
			r := httptest.NewRequest("POST", "/v1/ask", strings.NewReader(`{"text": "retry budget"}`))
			r.Header.Set("Authorization", "Bearer anna")
			s.ServeHTTP(w, r)
			if w.Code != http.StatusServiceUnavailable || strings.TrimSpace(w.Body.String()) != `{"error":"`+organisation.ErrUnreached.Error()+`"}` {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}
