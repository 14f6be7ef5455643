package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

// patience is how long a test waits for something that must happen: each wait, not the
// session, for what a test asks in all takes as long as a busy machine takes.
const patience = 30 * time.Second

// eventually asks again and again until what must happen has; last says what it was asked
// last.
func eventually(t *testing.T, holds func() (ok bool, last string)) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		ok, last := holds()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v; at last: %s", patience, last)
		}
	}
}

// start connects an editor to a server in this process.
func start(t *testing.T, o lsp.Options) (*lsptest.Editor, context.Context) {
	t.Helper()
	return startBut(t, o, func(string) bool { return false })
}

// startBut is start where some breaches of the protocol are to be expected.
func startBut(t *testing.T, o lsp.Options, expected func(violation string) bool) (*lsptest.Editor, context.Context) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if o.Trust == nil {
		o.Trust = func(string) (bool, string) { return true, "" }
	}
	return watched(t, begin(lsp.Unhurried(o)), cancel, expected), ctx
}

// watched fails the test for what the server does against the protocol.
func watched(t *testing.T, e *lsptest.Editor, cancel func(), expected func(violation string) bool) *lsptest.Editor {
	t.Cleanup(func() {
		e.Close()
		cancel()
		for _, v := range e.Violations() {
			if !expected(v) {
				t.Error(v)
			}
		}
	})
	return e
}

// begin starts a server that ends only when all that it does has ended, also where a busy
// machine takes longer for that than an editor would wait: a test removes the folder then.
func begin(o lsp.Options) *lsptest.Editor {
	e := lsptest.Start(lsp.WithDrain(o, patience))
	e.Patience = patience
	return e
}

// session also begins a session in one folder.
func session(t *testing.T, o lsp.Options, s lsptest.Session) (*lsptest.Editor, context.Context) {
	t.Helper()
	e, ctx := start(t, o)
	if _, err := e.Initialize(ctx, s); err != nil {
		t.Fatal(err)
	}
	return e, ctx
}

// hurried is a session whose answers wait no longer than those of users.
func hurried(t *testing.T, o lsp.Options, s lsptest.Session) (*lsptest.Editor, context.Context) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	e := watched(t, begin(o), cancel, func(string) bool { return false })
	if _, err := e.Initialize(ctx, s); err != nil {
		t.Fatal(err)
	}
	return e, ctx
}

func code(err error) int {
	var failed *lsptest.ResponseError
	if errors.As(err, &failed) {
		return failed.Code
	}
	return 0
}

// alive checks that the session still answers.
func alive(t *testing.T, e *lsptest.Editor, ctx context.Context) {
	t.Helper()
	var got string
	if err := e.Call(ctx, "test/echo", nil, &got); err != nil || got != "here" {
		t.Fatalf("the session is dead: %q, %v", got, err)
	}
}

func withEcho(o lsp.Options) lsp.Options {
	return lsp.WithCall(o, "test/echo", nil, func(context.Context) (any, error) { return json.RawMessage(`"here"`), nil })
}

