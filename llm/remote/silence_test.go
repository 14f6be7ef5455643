package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/outbound"
	"github.com/brv-lsp/brv-lsp/llm"
)

// hangs are servers that stop in the middle; each holds its connection until the client
// leaves.
var hangs = []struct {
	name   string
	handle func(c net.Conn)
	tls    bool
}{
	{"before headers", func(net.Conn) {}, false},
	{"in the middle of headers", func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Ty") }, false},
	{"behind headers", func(c net.Conn) { fmt.Fprint(c, streamHead) }, false},
	{"mid stream", func(c net.Conn) { fmt.Fprint(c, streamHead+firstOK) }, false},
	{"in the middle of an event", func(c net.Conn) { fmt.Fprint(c, streamHead+firstOK+firstOK[:20]) }, false},
	{"before the end of the stream", func(c net.Conn) { fmt.Fprint(c, streamHead+firstOK+lastOK) }, false},
	{"in the middle of JSON", func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"+plainOK) }, false},
	{"in an error", func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 500\r\n\r\n{") }, false},
	{"dripping headers", drip("HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1<<20)), false},
	{"dripping an event", drip(streamHead + "data: " + strings.Repeat("x", 1<<20)), false},
	{"dripping comments", drip(streamHead + strings.Repeat(":\n", 1<<20)), false},
	{"in the handshake", func(net.Conn) {}, true},
}

// drip sends a byte every other millisecond, for as long as the client takes them.
func drip(text string) func(net.Conn) {
	return func(c net.Conn) {
		for i := range len(text) {
			if _, err := c.Write([]byte(text[i : i+1])); err != nil {
				return
			}
			time.Sleep(2 * time.Millisecond)
		}
	}
}

// hang starts such a server. left tells that the client has closed a connection.
func hang(t *testing.T, handle func(net.Conn)) (address string, came, left chan struct{}) {
	came, left = make(chan struct{}, 9), make(chan struct{}, 9)
	address, _ = listen(t, func(c net.Conn) {
		defer c.Close()
		gone, asked := make(chan struct{}), make(chan struct{}, 1)
		go func() {
			defer close(gone)
			for b := make([]byte, 4096); ; {
				if _, err := c.Read(b); err != nil {
					return
				}
				for _, tell := range []chan struct{}{asked, came} {
					select {
					case tell <- struct{}{}:
					default:
					}
				}
			}
		}()
		select {
		case <-asked:
			handle(c)
		case <-gone:
		}
		<-gone
		left <- struct{}{}
	})
	return address, came, left
}

// L1: a server that hangs, wherever it does, costs the patience and no more, is asked once,
// and leaves nothing behind.
func TestServerThatHangs(t *testing.T) {
	const patience = 100 * time.Millisecond
	for _, h := range hangs {
		t.Run(h.name, func(t *testing.T) {
			address, _, left := hang(t, h.handle)
			scheme := "http://"
			if h.tls {
				scheme = "https://"
			}
			m, c := newModel(t, Options{Endpoint: scheme + address, Patience: patience})
			before := runtime.NumGoroutine()
			began := time.Now()
			_, err := m.Complete(t.Context(), ask("why"))
			took := time.Since(began)
			want := KindSilent
			if h.name == "in an error" {
				want = KindRequest // which is known before its text
			}
			if kindOf(t, err) != want || want == KindSilent && !saysSilence(err.Error()) {
				t.Error(err)
			}
			if took < patience || took > 20*patience || len(c.waits) > 0 { // 20: on a machine that has other work
				t.Errorf("took %v, waits %v", took, c.waits)
			}
			<-left
			awaitGoroutines(t, before)
		})
	}
}

// awaitGoroutines waits until there are no more goroutines than before, and says how long it
// took.
func awaitGoroutines(t *testing.T, before int) time.Duration {
	t.Helper()
	began := time.Now()
	for runtime.NumGoroutine() > before {
		if time.Since(began) > 10*time.Second {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(began)
}

// L1: a cancelled context ends the question, its goroutines and its connection within
// 100 ms, wherever the server is. The best of five counts: the machine may have other work.
func TestCancelFreesEverything(t *testing.T) {
	for _, h := range hangs {
		t.Run(h.name, func(t *testing.T) {
			best := time.Hour
			for try := 0; try < 5 && best > 100*time.Millisecond; try++ {
				address, came, left := hang(t, h.handle)
				scheme := "http://"
				if h.tls {
					scheme = "https://"
				}
				m, _ := newModel(t, Options{Endpoint: scheme + address})
				before := runtime.NumGoroutine()
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() {
					_, err := m.Complete(ctx, ask("why"))
					done <- err
				}()
				<-came
				began := time.Now()
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				<-left
				awaitGoroutines(t, before)
				best = min(best, time.Since(began))
				if m.breaker != (llm.Breaker{}) {
					t.Error("a question that was given up counts as a failure")
				}
			}
			if best > 100*time.Millisecond {
				t.Errorf("%v", best)
			}
			t.Logf("%v", best)
		})
	}
}

// A context that ends before anything is dialled, or while a dial hangs.
func TestCancelWhileDialling(t *testing.T) {
	m, _ := newModel(t, Options{Endpoint: "http://127.0.0.1:1"})
	dialling := make(chan struct{})
	m.transport.(*http.Transport).DialContext = outbound.Bound(func(ctx context.Context, _, _ string) (net.Conn, error) {
		close(dialling)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-dialling; cancel() }()
	if _, err := m.Complete(ctx, ask("why")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := m.Complete(ctx, ask("why")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	awaitGoroutines(t, before)
}

// inMemory is a model whose connections are pipes to a server in the same bubble of time.
func inMemory(t *testing.T, o Options, handle http.HandlerFunc) *Model {
	t.Helper()
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // behind it the server sees that a client leaves
		handle(w, r)
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	o.Protocol, o.Endpoint, o.Model = OpenAI, "http://localhost/v1", "m"
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	m.transport.(*http.Transport).DialContext = outbound.Bound(func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case l.conns <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	return m
}

type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// write sends pieces, each after a time, and then nothing until the client leaves.
func write(w http.ResponseWriter, r *http.Request, every time.Duration, pieces ...string) {
	for _, p := range pieces {
		select {
		case <-time.After(every):
		case <-r.Context().Done():
			return
		}
		fmt.Fprint(w, p)
		http.NewResponseController(w).Flush()
	}
	<-r.Context().Done()
}

// saying is an event whose delta has one field.
func saying(field, text string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{%q:%q}}]}\n\n", field, text)
}

// saysSilence reports whether an error says what came within 100 ms, and what can be done.
func saysSilence(s string) bool {
	said, hint, ok := strings.Cut(s, "; try again, or raise brv.model.patienceSeconds above 1")
	return ok && hint == "" && (strings.HasSuffix(said, "no data came for 100ms") ||
		strings.HasSuffix(said, "bytes came in 100ms (fewer than 16 count as no answer)"))
}

// L1: in a tool loop as it is used a server that drips is left within the patience, too.
func TestRunLeavesWhoDrips(t *testing.T) {
	for _, text := range []string{"x", ""} {
		synctest.Test(t, func(t *testing.T) {
			m := inMemory(t, Options{Patience: 4800 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
				write(w, r, time.Second, strings.Split(strings.Repeat(saying("content", text)+"\x00", 100), "\x00")...)
			})
			began := time.Now()
			_, err := llm.Run(t.Context(), llm.Guard(m), ask("why"), llm.Limits{Turns: 1, Time: 30 * time.Second,
				Silence: 4800 * time.Millisecond})
			if took := time.Since(began); kindOf(t, err) != KindSilent || took != 4800*time.Millisecond {
				t.Errorf("%q: %v after %v", text, err, took)
			}
		})
	}
}

// The same to the nanosecond, in a bubble of time: what counts as something said, and what
// the patience covers.
func TestPatience(t *testing.T) {
	many := func(piece string, n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = piece
		}
		return out
	}
	for _, c := range []struct {
		name     string
		patience time.Duration // 0 for the default
		every    time.Duration
		pieces   []string
		took     time.Duration
		kind     Kind
	}{
		{"nothing", 0, time.Hour, many("x", 1), 5 * time.Second, KindSilent},
		{"nothing, with more patience", time.Minute, time.Hour, many("x", 1), time.Minute, KindSilent},
		// a token of four bytes a second
		{"a slow answer", 0, time.Second, append(many(firstOK, 100), lastOK+doneOK), 101 * time.Second, ""},
		{"a long piece now and then", 0, 4900 * time.Millisecond, append(many(saying("content", "sixteen bytes it"), 100),
			lastOK+doneOK), 101 * 4900 * time.Millisecond, ""},
		{"a piece of four bytes now and then", 0, 4900 * time.Millisecond, append(many(firstOK, 100), lastOK+doneOK), 5 * time.Second,
			KindSilent},
		{"one that stops", 0, time.Second, many(firstOK, 7), 9 * time.Second, KindSilent}, // what came behind the fourth was too little
		{"a byte of text a second", 0, time.Second, append(many(saying("content", "x"), 100), lastOK+doneOK), 5 * time.Second,
			KindSilent},
		{"a byte of text a second, later", 0, time.Second, append(many(firstOK, 4), many(saying("content", "x"), 100)...),
			9 * time.Second, KindSilent},
		{"a byte of thought a second", 0, time.Second, append(many(saying("reasoning", "x"), 100), lastOK+doneOK), 5 * time.Second,
			KindSilent},
		{"empty deltas", 0, time.Second, append(many(saying("content", ""), 100), lastOK+doneOK), 5 * time.Second, KindSilent},
		{"deltas without a field", 0, time.Second, append(many(`data: {"choices":[{"index":0,"delta":{}}]}`+"\n\n", 100),
			lastOK+doneOK), 5 * time.Second, KindSilent},
		{"usage", 0, time.Second, append(many(`data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}`+"\n\n", 100),
			lastOK+doneOK), 5 * time.Second, KindSilent},
		{"the beginning of a call, again and again", 0, time.Second,
			many(
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call-1","function":{"name":"a_name_of_a_tool","arguments":""}}]}}]}`+"\n\n", 100), 6 * time.Second, KindSilent},
		{"arguments of a call", 0, 4 * time.Second,
			append(
				many(
					`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call-1","function":{"name":"f","arguments":"sixteen bytes it"}}]}}]}`+"\n\n", 20), lastOK+doneOK), 84 * time.Second, ""},
		{"a byte a second", 0, time.Second, strings.Split(firstOK+lastOK+doneOK, ""), 5 * time.Second, KindSilent},
		{"a byte a second, later", 0, time.Second, append([]string{saying("content", "sixteen bytes it")},
			strings.Split(firstOK, "")...), 6 * time.Second, KindSilent},
		{"comments", 0, time.Second, append(many(": PROCESSING\n\n", 20), firstOK+lastOK+doneOK), 5 * time.Second, KindSilent},
		{"empty lines", 0, time.Second, append(many("\n", 20), firstOK+lastOK+doneOK), 5 * time.Second, KindSilent},
		{"events that say nothing", 0, time.Second, append(many("data: {}\n\n", 20), firstOK+lastOK+doneOK), 5 * time.Second, KindSilent},
		{"thoughts", 0, 4 * time.Second, append(many(saying("reasoning_content", "sixteen bytes it"), 20), firstOK+lastOK+doneOK),
			84 * time.Second, ""},
		// its end does not come
		{"a plain answer in time", 0, 4 * time.Second, []string{plainOK + strings.Repeat(" ", 5000)}, 5 * time.Second, KindSilent},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, heard := range []func(string){nil, func(string) {}} {
				synctest.Test(t, func(t *testing.T) {
					m := inMemory(t, Options{Patience: c.patience},
						func(w http.ResponseWriter, r *http.Request) { write(w, r, c.every, c.pieces...) })
					r := ask("why")
					r.Stream = heard
					began := time.Now()
					_, err := m.Complete(t.Context(), r)
					if took := time.Since(began); kindOf(t, err) != c.kind || took != c.took {
						t.Errorf("%v after %v", err, took)
					}
					if want := missed[c.name]; want != "" && !strings.Contains(err.Error(), want) {
						t.Errorf("%v, want %s", err, want)
					}
				})
			}
		})
	}
}

// missed are what some of those errors say: what came, and what was waited for.
var missed = map[string]string{
	"nothing":                            "no data came for 5s",
	"comments":                           "no data came for 5s",
	"a byte of text a second":            "bytes came in 5s (fewer than 16 count as no answer)",
	"a byte of text a second, later":     "bytes came in 5s after the first 16 bytes (fewer than 16 count as no answer)",
	"one that stops":                     "only 12 bytes came in 5s after the first 16 bytes",
	"a piece of four bytes now and then": "only 4 bytes came in 5s",
}

// Retries and their waits are within the patience: no wait goes beyond it.
func TestRetriesAreWithinThePatience(t *testing.T) {
	for _, c := range []struct {
		name     string
		each     time.Duration // that an attempt takes
		after    string
		requests int
		most     time.Duration
		kind     Kind
	}{
		{"at once", 0, "", 3, firstWait + 4*firstWait, KindServer},
		{"each takes 1.7 s", 1700 * time.Millisecond, "", 3, 5 * time.Second, KindSilent},
		{"two are all", 2300 * time.Millisecond, "", 2, 5 * time.Second, KindServer},
		{"the server wants 2 s", 0, "2", 3, 4*time.Second + 2*firstWait, KindServer},
		{"the server wants 3 s", 0, "3", 2, 3*time.Second + firstWait, KindServer},
		{"the server wants 5 s", 0, "5", 1, 0, KindServer},
		{"a first one that hangs", time.Hour, "", 1, 5 * time.Second, KindSilent},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var requests atomic.Int32
				m := inMemory(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					select {
					case <-time.After(c.each):
					case <-r.Context().Done():
					}
					w.Header().Set("Retry-After", c.after)
					w.WriteHeader(503)
				})
				began := time.Now()
				_, err := m.Complete(t.Context(), ask("why"))
				if took := time.Since(began); int(requests.Load()) != c.requests || kindOf(t, err) != c.kind || took > c.most {
					t.Errorf("%v after %v, %d requests", err, took, requests.Load())
				}
			})
		})
	}
}

// Whoever takes up a piece slowly costs the server nothing.
func TestSlowReaderCostsNoPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := inMemory(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			for range 3 {
				fmt.Fprint(w, firstOK)
			}
			fmt.Fprint(w, lastOK+doneOK)
		})
		r := ask("why")
		r.Stream = func(string) { time.Sleep(time.Minute) }
		said, err := m.Complete(t.Context(), r)
		if err != nil || said.Text != "finefinefine" {
			t.Error(said, err)
		}
	})
}

// Questions at the same time have nothing to do with each other.
func TestQuestionsAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := inMemory(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			fmt.Fprint(w, plainOK)
		})
		began := time.Now()
		done := make(chan error)
		for range 20 {
			go func() {
				said, err := m.Complete(t.Context(), llm.Request{Messages: ask("why").Messages})
				if err == nil && said.Text != "fine" {
					err = errors.New(said.Text)
				}
				done <- err
			}()
		}
		for range 20 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if time.Since(began) != time.Second {
			t.Error(time.Since(began))
		}
	})
}
