package panics_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/panics"
)

func TestPanicIsRaisedWhereItIsWaitedFor(t *testing.T) {
	var g panics.Group
	done := make(chan struct{})
	g.Go(func() { panic("in a part") })
	g.Go(func() { close(done) }) // goes on beside it
	err := panics.Try(func() error { g.Wait(); return nil })
	<-done
	if err == nil || !strings.Contains(err.Error(), "in a part") || !strings.Contains(err.Error(), "panics_test.go") {
		t.Errorf("%v", err)
	}
	g.Go(func() {})
	g.Wait() // once
}

func TestErrorIsNoPanic(t *testing.T) {
	want := errors.New("x")
	if err := panics.Try(func() error { return want }); err != want {
		t.Error(err)
	}
}