// withBlocking adds the call test/wait, which waits until release is closed or it is
// cancelled.
func withBlocking(o lsp.Options, release <-chan struct{}) lsp.Options {
	return lsp.WithCall(o, "test/wait", nil, func(ctx context.Context) (any, error) {
		select {
		case <-release:
			return json.RawMessage("true"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

func TestCancelledCallIsAnsweredAtOnce(t *testing.T) {
	o := lsp.WithCall(withEcho(lsp.Options{}), "test/block", nil, func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	e, ctx := session(t, o, lsptest.Session{})
	id, answered, err := e.Begin("test/block", nil)
	if err != nil {
		t.Fatal(err)
	}
	alive(t, e, ctx) // the read loop is free
	begin := time.Now()
	if err := e.Notify("$/cancelRequest", map[string]any{"id": float64(id)}); err != nil {
		t.Fatal(err)
	}
	if err := answered.Wait(ctx, nil); code(err) != -32800 {
		t.Errorf("got %v, want -32800", err)
	}
	t.Logf("answered after %v", time.Since(begin))
}

// Work that does not look up is left alone when its call is cancelled, even if it panics
// afterwards; what said that it stays is waited for, and says what became of it.
func TestCancelledWorkIsLeftAlone(t *testing.T) {
	begun, release, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	deaf := func(name string, stays bool, then func(context.Context) (any, error)) func(lsp.Options) lsp.Options {
		return func(o lsp.Options) lsp.Options {
			return lsp.WithCall(o, name, nil, func(ctx context.Context) (any, error) {
				if stays {
					if err := lsp.Stay(ctx); err != nil {
						return nil, err
					}
				}
				begun <- struct{}{}
				<-release
				return then(ctx)
			})
		}
	}
	result := func(context.Context) (any, error) { return json.RawMessage(`"written"`), nil }
	o := withEcho(lsp.Options{})
	for _, with := range []func(lsp.Options) lsp.Options{
		deaf("test/deaf", false, func(ctx context.Context) (any, error) { left <- lsp.Stay(ctx); return result(ctx) }),
		deaf("test/sick", false, func(context.Context) (any, error) { panic("sick") }),
		deaf("test/writer", true, result),
	} {
		o = with(o)
	}
	e, ctx := session(t, o, lsptest.Session{})
	cancelled := map[string]lsptest.Pending{}
	for _, name := range []string{"test/deaf", "test/sick", "test/writer"} {
		id, answered, err := e.Begin(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		<-begun
		if err := e.Notify("$/cancelRequest", map[string]any{"id": float64(id)}); err != nil {
			t.Fatal(err)
		}
		cancelled[name] = answered
	}
	for _, name := range []string{"test/deaf", "test/sick"} { // nothing was released yet
		if err := cancelled[name].Wait(ctx, nil); code(err) != -32800 {
			t.Errorf("%s: got %v, want -32800", name, err)
		}
	}
	close(release)
	var got string
	if err := cancelled["test/writer"].Wait(ctx, &got); err != nil || got != "written" {
		t.Errorf("what had begun to change something is answered by %q, %v", got, err)
	}
	if err := <-left; err == nil {
		t.Error("work whose call was answered may go on to change something")
	}
	alive(t, e, ctx)
}

func TestCancelWithOddIDs(t *testing.T) {
	release := make(chan struct{})
	o := withBlocking(withEcho(lsp.Options{}), release)
	e, ctx := session(t, o, lsptest.Session{})
	_, answered, err := e.Begin("test/wait", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{`null`, `1.5`, `1e300`, `99999999999999999999`, `-1`, `"2"`, `""`, `[2]`, `{"id":2}`, `true`} {
		if err := e.SendBody([]byte(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range []string{`[1]`, `{}`, `null`, `"x"`} {
		if err := e.SendBody([]byte(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":` + body + `}`)); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, e, ctx)
	close(release)
	if err := answered.Wait(ctx, nil); err != nil {
		t.Errorf("a cancellation of something else cancelled the call: %v", err)
	}
}

func TestCancelOfStringID(t *testing.T) {
	began := make(chan struct{})
	ended := make(chan error, 1)
	o := lsp.WithCall(withEcho(lsp.Options{}), "test/block", nil, func(ctx context.Context) (any, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	e, ctx := session(t, o, lsptest.Session{})
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"one","method":"test/block"}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"one"}}`,
	} {
		if err := e.SendBody([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	<-began
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("not cancelled")
	}
	alive(t, e, ctx)
}

func TestPanicsAreAnswered(t *testing.T) {
	o := withEcho(lsp.Options{})
	o = lsp.WithCall(o, "test/panicFirst", func() { panic("first") }, nil)
	o = lsp.WithCall(o, "test/panicThen", nil, func(context.Context) (any, error) { panic(errors.New("then")) })
	o = lsp.WithNote(o, "test/panicNote", func() error { panic("note") })
	o = lsp.WithNote(o, "test/failNote", func() error { return errors.New("failed") })
	e, ctx := session(t, o, lsptest.Session{})
	for range 3 {
		for _, method := range []string{"test/panicFirst", "test/panicThen"} {
			if err := e.Call(ctx, method, nil, nil); code(err) != -32603 {
				t.Errorf("%s: got %v, want -32603", method, err)
			}
			alive(t, e, ctx)
		}
		for _, method := range []string{"test/panicNote", "test/failNote"} {
			if err := e.Notify(method, nil); err != nil {
				t.Fatal(err)
			}
			alive(t, e, ctx)
		}
	}
}

func TestErrorsOfWorkReachTheClient(t *testing.T) {
	o := lsp.WithCall(lsp.Options{}, "test/fail", nil, func(context.Context) (any, error) { return nil, errors.New("object: why") })
	e, ctx := session(t, o, lsptest.Session{})
	err := e.Call(ctx, "test/fail", nil, nil)
	if code(err) != -32803 || !strings.Contains(err.Error(), "object: why") {
		t.Errorf("got %v", err)
	}
}

func TestTooManyCallsAreRefused(t *testing.T) {
	release := make(chan struct{})
	o := lsp.WithCall(withEcho(lsp.Options{}), "test/wait", nil, func(context.Context) (any, error) {
		<-release
		return nil, nil
	})
	e, ctx := session(t, o, lsptest.Session{})
	var waiting []lsptest.Pending
	for range 256 {
		_, p, err := e.Begin("test/wait", nil)
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, p)
	}
	if err := e.Call(ctx, "test/echo", nil, nil); code(err) != -32803 {
		t.Errorf("the 257th call: got %v, want -32803", err)
	}
	close(release)
	for _, p := range waiting {
		if err := p.Wait(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, e, ctx)
}

func TestSessionStages(t *testing.T) {
	e, ctx := start(t, withEcho(lsp.Options{}))
	wants := func(method string, want int) {
		t.Helper()
		if err := e.Call(ctx, method, nil, nil); code(err) != want {
			t.Errorf("%s: got %v, want %d", method, err, want)
		}
	}
	wants("textDocument/hover", -32002)
	wants("no/such/method", -32002)
	wants("shutdown", -32002)
	if err := e.Notify("textDocument/didOpen", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Initialize(ctx, lsptest.Session{}); err != nil {
		t.Fatal(err)
	}
	wants("initialize", -32600)
	wants("no/such/method", -32601)
	alive(t, e, ctx)
	wants("shutdown", 0)
	wants("textDocument/hover", -32600)
	wants("shutdown", -32600)
	wants("initialize", -32600)
	if err := e.Notify("exit", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := e.ExitCode(ctx); got != 0 || err != nil {
		t.Errorf("exit code %d, %v", got, err)
	}
}

func TestExitCodes(t *testing.T) {
	t.Run("exit without shutdown", func(t *testing.T) {
		e, ctx := session(t, lsp.Options{}, lsptest.Session{})
		if err := e.Notify("exit", nil); err != nil {
			t.Fatal(err)
		}
		if got, err := e.ExitCode(ctx); got != 1 || err != nil {
			t.Errorf("exit code %d, %v", got, err)
		}
	})
	t.Run("exit before initialize", func(t *testing.T) {
		e, ctx := start(t, lsp.Options{})
		if err := e.Notify("exit", nil); err != nil {
			t.Fatal(err)
		}
		if got, err := e.ExitCode(ctx); got != 1 || err != nil {
			t.Errorf("exit code %d, %v", got, err)
		}
	})
	t.Run("client hangs up during a call", func(t *testing.T) {
		o := lsp.WithCall(withEcho(lsp.Options{}), "test/block", nil, func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		e, ctx := session(t, o, lsptest.Session{})
		if _, _, err := e.Begin("test/block", nil); err != nil {
			t.Fatal(err)
		}
		alive(t, e, ctx)
		e.Close()
		if got, err := e.ExitCode(ctx); got != 1 || err != nil {
			t.Errorf("exit code %d, %v", got, err)
		}
	})
}

func TestServerEndsWithItsParent(t *testing.T) {
	clock := lsptest.NewClock(time.Unix(0, 0))
	dead := make(chan struct{})
	o := withEcho(lsp.Options{After: clock.After, ProcessAlive: func(pid int) bool {
		select {
		case <-dead:
			return false
		default:
			return pid == 4711
		}
	}})
	params := json.RawMessage(`{"processId":4711,"rootUri":null,"capabilities":{}}`)
	e, ctx := session(t, o, lsptest.Session{Params: params})
	clock.Advance(10 * time.Second)
	alive(t, e, ctx)
	close(dead)
	clock.Advance(3 * time.Second)
	if got, err := e.ExitCode(ctx); got != 1 || err != nil {
		t.Errorf("exit code %d, %v", got, err)
	}
}

func TestUnknownParentIsNotWatched(t *testing.T) {
	clock := lsptest.NewClock(time.Unix(0, 0))
	o := withEcho(lsp.Options{After: clock.After, ProcessAlive: func(int) bool { return false }})
	params := json.RawMessage(`{"processId":4711,"rootUri":null,"capabilities":{}}`)
	e, ctx := session(t, o, lsptest.Session{Params: params})
	clock.Advance(time.Minute)
	alive(t, e, ctx)
}

func TestServeLeavesNoGoroutine(t *testing.T) {
	for i := range 20 {
		e, ctx := session(t, withEcho(lsp.Options{}), lsptest.Session{Folders: []string{t.TempDir()}})
		alive(t, e, ctx)
		if i%2 == 0 {
			if _, err := e.Shutdown(ctx); err != nil {
				t.Fatal(err)
			}
		}
		e.Close()
	}
	eventually(t, func() (bool, string) {
		runtime.Gosched()
		left := ownGoroutines()
		return left == "", "left running:\n" + left
	})
}

// ownGoroutines returns the stacks of this project's goroutines other than tests.
func ownGoroutines() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var own []string
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		foreign := !strings.Contains(stack, "brv-lsp/") && !strings.Contains(stack, "go.lsp.dev/")
		if foreign || strings.Contains(stack, "testing.tRunner") || strings.Contains(stack, "ownGoroutines") {
			continue
		}
		own = append(own, stack)
	}
	return strings.Join(own, "\n\n")
}

func ExampleServe() {
	e := begin(lsp.Options{Version: "1.2.3"})
	defer e.Close()
	result, err := e.Initialize(context.Background(), lsptest.Session{Encodings: []string{"utf-16", "utf-8"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.ServerInfo.Name, result.ServerInfo.Version, result.Capabilities["positionEncoding"])
	exit, err := e.Shutdown(context.Background())
	fmt.Println(exit, err)
	// Output:
	// brv-lsp 1.2.3 utf-8
	// 0 <nil>
}

func TestServeOverPipes(t *testing.T) {
	for _, hangUp := range []bool{false, true} {
		in, toServer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		fromServer, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		serving, stop := context.WithCancel(t.Context())
		exit := make(chan int, 1)
		go func() { exit <- lsp.Serve(serving, in, out, withEcho(lsp.Options{})) }()
		e := lsptest.Attach(fromServer, toServer)
		if _, err := e.Initialize(t.Context(), lsptest.Session{Folders: []string{t.TempDir()}}); err != nil {
			t.Fatal(err)
		}
		alive(t, e, t.Context())
		want := 0
		if hangUp { // the caller ends it while it waits for the client
			stop()
			want = 1
		} else if _, err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if got := <-exit; got != want {
			t.Errorf("exit code %d, want %d", got, want)
		}
		stop()
		e.Close()
	}
}
