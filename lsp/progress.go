package lsp

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// progressDelay keeps work that is done at once out of the status bar.
const progressDelay = 300 * time.Millisecond

// progressTokens numbers the tokens of this process.
var progressTokens atomic.Int64

// progress shows one piece of long work in the client. Its methods never block
// and may be called from any goroutine. Without the client's support, and for
// work that ends before the delay, nothing is shown.
type progress struct {
	c     *clientSession
	title string
	token protocol.ProgressToken
	stop  context.CancelFunc // cancels the work; nil if the user cannot

	mu      sync.Mutex // guards the fields below, and orders what is sent
	begun   bool
	ended   bool
	counted bool // how long it takes is known, though it can be cancelled
	percent uint32
	message string    // told last, or to be told when it begins
	asked   time.Time // a message about a model was sent last
}

// startProgress prepares to show work after the delay, by the client's token or by one
// that is created then.
func (c *clientSession) startProgress(title string, token protocol.ProgressToken, stop context.CancelFunc) *progress {
	p := &progress{c: c, title: title, token: token, stop: stop}
	switch {
	case token != nil:
		if stop != nil {
			c.shown.Store(token, p) // the client may cancel before it is shown
		}
		c.after(progressDelay, p.begin)
	case c.Progress:
		p.token = protocol.String(fmt.Sprintf("brv-%d", progressTokens.Add(1)))
		c.after(progressDelay, func() { c.spawn("progress", p.create) })
	}
	return p
}

// create asks the client for a progress bar and begins it.
func (p *progress) create() error {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended {
		return nil
	}
	err := p.c.conn.WorkDoneProgressCreate(p.c.ctx, &protocol.WorkDoneProgressCreateParams{Token: p.token})
	if err == nil {
		p.begin()
	}
	return err
}

// begin shows the progress bar.
func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun || p.ended {
		return
	}
	p.begun = true
	begin := &protocol.WorkDoneProgressBegin{Kind: "begin", Title: p.title, Percentage: &p.percent}
	if p.stop != nil {
		begin.Cancellable = ptr(true)
		if !p.counted {
			begin.Percentage = nil // how long a command takes is not known
		}
		p.c.shown.Store(p.token, p)
	}
	if p.message != "" {
		begin.Message = &p.message
	}
	p.sendLocked(begin)
}

// askingPause lies between two words about what a model says.
const askingPause = 250 * time.Millisecond

// asking tells that a model is asked, and how many pieces of its answer came.
func (p *progress) asking(model string, pieces int) {
	message := "asking " + model
	if pieces > 0 {
		message += fmt.Sprintf(": %d pieces of its answer so far", pieces)
	}
	now := p.c.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.message = message
	if p.begun && (pieces == 0 || now.Sub(p.asked) >= askingPause) {
		p.asked = now
		p.sendLocked(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message})
	}
}

// report tells how far the work is.
func (p *progress) report(done, total int) {
	if total <= 0 {
		return
	}
	percent := uint32(min(100, max(0, 100*done/total)))
	p.mu.Lock()
	defer p.mu.Unlock()
	if percent <= p.percent || p.ended {
		return
	}
	p.percent = percent
	if p.begun {
		p.sendLocked(&protocol.WorkDoneProgressReport{Kind: "report", Percentage: &percent})
	}
}

// counts says that it will be told how far the work is.
func (p *progress) counts() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted = true
}

// tell tells what is being done, and how far the work is.
func (p *progress) tell(message string, percent uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || message == p.message {
		return
	}
	p.message, p.percent = message, max(p.percent, min(100, percent))
	if p.begun {
		p.sendLocked(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: ptr(p.percent)})
	}
}

// end closes the progress bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun && !p.ended {
		p.sendLocked(&protocol.WorkDoneProgressEnd{Kind: "end"})
	}
	p.ended = true
	p.c.shown.Delete(p.token)
}

// cancelProgress cancels the work that a progress bar shows.
func (c *clientSession) cancelProgress(token protocol.ProgressToken) {
	if shown, ok := c.shown.Load(token); ok {
		shown.(*progress).stop()
	}
}

func (p *progress) sendLocked(value any) {
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = p.c.conn.Progress(p.c.ctx, &protocol.ProgressParams{Token: p.token, Value: raw})
	}
	if err != nil {
		p.c.log.Debug("progress", "err", err)
	}
}

// scanProgress shows the reading of a folder's code and context tree, which may go on side
// by side.
func (s *server) scanProgress() func(workspace.Progress) {
	var mu sync.Mutex
	shown := map[string]*progress{} // by title
	return func(w workspace.Progress) {
		mu.Lock()
		defer mu.Unlock()
		p := shown[w.Title]
		if w.End {
			if p != nil {
				p.end()
				s.setBusy(-1, "")
			}
			delete(shown, w.Title)
			return
		}
		if p == nil {
			p = s.client.startProgress(w.Title, nil, nil)
			shown[w.Title] = p
			s.setBusy(1, w.Title)
		}
		p.report(w.Done, w.Total)
	}
}
