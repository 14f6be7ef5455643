// Package outbound reaches one address that the user, or an operator, named, and nothing else:
//
//   - https with verified TLS 1.2 or later; http only to this machine, which is checked on the address and again
//     on the connection, whatever a name resolves to;
//   - no redirect is followed, so that neither key nor question reaches another server;
//   - a proxy that the user's environment names (HTTPS_PROXY, NO_PROXY) is used for https to other machines: it is
//     the user's own setting, often the only way out of a company's net, and sees no more than the host's name.
//     Nothing to this machine takes a proxy;
//   - connections are not kept, and end with the context of their request;
//   - bodies are bounded as they come and as they are unpacked.
//
// It is the only package that dials. Models (llm/remote), an organisation's gateway, and what that gateway stands
// in front of, are reached through it.
package outbound

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

const (
	maxAddress = 2 << 10  // bytes of an address
	maxHeaders = 64 << 10 // bytes of an answer's headers; the project's limit
)

// Address is an address that may be used.
type Address struct {
	Base   string // scheme, host, port and path, without a slash at the end
	Origin string // scheme, host and port as a key is bound to them: in lower case, without the scheme's own port
	Local  bool   // on this machine
}

// Parse reads an address. Its errors do not quote it: it may hold a password.
func Parse(address string) (Address, error) {
	no := func(why string) (Address, error) { return Address{}, errors.New(why) }
	switch {
	case address == "":
		return no("the address is empty")
	case len(address) > maxAddress:
		return no("the address is longer than 2 KiB")
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }):
		return no("the address has spaces or non-ASCII characters; write the host name in its xn-- form")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "":
		return no("this is not an address; write one such as https://host/v1")
	case u.User != nil:
		return no("the address contains a user or password; remove it")
	case strings.ContainsAny(address, "?#"):
		return no("the address has a query or fragment; remove it")
	}
	a := Address{Local: onThisMachine(u.Hostname())}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, "%") {
		return no("the address has a network zone; remove it")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Port() != "" {
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return no("the port of the address must be 1 to 65535")
		}
		if own := map[string]uint64{"https": 443, "http": 80}[u.Scheme]; port != own {
			host += ":" + strconv.FormatUint(port, 10)
		}
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !a.Local) {
		return no("the address must use https, or http on this machine (localhost, 127.0.0.0/8, ::1)")
	}
	a.Origin = u.Scheme + "://" + host
	a.Base = a.Origin + strings.TrimRight(u.EscapedPath(), "/")
	return a, nil
}

// onThisMachine reports whether a host's name can only mean this machine.
func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// ErrElsewhere is the error for a name of this machine that resolves to another one.
var ErrElsewhere = errors.New("the name resolves to another machine")

// control checks the address that is about to be dialled.
func (a Address) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if a.Local && (err != nil || !to.Addr().Unmap().IsLoopback()) {
		return ErrElsewhere
	}
	return nil
}

// Transport opens connections to the address. HTTP/1.1 alone: each request has a connection of its own, which ends
// with it. It follows no redirect and keeps no cookie. Requests are made by [NewRequest].
func (a Address) Transport() *http.Transport {
	only := new(http.Protocols)
	only.SetHTTP1(true)
	t := &http.Transport{
		DialContext:            Bound((&net.Dialer{ControlContext: a.control}).DialContext),
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, ClientSessionCache: tls.NewLRUClientSessionCache(1)},
		Protocols:              only,
		DisableKeepAlives:      true,
		DisableCompression:     true, // what is compressed is counted as it is unpacked: client.go
		MaxResponseHeaderBytes: maxHeaders,
	}
	if !a.Local {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

// Dial opens a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Bound binds connections to the question that they are for: they end with its context. A transport itself
// dials in a context of its own, in which a hanging handshake would never end.
func Bound(d Dial) Dial {
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

// questionKey is the key of the question's context in that of a request.
type questionKey struct{}

// NewRequest makes a request whose connection ends with the context.
func NewRequest(ctx context.Context, method, address string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(context.WithValue(ctx, questionKey{}, ctx), method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "brv-lsp")
	return r, nil
}
