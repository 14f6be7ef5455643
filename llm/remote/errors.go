package remote

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/llm"
)

// Kind is the kind of an error.
type Kind string

// The kinds of errors.
const (
	KindAddress     Kind = "address"     // the address is not allowed, or redirects
	KindUnreachable Kind = "unreachable" // no server answers there
	KindTLS         Kind = "tls"         // no trusted connection
	KindKey         Kind = "key"         // the key, or its account, was refused
	KindModel       Kind = "model"       // there is no model of this name
	KindTooLong     Kind = "too long"    // the question is too long for the model
	KindRequest     Kind = "request"     // refused for another reason
	KindLimited     Kind = "limited"     // too many requests
	KindServer      Kind = "server"      // the server failed, or stopped early
	KindAnswer      Kind = "answer"      // the answer was not understood
	KindTooLarge    Kind = "too large"   // the answer is too large
	KindSilent      Kind = "silent"      // no answer in time
	KindResting     Kind = "resting"     // it failed so often that it gets no questions for a while
)

// words holds the message and the hint for each kind.
var words = map[Kind]struct{ what, hint string }{
	KindAddress:     {"the address is not allowed", "check brv.model.endpoint"},
	KindUnreachable: {"cannot be reached", "check that the server runs, and check brv.model.endpoint"},
	KindTLS:         {"no TLS connection", "check brv.model.endpoint, and that the system trusts the server's certificate"},
	KindKey: {"the key was refused", "check the key in the editor's secret store or in the variable that " +
		"brv.model.keyVariable names"},
	KindModel: {"the model or the path of the endpoint does not exist",
		"check brv.model.name and brv.model.endpoint (which often ends in /v1)"},
	KindTooLong: {"the question is too long for the model",
		"ask about less, or choose a model with a larger context in brv.model.name"},
	KindRequest: {"the request was refused", "check brv.model.provider and brv.model.name"},
	KindLimited: {"too many requests", "try again later, or check the limits of your account"},
	KindServer:  {"the server failed", "try again later"},
	KindAnswer: {"the answer cannot be read",
		"check that brv.model.endpoint is the address of a model and matches brv.model.provider"},
	KindTooLarge: {"the answer is too large", "check brv.model.endpoint"},
	KindSilent:   {"no answer in time", "try again, or choose a faster model in brv.model.name"},
	KindResting:  {"failed repeatedly", ""},
}

// verdict returns whether the server works, judged by the error of a question. A server that refuses a question
// because of its key, model or length works.
func verdict(err error) (v llm.Verdict, how string) {
	var fault *Error
	switch {
	case err != nil && !errors.As(err, &fault): // the context's error
		return llm.GivenUp, ""
	case err == nil || !fault.Kind.ofTheServer():
		return llm.Works, ""
	}
	return llm.Failed, fault.summary()
}

// ofTheServer reports whether a kind of failure is due to the server and not to the question.
func (k Kind) ofTheServer() bool {
	switch k {
	case KindUnreachable, KindTLS, KindLimited, KindServer, KindAnswer, KindTooLarge, KindSilent:
		return true
	}
	return false
}

// Error is the reason why a model gave no answer. Its text includes advice.
type Error struct {
	Kind    Kind
	Origin  string // of the endpoint; "" if there is none yet
	Status  int    // of HTTP; 0 without a response
	Message string // by the server: at most 2 KiB, without credentials and invisible characters

	what, hint string        // replace the texts of the kind
	retry      bool          // another attempt may succeed
	after      time.Duration // the time that the server names
	empty      bool          // an answer began, but ended without content
	loading    bool          // the server is loading its model from disk
	context    int           // the model's context that the server names, in tokens
}

// Is reports whether a question was too long for its model ([llm.ErrTooLong]).
func (e *Error) Is(target error) bool { return target == llm.ErrTooLong && e.Kind == KindTooLong }

// Error returns the origin, the failure, the server's message and the advice.
func (e *Error) Error() string {
	hint := e.hint
	if hint == "" {
		hint = words[e.Kind].hint
	}
	if hint != "" {
		hint = "; " + hint
	}
	origin := e.Origin
	if origin == "" {
		origin = "brv.model"
	}
	return origin + ": " + e.summary() + hint
}

