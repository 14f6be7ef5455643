//go:build cgo

package syntax

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// newTestPool gives ordinary files all the time they need on a busy machine; the
// tests of limits set their own.
func newTestPool(t *testing.T, opts Options) *Pool {
	t.Helper()
	if opts.Timeout == 0 {
		opts.Timeout = time.Minute
	}
	p := NewPool(opts)
	t.Cleanup(p.Close)
	return p
}

// mustParse checks that the pool still answers.
func mustParse(t *testing.T, p *Pool) {
	t.Helper()
	f, err := p.Parse(t.Context(), Request{Path: "ok.go", Language: Go, Source: []byte("package ok\n\nfunc Fine() {}\n")})
	if err != nil || f.Partial != "" || len(f.Symbols) != 1 || f.Symbols[0].Name != "Fine" {
		t.Fatalf("pool is not usable: %+v, %v", f, err)
	}
}

func TestPoolStartsNoWorkerBeforeTheFirstParse(t *testing.T) {
	p := NewPool(Options{Command: []string{"/does/not/exist"}})
	p.Close()
	p = newTestPool(t, Options{Command: []string{"/does/not/exist"}})
	if _, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: []byte("package a")}); err == nil {
		t.Error("no error from a worker that cannot be started")
	}
}

func TestPoolParsesConcurrently(t *testing.T) {
	p := newTestPool(t, Options{})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			name := fmt.Sprintf("F%d", i)
			f, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: []byte("package a\nfunc " + name + "() {}")})
			if err != nil || len(f.Symbols) != 1 || f.Symbols[0].Name != name {
				t.Errorf("%s: %+v, %v", name, f, err)
			}
		})
	}
	wg.Wait()
}

func TestRefusedSourcesSayWhy(t *testing.T) {
	p := newTestPool(t, Options{Command: []string{"/does/not/exist"}})
	for want, src := range map[string]string{
		"NUL":    "package a\x00",
		"line":   strings.Repeat("x", maxLine+1),
		"larger": strings.Repeat("//\n", maxSource/3+1),
	} {
		f, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: []byte(src)})
		if err != nil || !strings.Contains(f.Partial, want) {
			t.Errorf("%s: %q, %v", want, f.Partial, err)
		}
	}
	if hasLongLine([]byte(strings.Repeat(strings.Repeat("x", maxLine)+"\n", 3))) {
		t.Error("a line of exactly MaxLine bytes is refused")
	}
}

// hang is a source on which a test worker sleeps for ever; see TestMain.
const hang = "package hang // never answers"

func TestHangingWorkerIsKilledAndContentQuarantined(t *testing.T) {
	p := newTestPool(t, Options{Command: hangingWorker(t), Workers: 1, Timeout: killAfter / 20})
	for range maxStrikes {
		f, err := p.Parse(t.Context(), Request{Path: "hang.go", Language: Go, Source: []byte(hang)})
		if err != nil || !strings.Contains(f.Partial, errNoAnswer.Error()) {
			t.Fatalf("%q, %v", f.Partial, err)
		}
	}
	f, err := p.Parse(t.Context(), Request{Path: "other.go", Language: Go, Source: []byte(hang)})
	if err != nil || !strings.Contains(f.Partial, "stopped the parser before") {
		t.Errorf("not quarantined: %q, %v", f.Partial, err)
	}
	mustParse(t, p)
}

// TestLoadingAGrammarIsNoFilesFault gives a file less time than the language's
// grammar and query take to load.
func TestLoadingAGrammarIsNoFilesFault(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1, Timeout: 100 * time.Millisecond})
	f, err := p.Parse(t.Context(), Request{Path: "a.swift", Language: Swift, Source: []byte("func f() {}\n")})
	if err != nil || f.Partial != "" || len(f.Symbols) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestKilledWorkerIsReplaced(t *testing.T) {
	p := newTestPool(t, Options{Command: hangingWorker(t), Workers: 1, Timeout: killAfter / 20})
	mustParse(t, p)
	p.mu.Lock()
	w := p.lanes[0].worker.proc
	p.mu.Unlock()
	done := make(chan File)
	go func() {
		f, _ := p.Parse(t.Context(), Request{Path: "hang.go", Language: Go, Source: []byte(hang)})
		done <- f
	}()
	// The request is in the worker or on its way to it; both must end the same.
	w.kill()
	if f := <-done; f.Partial == "" {
		t.Error("a file that killed its worker reads as complete")
	}
	mustParse(t, p)
}

func TestIdleWorkerEndsAndIsReplaced(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1, Idle: time.Millisecond})
	for range 3 {
		mustParse(t, p)
		p.mu.Lock()
		w := p.lanes[0].worker
		p.mu.Unlock()
		if w != nil { // it has not ended yet
			<-w.exited
		}
	}
}

