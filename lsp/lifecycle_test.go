package lsp

import (
	"context"
	"testing"
	"testing/synctest"

	"go.lsp.dev/jsonrpc2"
)

// told counts the calls that reach a client.
type told struct {
	jsonrpc2.Conn
	calls int
}

func (c *told) Call(context.Context, string, any, any) (jsonrpc2.ID, error) {
	c.calls++
	return jsonrpc2.ID{}, nil
}

func TestCallsWaitForTheAnswerToInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &told{}
		s := newServer(t.Context(), client, Options{}.withDefaults())
		s.client.refreshInlays = true
		s.refresh.want(refreshInlays)
		synctest.Wait()
		if client.calls != 0 {
			t.Errorf("%d calls before the answer to initialize", client.calls)
		}
		s.greet()
		synctest.Wait()
		if client.calls != 1 {
			t.Errorf("%d calls after it, want 1", client.calls)
		}
		s.work.Wait()
	})
}

func TestCallsThatWaitEndWithTheSession(t *testing.T) {
	client := &told{}
	ctx, cancel := context.WithCancel(t.Context())
	s := newServer(ctx, client, Options{}.withDefaults())
	s.client.refreshInlays = true
	s.refresh.want(refreshInlays)
	cancel()
	s.release()
	if client.calls != 0 {
		t.Errorf("%d calls", client.calls)
	}
}