// summary describes the failure, without origin and advice.
func (e *Error) summary() string {
	s := e.what
	if s == "" {
		s = words[e.Kind].what
	}
	if e.Status != 0 {
		s += fmt.Sprintf(" (%d)", e.Status)
	}
	if e.Message != "" {
		s += fmt.Sprintf(": %q", e.Message)
	}
	return s
}

const (
	maxSaid    = 2 << 10            // bytes that an error may quote; the project's limit
	maxRefusal = 2*maxSaid + maxKey // bytes that are read for the quote
)

// cleaner returns a function that makes a server's message safe to show: without the key and other
// credentials, on one line of visible characters, of at most maxSaid bytes.
func cleaner(key string) func(string) string {
	return func(said string) string {
		if len(said) >= maxRefusal {
			said = said[:maxRefusal-maxKey] // without the end, which may be half of a key
		}
		said = sanitize.Visible(strings.Join(strings.Fields(said), " "))
		if len(key) >= 4 { // a shorter one, such as x, is not secret
			said = strings.ReplaceAll(said, key, "[key]")
		}
		said = strings.Join(strings.Fields(secrets.Redact(said)), " ")
		if len(said) > maxSaid {
			said = strings.ToValidUTF8(said[:maxSaid-len("…")], "") + "…"
		}
		return said
	}
}

// unanswered returns the error for a request that got no answer.
func (m *Model) unanswered(w *watcher, err error) *Error {
	var (
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		name        *net.DNSError
		link        *net.OpError
	)
	switch {
	case w.ctx.Err() != nil:
		return m.broken(w, err)
	case errors.Is(err, outbound.ErrElsewhere):
		return &Error{Kind: KindAddress, what: "http is allowed only to this machine, but this name resolves to another one"}
	case errors.As(err, &certificate):
		return &Error{Kind: KindTLS, what: "the certificate is not valid: " + m.clean(certificate.Err.Error())}
	case errors.As(err, &record):
		return &Error{Kind: KindTLS, what: "the server does not support TLS, so https is not possible", hint: "check brv.model.endpoint"}
	// both errors come from crypto/tls
	case errors.As(err, &alert), errors.As(err, &link) && (link.Op == "remote error" || link.Op == "local error"):
		return &Error{Kind: KindTLS, what: "no TLS connection: " + m.clean(err.Error())}
	case errors.As(err, &name):
		return &Error{Kind: KindUnreachable, what: "the host name was not found"}
	case strings.Contains(err.Error(), "server response headers exceeded"): // net/http has no value for it
		return &Error{Kind: KindTooLarge, what: "the answer's headers are longer than 64 KiB"}
	case strings.Contains(err.Error(), "malformed HTTP"):
		return &Error{Kind: KindAnswer, what: "the server does not answer in HTTP"}
	case errors.As(err, &link) && link.Op == "dial":
		return &Error{Kind: KindUnreachable, retry: true}
	case errors.As(err, &link) && (link.Op == "read" || link.Op == "write"), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: KindUnreachable, what: "the server closed the connection without an answer", retry: true}
	}
	return &Error{Kind: KindUnreachable, what: "no connection: " + m.clean(err.Error())}
}

// broken returns the error for an answer that ended too early.
func (m *Model) broken(w *watcher, err error) *Error {
	var fault *Error
	var link *net.OpError
	switch {
	case w.silent():
		return silent(w.hearing, w.patience)
	case w.ctx.Err() != nil:
		return &Error{Kind: KindSilent, what: "given up"} // Complete returns the context's error
	case errors.Is(err, outbound.ErrTooLarge):
		own := *errTooLarge
		return &own
	case errors.As(err, &fault):
		own := *fault // the errors of the limits are shared
		return &own
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &link):
		return &Error{Kind: KindServer, what: "the server ended its answer too early", retry: true}
	}
	return &Error{Kind: KindAnswer, what: "the answer cannot be read: " + m.clean(err.Error())}
}

// maxPatience is the largest value of the setting (internal/settings).
const maxPatience = 300 * time.Second

// silent returns the error for a server that was silent for too long. patience may exceed the setting: a draft
// waits for a minute.
func silent(heard llm.Hearing, patience time.Duration) *Error {
	e := &Error{Kind: KindSilent, what: heard.Silence(patience)}
	if more := patience.Truncate(time.Second) + time.Second; more < maxPatience {
		e.hint = fmt.Sprintf("try again, or raise brv.model.patienceSeconds above %d", more/time.Second)
	}
	return e
}

