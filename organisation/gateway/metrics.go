package gateway

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

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
