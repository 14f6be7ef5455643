package work_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/internal/work"
)

func TestPanicIsRaisedWhereItIsWaitedFor(t *testing.T) {
	var g work.Group
	done := make(chan struct{})
	g.Go(func() { panic("in a part") })
	g.Go(func() { close(done) }) // goes on beside it
	err := work.Safely(func() error { g.Wait(); return nil })
	<-done
	if err == nil || !strings.Contains(err.Error(), "in a part") || !strings.Contains(err.Error(), "work_test.go") {
		t.Errorf("%v", err)
	}
	g.Go(func() {})
	g.Wait() // once
}

func TestErrorIsNoPanic(t *testing.T) {
	want := errors.New("x")
	if err := work.Safely(func() error { return want }); err != want {
		t.Error(err)
	}
}