// refused returns the error for an unsuccessful status.
func (m *Model) refused(response *http.Response) *Error {
	e := &Error{Status: response.StatusCode}
	if e.Status/100 == 3 {
		e.Kind, e.what = KindAddress, "redirects"
		if to, err := url.Parse(response.Header.Get("Location")); err == nil && to.Host != "" {
			e.what += " to " + m.clean(to.Scheme+"://"+to.Host)
		}
		e.what += ", and redirects are not followed"
		return e
	}
	text := ""
	if body, fault := unpacked(response); fault == nil {
		text = quotable(body)
	}
	var said complaint
	_ = json.Unmarshal([]byte(text), &said) // text of another form is quoted as it is
	e.classify(said.code())
	e.Message = m.clean(said.or(text))
	e.narrow(strings.ToLower(e.Message))
	if e.retry {
		if e.after = retryAfter(response.Header.Get("Retry-After"), m.now()); e.after > 0 {
			e.hint = "try again in " + e.after.Round(time.Second).String()
		}
	}
	return e
}

// complaint holds the forms in which servers report errors: {"error": {"message": …}}, {"error": "…"}, {"message":
// …}, {"detail": …}.
type complaint struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
}

// inner returns the object in the field error, if it is an object.
func (w complaint) inner() complaint {
	var in complaint
	if json.Unmarshal(w.Error, &in) != nil {
		_ = json.Unmarshal(w.Error, &in.Message)
	}
	return in
}

// code returns the kind of error in the server's words.
func (w complaint) code() string {
	in := w.inner()
	return strings.ToLower(strings.Trim(string(in.Code), `"`) + " " + in.Type + " " + strings.Trim(string(w.Code), `"`) + " " + w.Type)
}

// or returns the server's message, or a text if it has another form.
func (w complaint) or(text string) string {
	for _, s := range []string{w.inner().Message, w.Message, string(w.Detail)} {
		if s != "" {
			return s
		}
	}
	return text
}

// classify determines the kind from the status and from the server's own code.
func (e *Error) classify(code string) {
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		e.Kind = KindKey
	case e.Status == http.StatusPaymentRequired, strings.Contains(code, "insufficient_quota"):
		e.Kind, e.what = KindKey, "the key's account has no credit"
	case e.Status == http.StatusNotFound:
		e.Kind = KindModel
	case e.Status == http.StatusRequestEntityTooLarge:
		e.Kind = KindTooLong
	case e.Status == http.StatusTooManyRequests, strings.Contains(code, "rate_limit"):
		e.Kind, e.retry = KindLimited, true
	case e.Status >= 500, e.Status == http.StatusRequestTimeout, e.Status == 0:
		e.Kind = KindServer
		switch e.Status {
		case 500, 502, 503, 504, 529: // 529 is Anthropic's "overloaded"
			e.retry = true
		}
	default:
		e.Kind = KindRequest
	}
}

// Phrases, in lower case, by which servers report that a question is too long, or that they do not know the model.
// There is no common code for these.
var (
	tooLong = []string{"context length", "context_length", "maximum context", "context size", "context window", "exceed_context",
		"prompt is too long", "input is too long", "too many tokens", "is too large to process"}
	noModel = []string{"model not found", "model_not_found", "not a valid model", "unknown model", "no such model",
		"model does not exist"}
)

// contextIn finds the context length in a refusal, in the words of OpenAI and compatible servers, and of
// llama.cpp.
var contextIn = lazyregexp.New(`(?:maximum context length is|context size \(|n_ctx"?: ?)\s*(\d{2,9})\b`)

// narrow refines the kind by the server's message.
func (e *Error) narrow(said string) {
	if e.Kind != KindRequest && e.Kind != KindServer {
		return
	}
	for _, s := range tooLong {
		if strings.Contains(said, s) {
			e.Kind, e.retry = KindTooLong, false
		}
	}
	if m := contextIn().FindStringSubmatch(said); m != nil && e.Kind == KindTooLong {
		e.context, _ = strconv.Atoi(m[1]) // only digits; a number that is too large leaves 0
	}
	e.loading = e.retry && strings.Contains(said, "loading model")
	for _, s := range noModel {
		if e.Kind == KindRequest && strings.Contains(said, s) {
			e.Kind = KindModel
		}
	}
}

// retryAfter reads the header, which is a number of seconds or a date. It returns zero for any other value.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(strings.TrimSpace(header), 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