func TestOnlyAWorkerThatWasWaitedForStays(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1, Idle: time.Minute})
	idle := func() time.Duration {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.lanes[0].worker.idle()
	}
	for _, c := range []struct {
		urgent bool
		want   time.Duration
	}{{false, time.Minute / unwaitedOf}, {true, time.Minute}, {false, time.Minute}} {
		if _, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: []byte("package a"),
			Urgent: c.urgent}); err != nil {
			t.Fatal(err)
		}
		if got := idle(); got != c.want {
			t.Errorf("after a file that is urgent: %v, the worker stays %s, not %s", c.urgent, got, c.want)
		}
	}
}

func TestCancelledParseReturnsAndFreesTheWorker(t *testing.T) {
	p := newTestPool(t, Options{Command: hangingWorker(t), Workers: 1})
	mustParse(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := p.Parse(ctx, Request{Path: "hang.go", Language: Go, Source: []byte(hang)})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustParse(t, p)
}

func TestCloseEndsRunningParses(t *testing.T) {
	p := NewPool(Options{Command: hangingWorker(t), Workers: 1})
	mustParse(t, p)
	done := make(chan error)
	go func() {
		_, err := p.Parse(t.Context(), Request{Path: "hang.go", Language: Go, Source: []byte(hang)})
		done <- err
	}()
	p.Close()
	p.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: nil}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestFewFilesStayWithOneWorker gives the pool files that never end, so that what
// each worker has is what it was given.
func TestFewFilesStayWithOneWorker(t *testing.T) {
	p := NewPool(Options{Command: hangingWorker(t), Workers: 2, Timeout: time.Hour})
	defer p.Close()
	give := func(language Language, n, size int) {
		for range n {
			submitted(t, p, Request{Path: "hang", Language: language, Source: []byte(hang + strings.Repeat(" ", size))})
		}
	}
	has := func(when string, first, second, line int) {
		t.Helper()
		p.mu.Lock()
		defer p.mu.Unlock()
		got := [3]int{p.lanes[0].load(), p.lanes[1].load(), len(p.waiting)}
		if got != [3]int{first, second, line} {
			t.Errorf("%s: workers and line have %v, want %v", when, got, [3]int{first, second, line})
		}
	}
	give(Go, depth+2, 1)
	has("few files of Go", depth, 0, 2)
	give(Python, 1, 1)
	has("and one of Python", depth, 1, 2)
	p.mu.Lock()
	p.sent[Go] = worthLoading
	p.dispatch()
	p.mu.Unlock()
	has("many files of Go", depth, depth, 0)
	give(Python, 1, worthLoading)
	has("all busy", depth, depth, 1)
}

func TestLineGoesPastALanguageThatWaits(t *testing.T) {
	p := NewPool(Options{Command: hangingWorker(t), Workers: 2, Timeout: time.Hour})
	defer p.Close()
	for i := range 3*depth + lookAhead {
		language := Go
		if i > 2*depth {
			language = Python
		}
		submitted(t, p, Request{Path: "hang", Language: language, Source: []byte(hang)})
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := len(p.waiting)
	p.dispatch()
	if p.lanes[0].load() != depth || p.lanes[1].load() != depth || len(p.waiting) != before {
		t.Errorf("%d, %d, %d in line, %d before", p.lanes[0].load(), p.lanes[1].load(), len(p.waiting), before)
	}
	for i, c := range p.waiting { // nobody is lost, and nobody overtakes one of the same language
		if want := i <= depth; (c.request.Language == Go) != want {
			t.Errorf("place %d: %s", i, c.request.Language)
		}
	}
}

func TestResultDoesNotDependOnTheFileBefore(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1})
	long := "package a\n" + strings.Repeat("func F() { x := []int{1, 2, 3}; _ = x }\n", 5000)
	first, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: []byte("package a\nfunc G() {}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.try(t.Context(), Request{Path: "long.go", Language: Go, Source: []byte(long)}, time.Microsecond); err != nil {
		t.Fatal(err)
	}
	again, err := p.Parse(t.Context(), Request{Path: "a.go", Language: Go, Source: []byte("package a\nfunc G() {}\n")})
	if err != nil || fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
}

func TestWideRootIsQueriedChildByChild(t *testing.T) {
	p := newTestPool(t, Options{})
	src := strings.Repeat("def f(): pass\n", maxChildren+10)
	f, err := p.Parse(t.Context(), Request{Path: "wide.py", Language: Python, Source: []byte(src)})
	if err != nil || f.Partial != "" || len(f.Symbols) != maxChildren+10 {
		t.Errorf("%d symbols, partial %q, %v", len(f.Symbols), f.Partial, err)
	}
}
