package client

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
)

// progressDelay keeps short work out of the status bar.
const progressDelay = 300 * time.Millisecond

// progressTokens numbers the tokens of this process.
var progressTokens atomic.Int64

// Progress shows one piece of long work in the client. Its methods never block and may be called from any
// goroutine. If the client does not support it, or the work ends before the delay, nothing is shown.
type Progress struct {
	c     *Client
	title string
	token protocol.ProgressToken
	stop  context.CancelFunc // cancels the work; nil if the user cannot

	mu        sync.Mutex // guards the fields below, and orders what is sent
	begun     bool
	ended     bool
	counted   bool // its length is known, although it can be cancelled
	percent   uint32
	message   string    // the last message sent, or the first one to send
	announced time.Time // when the last message about a model was sent
}

// StartProgress prepares to show work after the delay, by the client's token or by one
// that is created then.
func (c *Client) StartProgress(title string, token protocol.ProgressToken, stop context.CancelFunc) *Progress {
	p := &Progress{c: c, title: title, token: token, stop: stop}
	switch {
	case token != nil:
		if stop != nil {
			c.shown.Store(token, p) // the client may cancel before it is shown
		}
		c.After(progressDelay, p.begin)
	case c.Progress:
		p.token = protocol.String(fmt.Sprintf("brv-%d", progressTokens.Add(1)))
		c.After(progressDelay, func() { c.Spawn("progress", p.create) })
	}
	return p
}

// create asks the client for a progress bar and begins it.
func (p *Progress) create() error {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended {
		return nil
	}
	err := p.c.Conn.WorkDoneProgressCreate(p.c.Ctx, &protocol.WorkDoneProgressCreateParams{Token: p.token})
	if err == nil {
		p.begin()
	}
	return err
}

// begin shows the progress bar.
func (p *Progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun || p.ended {
		return
	}
	p.begun = true
	begin := &protocol.WorkDoneProgressBegin{Kind: "begin", Title: p.title, Percentage: &p.percent}
	if p.stop != nil {
		begin.Cancellable = new(true)
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

// askingPause is the time between two messages about a model's answer.
const askingPause = 250 * time.Millisecond

// Asking reports that a model is asked, and how many pieces of its answer have come.
func (p *Progress) Asking(model string, pieces int) {
	message := "asking " + model
	if pieces > 0 {
		message += fmt.Sprintf(": %d pieces of the answer so far", pieces)
	}
	now := p.c.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.message = message
	if p.begun && (pieces == 0 || now.Sub(p.announced) >= askingPause) {
		p.announced = now
		p.sendLocked(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message})
	}
}

// Report reports the progress of the work.
func (p *Progress) Report(done, total int) {
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

// Counts announces that progress will be reported as a number.
func (p *Progress) Counts() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted = true
}

// Tell reports the current step and the progress in percent.
func (p *Progress) Tell(message string, percent uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || message == p.message {
		return
	}
	p.message, p.percent = message, max(p.percent, min(100, percent))
	if p.begun {
		p.sendLocked(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: new(p.percent)})
	}
}

// End closes the progress bar.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun && !p.ended {
		p.sendLocked(&protocol.WorkDoneProgressEnd{Kind: "end"})
	}
	p.ended = true
	p.c.shown.Delete(p.token)
}

// CancelProgress cancels the work that a progress bar shows.
func (c *Client) CancelProgress(token protocol.ProgressToken) {
	if shown, ok := c.shown.Load(token); ok {
		shown.(*Progress).stop()
	}
}

// SendProgress sends the client a value under its own token: progress, or a part of an answer.
func (c *Client) SendProgress(ctx context.Context, token protocol.ProgressToken, value any) error {
	raw, err := protocol.Marshal(value)
	if err != nil {
		return err
	}
	return c.Conn.Progress(ctx, &protocol.ProgressParams{Token: token, Value: raw})
}

func (p *Progress) sendLocked(value any) {
	if err := p.c.SendProgress(p.c.Ctx, p.token, value); err != nil {
		p.c.Log.Debug("progress", "err", err)
	}
}
