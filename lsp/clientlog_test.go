package lsp_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/brv-lsp/brv-lsp/lsp"
	"github.com/brv-lsp/brv-lsp/lsp/lsptest"
)

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
