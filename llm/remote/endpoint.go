package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// The makers' own addresses.
const (
	defaultOpenAI    = "https://api.openai.com"
	defaultAnthropic = "https://api.anthropic.com"
)

const (
	maxEndpoint = 2 << 10  // bytes of an address
	maxHeaders  = 64 << 10 // bytes of an answer's headers; the project's limit
)

// endpoint is an address that may be asked.
type endpoint struct {
	base   string // scheme, host, port and path, without a slash at the end
	origin string
	local  bool // on this machine
}

// Origin is scheme, host and port of an endpoint as a key is bound to it, or why there can be
// no such endpoint. It is in lower case and without the scheme's own port.
func Origin(p Protocol, address string) (string, error) {
	e, err := parse(p, address)
	return e.origin, err
}

// parse reads an endpoint. Its errors do not quote it: it may hold a password.
func parse(p Protocol, address string) (endpoint, error) {
	no := func(why string) (endpoint, error) {
		return endpoint{}, &Error{Kind: KindAddress, what: why, hint: "check brv.model.endpoint"}
	}
	tail := "/chat/completions"
	switch {
	case p != OpenAI && p != Anthropic && p != Embeddings:
		return endpoint{}, &Error{Kind: KindAddress, what: "there is no such protocol; there are openai and anthropic",
			hint: "check brv.model.provider"}
	case address == "" && p == OpenAI:
		address = defaultOpenAI + "/v1"
	case address == "" && p == Embeddings:
		return no("no address is named")
	case address == "":
		address = defaultAnthropic + "/v1"
	case len(address) > maxEndpoint:
		return no("the address is longer than 2 KiB")
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }):
		return no("the address has blanks or characters beyond ASCII; write the host's name in its xn-- form")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return no("this is no address; one looks like https://host/v1")
	case u.User != nil:
		return no("the address holds a user or password")
	case strings.ContainsAny(address, "?#"):
		return no("the address has a query or fragment")
	}
	e := endpoint{local: onThisMachine(u.Hostname())}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, "%") {
		return no("the address names a network zone")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return no("the address has no possible port")
		}
		if own := map[string]uint64{"https": 443, "http": 80}[u.Scheme]; port != own {
			host += ":" + strconv.FormatUint(port, 10)
		}
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !e.local) {
		return no("the address is neither https nor http on this machine (localhost, 127.0.0.0/8, ::1)")
	}
	switch p {
	case Anthropic:
		tail = "/messages"
	case Embeddings:
		tail = "/embeddings"
	}
	e.origin = u.Scheme + "://" + host
	e.base = e.origin + strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.EscapedPath(), "/"), tail), "/")
	return e, nil
}

// onThisMachine reports whether a host is called as only this machine is.
func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// errElsewhere is the error for a name of this machine that resolves to another one.
var errElsewhere = errors.New("the name does not lead to this machine")

// control looks at the address that is about to be dialled.
func (e endpoint) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if e.local && (err != nil || !to.Addr().Unmap().IsLoopback()) {
		return errElsewhere
	}
	return nil
}

// transport opens connections to the endpoint. HTTP/1.1 alone: each request has a connection
// of its own, which ends with it.
func (e endpoint) transport() *http.Transport {
	only := new(http.Protocols)
	only.SetHTTP1(true)
	t := &http.Transport{
		DialContext:            bound((&net.Dialer{ControlContext: e.control}).DialContext),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1)},
		Protocols:              only,
		DisableKeepAlives:      true,
		DisableCompression:     true, // what is compressed is counted as it is unpacked: body.go
		MaxResponseHeaderBytes: maxHeaders,
	}
	if !e.local {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

// dial opens a connection.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// bound binds connections to the question that they are for: they end with its context. A
// transport itself dials in a context of its own, in which a handshake that hangs goes on
// for ever.
func bound(d dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if question, ok := ctx.Value(questionKey{}).(context.Context); ok {
			ctx = question
		}
		c, err := d(ctx, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { c.Close() })
		}
		return c, err
	}
}

// questionKey is under which a request's context has the question's.
type questionKey struct{}

func newRequest(ctx context.Context, address string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(context.WithValue(ctx, questionKey{}, ctx), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	r.Header.Set("User-Agent", "brv-lsp")
	return r, nil
}
