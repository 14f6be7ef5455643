package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// stateless20260728 is the first version of the protocol without sessions.
const stateless20260728 = "2026-07-28"

// Path is the only path at which [ServeHTTP] answers.
const Path = "/mcp"

// Bounds of requests over HTTP.
const (
	maxHeader     = 64 << 10
	headersWithin = 10 * time.Second
	// idleSession is the time without messages after which a session ends. By the protocol, the client then begins
	// another.
	idleSession = 2 * time.Hour
)

// Listen opens an address of this machine that other machines cannot reach.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%s is not an address; give 127.0.0.1:PORT (port 0: any free port)", address)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("%s is not allowed: the server can listen only on 127.0.0.1 and [::1]", address)
	}
	return net.Listen("tcp", address)
}

// ServeHTTP serves the protocol's streamable HTTP on a listener until ctx is cancelled. It serves any number of
// sessions on one folder, which Options.Root or Here determines, not a client. Each request must have the token,
// and name this server as its host.
func ServeHTTP(ctx context.Context, l net.Listener, token string, o Options) error {
	o = o.complete()
	if o.Root == "" {
		o.Root = o.Nearest(o.Here)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newServer(ctx, o)
	defer s.close(cancel)
	if _, err := s.open(ctx, nil); err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{
		Handler:           admitted(s.handlerHTTP(), l.Addr().String(), token),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headersWithin, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { server.Close() })() // streams do not end by themselves
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handlerHTTP passes requests on to the SDK, with one handler for sessions and one for requests of the
// protocol without sessions.
func (s *server) handlerHTTP() http.Handler {
	get := func(*http.Request) *sdk.Server { return s.sdk }
	options := sdk.StreamableHTTPOptions{
		Logger: slog.New(warningsOnly{s.opts.Log.Handler()}), MaxRequestBodyBytes: maxMessage, SessionTimeout: idleSession,
		PropagateRequestCancellation: true,
	}
	sessions := sdk.NewStreamableHTTPHandler(get, &options)
	options.Stateless = true
	single := sdk.NewStreamableHTTPHandler(get, &options)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version := r.Header.Get("Mcp-Protocol-Version")
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
			if err != nil {
				http.Error(w, "the message is longer than 16 MiB or incomplete", http.StatusRequestEntityTooLarge)
				return
			}
			var refused bytes.Buffer
			check := &wire{out: &refused, calls: map[jsonrpc.ID]bool{}, batches: version < "2025-06-18"}
			if check.check(body) == nil {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				w.Write(refused.Bytes()) // an error means that the client is gone
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(markdown.WithoutMarks(body)))
		}
		if version >= stateless20260728 {
			single.ServeHTTP(w, r)
		} else {
			sessions.ServeHTTP(w, r)
		}
	})
}

// admitted accepts a request that has the token, names the server as its host, and does not come from a page of
// another origin. A page in a browser whose name was bound to this address names another host.
func admitted(next http.Handler, address, token string) http.Handler {
	_, port, _ := net.SplitHostPort(address)
	hosts := []string{address, net.JoinHostPort("localhost", port)}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin, foreign := r.Header["Origin"], false
		for _, o := range origin {
			host, plain := strings.CutPrefix(strings.ToLower(o), "http://")
			foreign = foreign || !plain || !slices.Contains(hosts, host)
		}
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(given)) // so that the comparison's time reveals nothing
		refuse := func(code int, why string) {
			w.Header().Set("Connection", "close")
			http.Error(w, why, code)
		}
		switch {
		case !slices.Contains(hosts, strings.ToLower(r.Host)):
			refuse(http.StatusForbidden, "host: must be "+strings.Join(hosts, " or "))
		case foreign:
			refuse(http.StatusForbidden, "origin: requests from web pages of other origins are refused")
		case !bearer || token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(http.StatusUnauthorized, "authorization: send the token; `brv-lsp mcp --http` prints the path of its file")
		case r.URL.Path != Path:
			http.NotFound(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// tokenName is the name of the file with the token that clients of [ServeHTTP] need.
const tokenName = "mcp-token"

// tokenSize is the least length of a token: crypto/rand.Text has 26 characters, 130 bits.
const tokenSize = 26

// Token returns the user's token, which is in a file in dir that only the user can read. If there is none, it
// makes one. The token stays, so that clients can be configured once. Token refuses a file that others can read.
func Token(dir string) (token, file string, err error) {
	if dir == "" {
		return "", "", errors.New("no configuration folder was found for the token")
	}
	file = filepath.Join(dir, tokenName)
	if err := makeToken(dir, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", file, err
	}
	info, err := os.Lstat(file)
	switch {
	case err != nil:
		return "", file, err
	case !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", file, fmt.Errorf("%s can be read by others (%s); delete it, and a new one is made", file, info.Mode())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", file, err
	}
	if token = strings.TrimSpace(string(text)); len(token) < tokenSize || strings.Trim(token, printable) != "" {
		return "", file, fmt.Errorf("%s has no token of %d characters or more; delete it, and a new one is made",
			file, tokenSize)
	}
	return token, file, nil
}

// printable holds the characters of a token, RFC 6750 section 2.1.
const printable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// makeToken writes a new token in one step, unless there is one.
func makeToken(dir, file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fs.ErrExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, tokenName+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(rand.Text() + "\n")
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), file)
}
