// Package gateway is the process in front of an organisation's store, which it alone has the key of. It takes pushes,
// permits, finds candidates, and ranks them. It keeps nothing that it could not read again, so that any number of
// copies may stand beside each other.
//
//	POST /v1/push     a manifest: which texts are lacking, or done       (key of the repository)
//	POST /v1/texts    texts of a push                                    (key of the repository)
//	POST /v1/ask      a question → hits                                  (token of a person)
//	GET  /healthz     whether the store and the access file can be read
//	GET  /metrics     counters, as Prometheus reads them; shown to this machine alone
//
// What it says of an error never holds what the store said, nor the name of a repository that was not asked for.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/organisation"
)

// Options configure a gateway.
type Options struct {
	Store  organisation.Store
	Access string // the operator's file: [Access]
	Log    *slog.Logger
	Now    func() time.Time // the clock; time.Now if nil
	// Within bounds a question, and each step of a push; 2 s and 30 s if 0.
	Within, WithinPush time.Duration
	// Questions of one person in a minute; 60 if 0.
	Questions int
}

// Gateway answers requests. It is an [http.Handler].
type Gateway struct {
	o       Options
	rights  rights
	mux     http.ServeMux
	metrics metrics

	mu        sync.Mutex // guards what follows
	manifests map[string]*organisation.Manifest
	looked    time.Time
	asked     map[string]int // questions in this minute, by person
	minute    time.Time
	pushing   map[string]*sync.Mutex // by repository
}

// fresh is the greatest age of the list of manifests that a question may use.
const fresh = 5 * time.Second

// refusal is an error with its status; its text is sent.
type refusal struct {
	code int
	error
}

func refuse(code int, err error) error { return &refusal{code, err} }

// handle decodes a request, bounds its time, and writes the answer. Only the text of a refusal is sent; other
// errors are logged.
func handle[Req, Res any](g *Gateway, name string, within time.Duration, do func(context.Context, string, Req) (Res, error),
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := g.o.Now()
		ctx, cancel := context.WithTimeout(r.Context(), within)
		defer cancel()
		code, answer := http.StatusOK, any(nil)
		err := func() error {
			token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !ok || token == "" {
				return refuse(http.StatusUnauthorized, errors.New("authorization: a token is needed"))
			}
			raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, organisation.MaxBody))
			if err != nil {
				return refuse(http.StatusRequestEntityTooLarge, errors.New("the request is longer than 8 MiB or incomplete"))
			}
			var req Req
			if json.Unmarshal(raw, &req) != nil {
				return refuse(http.StatusBadRequest, errors.New("the request's JSON is not valid"))
			}
			answer, err = do(ctx, token, req)
			return err
		}()
		var said *refusal
		switch {
		case errors.As(err, &said):
			code, answer = said.code, map[string]string{"error": said.Error()}
		case err != nil:
			code, answer = http.StatusServiceUnavailable, map[string]string{"error": organisation.ErrUnreached.Error()}
		}
		took := g.o.Now().Sub(began)
		g.metrics.count(name, code, took)
		level := slog.LevelInfo
		if code >= 500 {
			level = slog.LevelWarn
		}
		g.o.Log.Log(ctx, level, "answered", "request", name, "status", code, "took", took, "err", err)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer) // who has gone is no error
	}
}

func (g *Gateway) current() map[string]*organisation.Manifest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.manifests
}

// look returns the manifests, read anew unless they are fresh enough.
func (g *Gateway) look(ctx context.Context, anew bool) (map[string]*organisation.Manifest, error) {
	g.mu.Lock()
	now, at := g.manifests, g.looked
	g.mu.Unlock()
	if !anew && now != nil && g.o.Now().Sub(at) < fresh {
		return now, nil
	}
	began := g.o.Now()
	all, err := g.o.Store.Manifests(ctx, now)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !began.Before(g.looked) {
		g.manifests, g.looked = all, began
	}
	return all, nil
}

// alone runs one push of a repository at a time, in this process; across processes the manifest decides.
func (g *Gateway) alone(repository string) (done func()) {
	g.mu.Lock()
	m := g.pushing[repository]
	if m == nil {
		m = new(sync.Mutex)
		g.pushing[repository] = m
	}
	g.mu.Unlock()
	m.Lock()
	return m.Unlock
}

func (g *Gateway) pusher(ctx context.Context, repository, commit, key string) error {
	switch err := g.rights.pusher(ctx, repository, commit, key); {
	case errors.Is(err, errKey), errors.Is(err, errJob):
		return refuse(http.StatusForbidden, err)
	case err != nil:
		return refuse(http.StatusServiceUnavailable, err)
	}
	return nil
}

// metrics counts requests by their name and status.
type metrics struct {
	mu   sync.Mutex
	seen map[string]*counted
}

type counted struct {
	requests int
	took     time.Duration
}

func (m *metrics) count(name string, code int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := fmt.Sprintf(`{request=%q,status="%d"}`, name, code)
	if m.seen[key] == nil {
		m.seen[key] = new(counted)
	}
	m.seen[key].requests++
	m.seen[key].took += took
}

// serve writes the counters in the text format of Prometheus, for this machine alone.
func (m *metrics) serve(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if ip, err := netip.ParseAddr(host); err != nil || !ip.Unmap().IsLoopback() || r.Header.Get("X-Forwarded-For") != "" {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	keys := slices.Sorted(maps.Keys(m.seen))
	fmt.Fprintln(w, "# TYPE brv_requests_total counter")
	for _, k := range keys {
		fmt.Fprintf(w, "brv_requests_total%s %d\n", k, m.seen[k].requests)
	}
	fmt.Fprintln(w, "# TYPE brv_request_seconds_total counter")
	for _, k := range keys {
		fmt.Fprintf(w, "brv_request_seconds_total%s %g\n", k, m.seen[k].took.Seconds())
	}
}
