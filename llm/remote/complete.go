package remote

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
)

// firstWait is the longest wait before the first retry; before the second, the wait is up to four times as long.
// The shortest wait is half of that, so that clients which failed together do not return together. For the same
// reason, up to firstWait is added to a time that a server names. Both waits, with three attempts of a second, fit
// into the default patience.
const firstWait = 250 * time.Millisecond

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
