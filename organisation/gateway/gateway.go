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

	"github.com/brv-lsp/brv-lsp/internal/secrets"
	"github.com/brv-lsp/brv-lsp/organisation"
	"github.com/brv-lsp/brv-lsp/retrieval"
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

// fresh is how old the list of manifests may be that a question is answered by.
const fresh = 5 * time.Second

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
	g := &Gateway{o: o, rights: rights{file: o.Access, now: o.Now}, asked: map[string]int{}, pushing: map[string]*sync.Mutex{}}
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

// refusal is an error with its status; the text is told.
type refusal struct {
	code int
	error
}

func refuse(code int, err error) error { return &refusal{code, err} }

// handle decodes a request, bounds its time, and writes the answer. Of an error only a refusal's text is told; the
// others stand in the log.
func handle[Req, Res any](g *Gateway, name string, within time.Duration, do func(context.Context, string, Req) (Res, error)) http.HandlerFunc {
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
				return refuse(http.StatusRequestEntityTooLarge, errors.New("the request is longer than 8 MiB, or ends early"))
			}
			var req Req
			if json.Unmarshal(raw, &req) != nil {
				return refuse(http.StatusBadRequest, errors.New("the request is not understood"))
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
		g.o.Log.LogAttrs(ctx, level, "answered", slog.String("request", name), slog.Int("status", code), slog.Duration("took", took), slog.Any("err", err))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(answer) // who has gone is no error
	}
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
		http.Error(w, "not healthy; the log says why", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
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

// alone lets one push of a repository through at a time, in this process; across processes the manifest decides.
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

func (g *Gateway) pusher(repository, key string) error {
	switch err := g.rights.pusher(repository, key); {
	case errors.Is(err, errKey):
		return refuse(http.StatusForbidden, err)
	case err != nil:
		return refuse(http.StatusServiceUnavailable, err)
	}
	return nil
}

// push takes a manifest where all its texts are there, and says which are lacking where not.
func (g *Gateway) push(ctx context.Context, key string, p organisation.Push) (organisation.Pushed, error) {
	var out organisation.Pushed
	if err := p.Check(); err != nil {
		return out, refuse(http.StatusBadRequest, err)
	}
	if err := g.pusher(p.Repository, key); err != nil {
		return out, err
	}
	defer g.alone(p.Repository)()
	all, err := g.look(ctx, true)
	if err != nil {
		return out, err
	}
	before := all[p.Repository]
	switch {
	case before == nil:
	case p.Number < before.Number:
		return out, refuse(http.StatusConflict, fmt.Errorf("push %d is older than %d, which is there", p.Number, before.Number))
	case p.Number == before.Number && (p.Commit != before.Commit || !maps.Equal(p.Entries, before.Entries)):
		return out, refuse(http.StatusConflict, fmt.Errorf("another push has the number %d", p.Number))
	}
	there, err := g.o.Store.Texts(ctx, p.Repository)
	if err != nil {
		return out, err
	}
	m := &organisation.Manifest{Repository: p.Repository, Commit: p.Commit, Number: p.Number, Pushed: g.o.Now().UTC(), Entries: p.Entries}
	named := map[string]bool{}
	for path, digest := range p.Entries {
		id := organisation.ID(p.Repository, path, digest)
		l, ok := there[id]
		if !ok {
			out.Lacking = append(out.Lacking, path)
		}
		named[id] = true
		m.Lengths.Add(l, 1)
	}
	slices.Sort(out.Lacking)
	if len(out.Lacking) > 0 {
		return out, nil
	}
	switch err := g.o.Store.Commit(ctx, m, before); {
	case errors.Is(err, organisation.ErrConflict):
		return out, refuse(http.StatusConflict, err)
	case err != nil:
		return out, err
	}
	maps.DeleteFunc(there, func(id string, _ retrieval.Lengths) bool { return named[id] })
	if err := g.o.Store.Write(ctx, p.Repository, nil, slices.Sorted(maps.Keys(there))); err != nil {
		g.o.Log.Warn("what is gone stays until the next push", "repository", p.Repository, "err", err)
	}
	_, err = g.look(ctx, true)
	return out, err
}

// texts takes texts of a push. One that holds a credential, or is none, is refused; the others are taken.
func (g *Gateway) texts(ctx context.Context, key string, t organisation.Texts) (organisation.Refused, error) {
	out := organisation.Refused{Refused: map[string]string{}}
	if err := g.pusher(t.Repository, key); err != nil {
		return out, err
	}
	defer g.alone(t.Repository)()
	var put []organisation.Document
	for _, d := range t.Documents {
		d.Repository = t.Repository
		switch found := secrets.Scan(d.Text); {
		case organisation.CheckPath(d.Path) != nil:
			out.Refused[d.Path] = "this is no path of an entry"
		case len(d.Text) > organisation.MaxText:
			out.Refused[d.Path] = fmt.Sprintf("longer than %d KiB", organisation.MaxText>>10)
		case len(found) > 0:
			out.Refused[d.Path] = "it holds a credential: " + found[0].Rule
		default:
			put = append(put, d)
		}
	}
	if len(t.Documents) > organisation.MaxEntries {
		return out, refuse(http.StatusBadRequest, errors.New("too many texts at once"))
	}
	return out, g.o.Store.Write(ctx, t.Repository, put, nil)
}

// Clean empties the repositories that the access file does not name. They are not shown meanwhile.
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

// Bounds of requests; those of reading are short of what a slow line needs for 8 MiB.
const (
	headersWithin = 10 * time.Second
	bodyWithin    = time.Minute
	endWithin     = 10 * time.Second
)

// Serve answers at a listener until the context ends; what is under way is then finished. Cert and key are files, ""
// where a proxy speaks TLS.
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
