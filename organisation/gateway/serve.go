package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/organisation"
)

// New returns a gateway.
func New(o Options) *Gateway {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Within == 0 {
		o.Within = 2 * time.Second
	}
	if o.WithinPush == 0 {
		o.WithinPush = 30 * time.Second
	}
	if o.Questions == 0 {
		o.Questions = 60
	}
	g := &Gateway{o: o, rights: rights{file: o.Access, now: o.Now}, asked: map[string]int{}, pushing: map[string]*sync.Mutex{},
		metrics: metrics{seen: map[string]*counted{}}}
	g.mux.HandleFunc("POST /v1/push", handle(g, "push", o.WithinPush, g.push))
	g.mux.HandleFunc("POST /v1/texts", handle(g, "texts", o.WithinPush, g.texts))
	g.mux.HandleFunc("POST /v1/ask", handle(g, "ask", o.Within, g.ask))
	g.mux.HandleFunc("GET /healthz", g.health)
	g.mux.HandleFunc("GET /metrics", g.metrics.serve)
	return g
}

// ServeHTTP answers a request.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	g.mux.ServeHTTP(w, r)
}

func (g *Gateway) health(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), g.o.Within)
	defer cancel()
	_, err := g.rights.access()
	if err == nil {
		_, err = g.o.Store.Manifests(ctx, g.current())
	}
	if err != nil {
		g.o.Log.Warn("not healthy", "err", err)
		http.Error(w, "not healthy; see the log", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// Clean empties the repositories that the access file does not name. They are hidden even before.
func (g *Gateway) Clean(ctx context.Context) error {
	a, err := g.rights.access()
	if err != nil {
		return err
	}
	all, err := g.look(ctx, true)
	for name, m := range all {
		if _, known := a.Repositories[name]; known || len(m.Entries) == 0 {
			continue
		}
		there, e := g.o.Store.Texts(ctx, name)
		if e == nil {
			e = g.o.Store.Commit(ctx, &organisation.Manifest{Repository: name, Commit: m.Commit, Number: m.Number, Pushed: m.Pushed}, m)
		}
		if e == nil {
			e = g.o.Store.Write(ctx, name, nil, slices.Sorted(maps.Keys(there)))
		}
		err = errors.Join(err, e)
	}
	return err
}

// cleaning is how often the store is cleaned.
const cleaning = 12 * time.Hour

// Limits of requests; those for reading are shorter than a slow line needs for 8 MiB.
const (
	headersWithin = 10 * time.Second
	bodyWithin    = time.Minute
	endWithin     = 10 * time.Second
)

// Serve answers at a listener until the context ends; running requests are then finished. Cert and key are
// files, "" if a proxy speaks TLS.
func (g *Gateway) Serve(ctx context.Context, l net.Listener, cert, key string) error {
	server := &http.Server{Handler: g, ReadHeaderTimeout: headersWithin, ReadTimeout: bodyWithin, WriteTimeout: 2 * bodyWithin,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(g.o.Log.Handler(), slog.LevelWarn)}
	ended := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.Background(), endWithin)
		defer cancel()
		ended <- server.Shutdown(end)
	})
	go func() {
		for every := time.NewTicker(cleaning); ; {
			if err := g.Clean(ctx); err != nil && ctx.Err() == nil {
				g.o.Log.Warn("not cleaned", "err", err)
			}
			select {
			case <-ctx.Done():
				every.Stop()
				return
			case <-every.C:
			}
		}
	}()
	var err error
	if cert != "" {
		err = server.ServeTLS(l, cert, key)
	} else {
		err = server.Serve(l)
	}
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// Listen opens an address.
func Listen(at netip.AddrPort) (net.Listener, error) { return net.Listen("tcp", at.String()) }
