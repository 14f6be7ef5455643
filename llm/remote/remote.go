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
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
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

// firstWait is the longest wait before the first retry; before the second, the wait is up to four times as long.
// The shortest wait is half of that, so that clients which failed together do not return together. For the same
// reason, up to firstWait is added to a time that a server names. Both waits, with three attempts of a second, fit
// into the default patience.
const firstWait = 250 * time.Millisecond

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

// New returns a model. It opens no connection.
func New(o Options) (*Model, error) {
	at, err := parse(o.Protocol, o.Endpoint)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(o.Model) == "" {
		return nil, &Error{Kind: KindModel, Origin: at.Origin, what: "no model is set", hint: "set brv.model.name"}
	}
	key := strings.TrimSpace(o.Key)
	if len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &Error{Kind: KindKey, Origin: at.Origin,
			what: "the key is invalid: it is longer than 4 KiB, or has spaces or other characters that keys cannot have"}
	}
	m := &Model{
		name: o.Model, at: at, clean: cleaner(key), transport: at.Transport(), now: time.Now, sleep: sleep,
		patience: cmp.Or(max(0, o.Patience), defaultPatience), log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		authorize: func(http.Header) {}, context: makerContext,
	}
	if at.Local {
		m.context = localContext
	}
	m.context = cmp.Or(max(0, o.Context), m.context)
	header := "Authorization"
	if m.speak = (chat{}); o.Protocol == Anthropic {
		m.speak, header = messages{}, "X-Api-Key"
	}
	if key != "" {
		m.authorize = func(h http.Header) {
			if h.Set(header, key); header == "Authorization" {
				h.Set(header, "Bearer "+key)
			}
		}
	}
	m.habits.newTokens = at.Origin == defaultOpenAI
	return m, nil
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

// Complete sends a question to the model. Its error is an [*Error], or the context's. If the server was
// overloaded, failed or disappeared before the answer began, the question is repeated, at most twice and within
// the patience.
func (m *Model) Complete(ctx context.Context, r llm.Request) (said llm.Response, err error) {
	if open := m.breaker.Enter(m.now()); open != nil {
		return said, &Error{Kind: KindResting, Origin: m.at.Origin, what: open.Error()}
	}
	err = context.Canceled // for a caller that panics in Stream
	defer func() {
		v, how := verdict(err)
		m.breaker.Leave(m.now(), v, how)
	}()
	w := watch(ctx, max(m.patience, r.Patience), m.now)
	defer w.stop()
	said, err = m.ask(w, r)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return said, err
}

// ask repeats the question until there is an answer or a reason to give up.
func (m *Model) ask(w *watcher, r llm.Request) (llm.Response, error) {
	m.mu.Lock()
	h := m.habits
	m.mu.Unlock()
	for retries := 0; ; {
		a := newAnswer(w, r)
		began := m.now()
		fault := m.exchange(w, r, h, a)
		if fault == nil {
			m.mu.Lock()
			m.habits = h
			m.habits.noStream = false
			m.mu.Unlock()
			fault = a.finish(r)
		} else if fault.context > 0 {
			m.mu.Lock()
			m.context = fault.context
			m.mu.Unlock()
		}
		m.tell(w.ctx, began, a, fault)
		if fault == nil {
			return llm.Response{Text: a.text.String(), Calls: a.calls.list, Cut: a.reason == "length", Usage: a.usage}, nil
		}
		fault.Origin = m.at.Origin
		if next, ok := h.adapt(fault, r); ok && !a.began {
			h = next
			continue
		}
		most := firstWait << (2 * retries)
		wait := most/2 + rand.N(most/2)
		if fault.after > 0 { // the server's time, plus at most firstWait within the patience
			wait = fault.after + rand.N(max(1, min(firstWait, w.left()-fault.after)))
		}
		if !fault.retry || a.received > 0 || retries == maxRetries && !fault.loading || wait >= w.left() {
			return llm.Response{}, fault
		}
		h.noStream = fault.empty // llama-cpp-python's server cannot report what is wrong with a question once it streams
		retries = min(maxRetries, retries+1)
		if m.sleep(w.ctx, wait); w.ctx.Err() != nil {
			return llm.Response{}, fault
		}
	}
}

// exchange sends one request and reads its answer.
func (m *Model) exchange(w *watcher, r llm.Request, h habits, a *answer) *Error {
	path, body, err := m.speak.request(m.name, r, h)
	if err != nil {
		return &Error{Kind: KindRequest, what: "the question cannot be written as JSON: " + err.Error()}
	}
	request, err := newRequest(w.ctx, m.at.Base+path, body)
	if err != nil {
		return &Error{Kind: KindAddress, what: "the address is not valid"}
	}
	m.speak.header(request.Header)
	m.authorize(request.Header)
	response, err := m.transport.RoundTrip(request) // follows no redirects and keeps no cookies
	if err != nil {
		return m.unanswered(w, err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return m.refused(response)
	}
	return m.read(w, response, a)
}

// tell logs the result of an attempt.
func (m *Model) tell(ctx context.Context, began time.Time, a *answer, fault *Error) {
	how := "answered"
	if fault != nil {
		how = string(fault.Kind)
	}
	m.log.LogAttrs(ctx, slog.LevelDebug, "asked a model", slog.String("model", m.name), slog.String("origin", m.at.Origin),
		slog.String("how", how),
		slog.Duration("took", m.now().Sub(began)), slog.Int("input", a.usage.Input), slog.Int("output", a.usage.Output))
}

// sleep waits until d is over or ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// watcher ends a context after silence for as long as the patience.
type watcher struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	end      time.Time // when the timer fires, by the machine's clock
	paused   time.Time
	hearing  llm.Hearing
	patience time.Duration
	now      func() time.Time
	until    time.Time // the deadline before the first piece
}

// errSilent is the cause with which a watcher ends its context.
var errSilent = errors.New("no data came")

func watch(ctx context.Context, patience time.Duration, now func() time.Time) *watcher {
	w := &watcher{patience: patience, now: now, until: now().Add(patience), end: time.Now().Add(patience)}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(patience, func() { w.cancel(errSilent) })
	return w
}

// received records a number of received bytes, which may restart the time.
func (w *watcher) received(bytes int) {
	if w.hearing.Received(bytes) {
		w.end = time.Now().Add(w.patience)
		w.timer.Reset(w.patience)
	}
}

// pause stops the clock until resume.
func (w *watcher) pause() {
	w.timer.Stop()
	w.paused = time.Now()
}

// resume restarts the clock.
func (w *watcher) resume() {
	w.end = w.end.Add(time.Since(w.paused))
	w.timer.Reset(time.Until(w.end))
}

// left returns the rest of the patience before the first piece.
func (w *watcher) left() time.Duration { return w.until.Sub(w.now()) }

// silent reports whether the server was silent for too long.
func (w *watcher) silent() bool { return context.Cause(w.ctx) == errSilent }

func (w *watcher) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
