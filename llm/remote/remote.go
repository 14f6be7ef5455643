// Package remote provides models on a server: any server with OpenAI's chat completions (OpenAI, Ollama, vLLM, LM
// Studio, llama.cpp, OpenRouter), or with Anthropic's messages.
//
//	m, err := remote.New(remote.Options{Protocol: remote.OpenAI, Endpoint: "http://localhost:11434/v1", Model: "qwen3:8b"})
//	said, err := llm.Guard(m).Complete(ctx, question)
//
// It opens a connection for each request, only to the address in the user's settings, by the rules of package
// outbound: no redirect, TLS, and a proxy from the user's environment. The key is sent only to its endpoint's
// origin, and never appears in an error, a log or printed output. Connections are not kept, since a question takes
// seconds and a handshake milliseconds. So none stays open, and none is reused after the server has closed it.
//
// An answer is streamed, so that a server that hangs is noticed. Servers that do not stream work too. Where
// servers of a protocol differ, the package tries several forms, and remembers the one that worked (habits). The
// limits are those for models in the project's table of faults: 4 MiB for an answer after decompression, 64 KiB
// for one event and for the headers, 2 retries, 60 s of rest after 5 failures in a row ([llm.Breaker]), 100 ms
// from a cancelled context to a closed connection. The wire formats follow the providers' public references.
// testdata/dialects has an exchange for each, written by hand from those references; only llamacpp-python.txtar
// was recorded from a server. `./test models` tests that server and LiteLLM's proxy.
package remote

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/llm"
)

// Protocol is the protocol of a server.
type Protocol string

// The protocols.
const (
	OpenAI    Protocol = "openai"
	Anthropic Protocol = "anthropic"
)

// Options describes a model and its server. Printing them does not show the key.
type Options struct {
	Protocol Protocol
	Endpoint string // "" for the provider's own; https, or http on this machine
	Model    string // the server's name for the model
	// Key is sent to the endpoint's origin and nowhere else; "" sends none.
	Key string `json:"-"`
	// Patience is how long the server may be silent, before the first piece and between two, by the rule of
	// [llm.Hearing]; 0 for 5 s. Data that only keep a connection open count as silence: comments, pings, empty
	// deltas, counts of tokens.
	Patience time.Duration
	// Context is how many tokens the model accepts, including its answer. 0 means the usual number: 4,096 on this
	// machine (Ollama's default, beyond which it cuts silently), 128,000 elsewhere. If the server names a number
	// in a refusal, that counts from then on.
	Context int
	Log     *slog.Logger // discards if nil; gets neither keys nor texts
}

// Format prints options without their key, whatever the verb.
func (o Options) Format(s fmt.State, _ rune) {
	key := ""
	if o.Key != "" {
		key = " with a key"
	}
	fmt.Fprintf(s, "%s model %s at %s%s", o.Protocol, o.Model, cmp.Or(originOf(o), "no usable endpoint"), key)
}

func originOf(o Options) string {
	origin, _ := Origin(o.Protocol, o.Endpoint)
	return origin
}

const (
	defaultPatience = 5 * time.Second // from the specification's one-call tier
	maxRetries      = 2               // the project's limit
	maxKey          = 4 << 10         // bytes; signed tokens of cloud providers have 2,000
)

// The contexts that are assumed, in tokens.
const (
	localContext = 4096
	makerContext = 128_000
)

// Model is a model on a server. It is safe for concurrent use.
type Model struct {
	name      string
	at        outbound.Address
	speak     dialect
	authorize func(http.Header)               // a closure, so that printing a Model never shows its key
	clean     func(said string) (safe string) // cleans a server's message for an error
	transport http.RoundTripper
	patience  time.Duration
	log       *slog.Logger
	now       func() time.Time
	sleep     func(ctx context.Context, d time.Duration) // until ctx ends

	breaker llm.Breaker

	mu      sync.Mutex // guards the fields below
	habits  habits
	context int // tokens
}

// Name returns the model's name.
func (m *Model) Name() string { return m.name }

// String names the model and its origin.
func (m *Model) String() string { return m.name + " at " + m.at.Origin }

// Patience returns the patience of the options.
func (m *Model) Patience() time.Duration { return m.patience }

// Context returns how many tokens the model accepts, as far as it is known.
func (m *Model) Context() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.context
}

// Watches reports that Complete itself notices silence. It also hears thoughts and calls, which are no pieces of
// an answer's text.
func (m *Model) Watches() bool { return true }

// The providers' own addresses.
const (
	defaultOpenAI    = "https://api.openai.com"
	defaultAnthropic = "https://api.anthropic.com"
)

// Origin returns the scheme, host and port of an endpoint, to which a key is bound, or an error for an invalid
// endpoint. It is in lower case and without the scheme's default port.
func Origin(p Protocol, address string) (string, error) {
	e, err := parse(p, address)
	return e.Origin, err
}

// parse parses an endpoint. Its errors do not quote the endpoint, which may contain a password.
func parse(p Protocol, address string) (outbound.Address, error) {
	tail := "/chat/completions"
	switch {
	case p != OpenAI && p != Anthropic && p != Embeddings:
		return outbound.Address{}, &Error{Kind: KindAddress, what: "unknown protocol; use openai or anthropic",
			hint: "check brv.model.provider"}
	case address == "" && p == OpenAI:
		address = defaultOpenAI + "/v1"
	case address == "" && p == Anthropic:
		address = defaultAnthropic + "/v1"
	}
	switch p {
	case Anthropic:
		tail = "/messages"
	case Embeddings:
		tail = "/embeddings"
	}
	at, err := outbound.Parse(address)
	if err != nil {
		return at, &Error{Kind: KindAddress, what: err.Error(), hint: "check brv.model.endpoint"}
	}
	at.Base = strings.TrimRight(strings.TrimSuffix(at.Base, tail), "/")
	return at, nil
}

func newRequest(ctx context.Context, address string, body []byte) (*http.Request, error) {
	r, err := outbound.NewRequest(ctx, http.MethodPost, address, body)
	if err == nil {
		r.Header.Set("Accept", "text/event-stream, application/json")
	}
	return r, err
}
