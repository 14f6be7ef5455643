package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

func TestTrace(t *testing.T) {
	e, ctx := session(t, withEcho(lsp.Options{Now: fixedNow}), lsptest.Session{})
	traced := func(n int) (out []string) {
		t.Helper()
		messages, err := e.WaitFor(ctx, "$/logTrace", func(m []lsptest.Message) bool { return len(m) >= n })
		if err != nil || len(messages) != n {
			t.Fatalf("%d traces, want %d: %v, %v", len(messages), n, messages, err)
		}
		for _, m := range messages {
			out = append(out, string(m.Params))
		}
		return out
	}
	set := func(value string) {
		t.Helper()
		if err := e.Notify("$/setTrace", map[string]string{"value": value}); err != nil {
			t.Fatal(err)
		}
	}
	alive(t, e, ctx)
	set("messages")
	alive(t, e, ctx)
	set("verbose")
	if err := e.Call(ctx, "no/such", map[string]string{"long": strings.Repeat("é", 1<<20)}, nil); code(err) != -32601 {
		t.Fatal(err)
	}
	set("off")
	alive(t, e, ctx)
	got := traced(4)
	want := []string{
		`{"message":"request test/echo: 0.0 ms"}`, `{"message":"notification $/setTrace: 0.0 ms"}`,
		`{"message":"request no/such: 0.0 ms: [^"]+","verbose":"Params: {\\"long\\":\\"é+\??"}`,
		`{"message":"notification $/setTrace: 0.0 ms","verbose":"Params: {\\"value\\":\\"off\\"}"}`,
	}
	for i := range want {
		if ok, err := regexp.MatchString("^"+strings.NewReplacer("{", `\{`, `\\"`, `\\"`, "$", `\$`).Replace(want[i])+"$",
			got[i]); !ok || err != nil || len(got[i]) > 5<<10 {
			t.Errorf("%.200s, want %s (%v)", got[i], want[i], err)
		}
	}
	params := json.RawMessage(`{"capabilities":{},"rootUri":null,"processId":null,"trace":"messages"}`)
	e, ctx = session(t, withEcho(lsp.Options{}), lsptest.Session{Params: params})
	alive(t, e, ctx)
	traced(2) // initialized and the call
}

// What goes wrong is told to the client, but not for ever.
func TestWarningsReachTheClient(t *testing.T) {
	clock := lsptest.NewClock(time.Unix(0, 0))
	n := 0
	o := lsp.WithNote(withEcho(lsp.Options{Now: clock.Now}), "test/fail", func() error {
		n++
		return errors.New(fmt.Sprint("failure ", n))
	})
	e, ctx := session(t, o, lsptest.Session{})
	fail := func(times int) []lsptest.Message {
		t.Helper()
		for range times {
			if err := e.Notify("test/fail", nil); err != nil {
				t.Fatal(err)
			}
		}
		alive(t, e, ctx)
		return e.Received("window/logMessage")
	}
	got := fail(1)
	if len(got) != 1 || string(got[0].Params) != `{"type":2,"message":"notification method=test/fail err=failure 1"}` {
		t.Errorf("%v", got)
	}
	if got := fail(1000); len(got) != 30 {
		t.Errorf("%d messages in a minute", len(got))
	}
	clock.Advance(time.Minute)
	if got := fail(1); len(got) != 31 {
		t.Errorf("%d messages after it", len(got))
	}
}

// A client that takes nothing ends the session, whatever is under way.
func TestClientThatStopsReading(t *testing.T) {
	o := lsp.WithDrain(lsp.WithStall(withEcho(lsp.Options{}), time.Second), time.Second)
	e, _ := session(t, o, lsptest.Session{})
	e.Pause()
	for range 3 {
		if err := e.Notify("no/such", nil); err != nil {
			break
		}
		if _, _, err := e.Begin("test/echo", nil); err != nil {
			break
		}
	}
	if exit, err := e.ExitCode(t.Context()); exit != 1 || err != nil {
		t.Errorf("exit code %d, %v", exit, err)
	}
}
