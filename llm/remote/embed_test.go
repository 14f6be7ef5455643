package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/llm/llmtest"
)

func encoderAt(t *testing.T, o Options) *Encoder {
	t.Helper()
	o.Model = "m"
	e, err := NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEncoderGivesEachTextItsVector(t *testing.T) {
	server := llmtest.ServeEncoder(t)
	for _, address := range []string{server.URL, server.URL + "/", server.URL + "/embeddings"} {
		got, err := encoderAt(t, Options{Endpoint: address}).Embed(t.Context(), []string{"one", "two", "one"})
		if err != nil || len(got) != 3 || !slices.Equal(got[0], got[2]) || slices.Equal(got[0], got[1]) {
			t.Fatal(got, err)
		}
	}
	if asked := server.Asked(); len(asked) != 9 || asked[1] != "two" {
		t.Error(asked)
	}
}

// What servers say instead of vectors is an error of a kind, and none is taken for an answer.
func TestFaultsOfEncoders(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	vectors := func(list ...string) http.HandlerFunc { return status(200, `{"data":[`+strings.Join(list, ",")+`]}`) }
	for _, c := range []struct {
		about string
		says  http.HandlerFunc
		kind  Kind
		text  string
	}{
		{"fewer vectors", vectors(`{"embedding":[1,2]}`), KindAnswer, "1 vectors for 2 texts"},
		{"none", vectors(), KindAnswer, "0 vectors"},
		{"nothing", status(200, ""), KindAnswer, "no vectors"},
		{"a web page", status(200, "<html>"), KindAnswer, "no vectors"},
		{"two lengths", vectors(`{"embedding":[1,2]}`, `{"embedding":[1]}`), KindAnswer, "unusable lengths, 2 and 1"},
		{"no numbers", vectors(`{"embedding":[]}`, `{"embedding":[]}`), KindAnswer, "zero or invalid vector"},
		{"zeros", vectors(`{"embedding":[1,2]}`, `{"embedding":[0,0]}`), KindAnswer, "zero or invalid vector"},
		{"NaN", vectors(`{"embedding":[NaN,1]}`, `{"embedding":[0,1]}`), KindAnswer, "no vectors"},
		{"infinite", vectors(`{"embedding":[1e99,1]}`, `{"embedding":[0,1]}`), KindAnswer, "no vectors"},
		{"strings", vectors(`{"embedding":"AAAA"}`, `{"embedding":"AAAA"}`), KindAnswer, "no vectors"},
		{"too many numbers", vectors(`{"embedding":[1`+strings.Repeat(",1", maxDimensions)+`]}`, `{"embedding":[1]}`), KindAnswer, "unusable lengths"},
		{"one text twice", vectors(`{"index":0,"embedding":[1]}`, `{"index":0,"embedding":[1]}`), KindAnswer, "invalid or repeated"},
		{"no such text", vectors(`{"index":7,"embedding":[1]}`, `{"index":0,"embedding":[1]}`), KindAnswer, "invalid or repeated"},
		{"an error with success", status(200, `{"error":{"message":"no slot"}}`), KindServer, "no slot"},
		{"too long", status(400, `{"error":{"message":"input (600 tokens) is too large to process"}}`), KindTooLong, ""},
		{"no key", status(401, `{}`), KindKey, "brv.embedding.keyVariable"},
		{"no model", status(404, `{}`), KindModel, "brv.embedding.model"},
		{"the server failed", status(500, `{"error":{"message":"boom"}}`), KindServer, "boom"},
		{"elsewhere", status(307, "", "Location", other.URL+"/v1/embeddings"), KindAddress, "redirects are not followed"},
		{"100 MB", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data":[{"embedding":[`)
			for range 100 << 10 {
				if _, err := w.Write([]byte(strings.Repeat("1,", 512))); err != nil {
					return
				}
			}
		}, KindTooLarge, ""},
		{"silence", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that nobody waits
			<-r.Context().Done()
		}, KindSilent, ""},
	} {
		t.Run(c.about, func(t *testing.T) {
			server := httptest.NewServer(c.says)
			defer server.Close()
			patience := time.Minute
			if c.kind == KindSilent {
				patience = time.Millisecond
			}
			e := encoderAt(t, Options{Endpoint: server.URL + "/v1", Patience: patience})
			got, err := e.Embed(t.Context(), []string{"a", "b"})
			if got != nil || kindOf(t, err) != c.kind || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "brv.model") {
				t.Errorf("%v, %v", got, err)
			}
			if tooLong := errors.Is(err, llm.ErrTooLong); tooLong != (c.kind == KindTooLong) {
				t.Error(err)
			}
		})
	}
	if elsewhere.Load() > 0 {
		t.Error("another origin was asked")
	}
}

// After five failures nobody is asked for a while; who leaves blames nobody.
func TestEncoderRests(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(500)
	}))
	defer server.Close()
	e := encoderAt(t, Options{Endpoint: server.URL})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := e.Embed(gone, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	asked.Store(0)
	for range 8 {
		_, _ = e.Embed(t.Context(), []string{"a"})
	}
	if asked.Load() != 5 {
		t.Error(asked.Load())
	}
}

func TestAddressesOfEncoders(t *testing.T) {
	for _, address := range []string{"", "http://encoder.example/v1", "https://u:p@encoder.example", "ftp://x", "https://x?q"} {
		if _, err := NewEncoder(Options{Endpoint: address, Model: "m"}); err == nil || !strings.Contains(err.Error(), "brv.embedding.endpoint") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := NewEncoder(Options{Endpoint: "https://x"}); err == nil || !strings.Contains(err.Error(), "brv.embedding.model") {
		t.Error(err)
	}
}

func FuzzVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2.5]}]}`), 1)
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		n = max(0, n%20)
		if got, fault := readVectors(text, n); fault == nil && len(got) != n {
			t.Error(got)
		}
	})
}
