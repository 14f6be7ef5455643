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
	f, err := p.Parse(t.Context(), Request{"ok.go", Go, []byte("package ok\n\nfunc Fine() {}\n")})
	if err != nil || f.Partial != "" || len(f.Symbols) != 1 || f.Symbols[0].Name != "Fine" {
		t.Fatalf("pool is not usable: %+v, %v", f, err)
	}
}

func TestPoolStartsNoWorkerBeforeTheFirstParse(t *testing.T) {
	p := NewPool(Options{Command: []string{"/does/not/exist"}})
	p.Close()
	p = newTestPool(t, Options{Command: []string{"/does/not/exist"}})
	if _, err := p.Parse(t.Context(), Request{"a.go", Go, []byte("package a")}); err == nil {
		t.Error("no error from a worker that cannot be started")
	}
}

func TestPoolParsesConcurrently(t *testing.T) {
	p := newTestPool(t, Options{})
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			name := fmt.Sprintf("F%d", i)
			f, err := p.Parse(t.Context(), Request{"a.go", Go, []byte("package a\nfunc " + name + "() {}")})
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
		"line":   strings.Repeat("x", MaxLine+1),
		"larger": strings.Repeat("//\n", MaxSource/3+1),
	} {
		f, err := p.Parse(t.Context(), Request{"a.go", Go, []byte(src)})
		if err != nil || !strings.Contains(f.Partial, want) {
			t.Errorf("%s: %q, %v", want, f.Partial, err)
		}
	}
	if hasLongLine([]byte(strings.Repeat(strings.Repeat("x", MaxLine)+"\n", 3))) {
		t.Error("a line of exactly MaxLine bytes is refused")
	}
}

// hostile inputs, each of which hangs, aborts or slows tree-sitter in some
// language when nothing is in its way. Lines are kept short so that the guards
// of this package do not answer for the worker.
func hostile() map[string]string {
	lined := func(s string, n int) string {
		return strings.Repeat(strings.Repeat(s, 80)+"\n", n/80)
	}
	return map[string]string{
		"quotes":       lined(`"`, 100_000),
		"backticks":    lined("`", 100_000),
		"blockquote":   strings.Repeat("> ", 500),
		"parens":       lined("(", 50_000),
		"brackets":     lined("[", 50_000),
		"braces":       lined("{", 50_000),
		"heredocs":     strings.Repeat("<<A", 1000) + "\n" + lined("<<A", 25_000),
		"balanced":     lined("(", 20_000) + "1" + lined(")", 20_000),
		"tuple":        "x = [" + lined("1,", 300_000) + "]",
		"generics":     "let x: " + lined("A<", 20_000),
		"jsx":          "x = " + lined("<a>", 20_000),
		"comments":     lined("/*", 50_000),
		"backslashes":  lined(`\`, 50_000),
		"indents":      indents(400),
		"wide":         strings.Repeat("x = 1\n", 60_000),
		"unicode":      lined("\u00e9\u4e16", 50_000),
		"invalid utf8": lined("\xff\xfe", 50_000),
		"newlines":     strings.Repeat("\n", 500_000),
		"hashes":       `r` + lined("#", 50_000) + `"`,
		"interpolate":  "f'" + lined("{", 4000),
	}
}

func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String()
}

func TestHostileFilesAreBounded(t *testing.T) {
	p := newTestPool(t, Options{Timeout: KillAfter})
	var wg sync.WaitGroup
	for name, src := range hostile() {
		for _, lang := range Languages() {
			if testing.Short() && lang != Go && lang != Python {
				continue
			}
			wg.Go(func() {
				start := time.Now()
				f, err := p.Parse(t.Context(), Request{name, lang, []byte(src)})
				if err != nil {
					t.Errorf("%s as %s: %v", name, lang, err)
				}
				for _, s := range f.Symbols {
					if s.Range.Start < 0 || s.Range.End > len(src) {
						t.Errorf("%s as %s: symbol outside the source", name, lang)
					}
				}
				if testing.Verbose() && f.Partial != "" {
					t.Logf("%s as %s: %s (%v)", name, lang, f.Partial, time.Since(start).Round(time.Millisecond))
				}
			})
		}
	}
	wg.Wait()
	mustParse(t, p)
}

// hang is a source on which a test worker sleeps for ever; see TestMain.
const hang = "package hang // never answers"

func TestHangingWorkerIsKilledAndContentQuarantined(t *testing.T) {
	p := newTestPool(t, Options{Command: hangingWorker(t), Workers: 1, Timeout: KillAfter})
	f, err := p.Parse(t.Context(), Request{"hang.go", Go, []byte(hang)})
	if err != nil || !strings.Contains(f.Partial, errNoAnswer.Error()) {
		t.Fatalf("%q, %v", f.Partial, err)
	}
	f, err = p.Parse(t.Context(), Request{"other.go", Go, []byte(hang)})
	if err != nil || !strings.Contains(f.Partial, "stopped the parser before") {
		t.Errorf("not quarantined: %q, %v", f.Partial, err)
	}
	mustParse(t, p)
}

func TestKilledWorkerIsReplaced(t *testing.T) {
	p := newTestPool(t, Options{Command: hangingWorker(t), Workers: 1, Timeout: KillAfter})
	mustParse(t, p)
	w := <-p.slots
	p.slots <- w
	done := make(chan File)
	go func() {
		f, _ := p.Parse(t.Context(), Request{"hang.go", Go, []byte(hang)})
		done <- f
	}()
	// The request is in the worker or on its way to it; both must end the same.
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if f := <-done; f.Partial == "" {
		t.Error("a file that killed its worker reads as complete")
	}
	mustParse(t, p)
}

func TestCancelledParseReturnsAndFreesTheWorker(t *testing.T) {
	p := newTestPool(t, Options{Command: hangingWorker(t), Workers: 1})
	mustParse(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := p.Parse(ctx, Request{"hang.go", Go, []byte(hang)})
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
		_, err := p.Parse(t.Context(), Request{"hang.go", Go, []byte(hang)})
		done <- err
	}()
	p.Close()
	p.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Parse(t.Context(), Request{"a.go", Go, nil}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestResultDoesNotDependOnTheFileBefore(t *testing.T) {
	p := newTestPool(t, Options{Workers: 1})
	long := "package a\n" + strings.Repeat("func F() { x := []int{1, 2, 3}; _ = x }\n", 5000)
	first, err := p.Parse(t.Context(), Request{"a.go", Go, []byte("package a\nfunc G() {}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.try(t.Context(), [32]byte{}, Request{"long.go", Go, []byte(long)}, time.Microsecond); err != nil {
		t.Fatal(err)
	}
	again, err := p.Parse(t.Context(), Request{"a.go", Go, []byte("package a\nfunc G() {}\n")})
	if err != nil || fmt.Sprint(first) != fmt.Sprint(again) {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
}

func TestWideRootIsQueriedChildByChild(t *testing.T) {
	p := newTestPool(t, Options{})
	src := strings.Repeat("def f(): pass\n", maxChildren+10)
	f, err := p.Parse(t.Context(), Request{"wide.py", Python, []byte(src)})
	if err != nil || f.Partial != "" || len(f.Symbols) != maxChildren+10 {
		t.Errorf("%d symbols, partial %q, %v", len(f.Symbols), f.Partial, err)
	}
}
