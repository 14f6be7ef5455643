package mcp

import (
	"context"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// progress passes on the progress of the first read of the code to the calls that gave a token for it.
type progress struct {
	mu        sync.Mutex
	listeners map[chan workspace.Progress]bool
}

// tell does not block. A slow receiver gets only the newest state.
func (p *progress) tell(state workspace.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.listeners {
		select {
		case <-l:
		default:
		}
		l <- state // it has room for one element, and only this function fills it
	}
}

// follow reports progress to the client until the returned function is called, which waits for the last report,
// since no report may come after the result.
func (p *progress) follow(ctx context.Context, call *sdk.CallToolRequest) (stop func()) {
	token := call.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	states, quit, gone := make(chan workspace.Progress, 1), make(chan struct{}), make(chan struct{})
	p.mu.Lock()
	if p.listeners == nil {
		p.listeners = map[chan workspace.Progress]bool{}
	}
	p.listeners[states] = true
	p.mu.Unlock()
	go func() {
		defer close(gone)
		report(ctx, call.Session, token, states, quit)
	}()
	return func() {
		p.mu.Lock()
		delete(p.listeners, states)
		p.mu.Unlock()
		close(quit)
		<-gone
	}
}

// report sends only values greater than the last one, as the protocol requires.
func report(ctx context.Context, client *sdk.ServerSession, token any, states <-chan workspace.Progress, quit <-chan struct{}) {
	last := 0
	for {
		select {
		case <-quit:
			return
		case <-ctx.Done():
			return
		case state := <-states:
			if state.End || state.Done <= last {
				continue
			}
			last = state.Done
			client.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // if the client is gone, the session ends elsewhere
				ProgressToken: token, Progress: float64(state.Done), Total: float64(state.Total), Message: state.Title,
			})
		}
	}
}
