package client

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
)

// progressClient records what a client would show.
type progressClient struct {
	protocol.Client
	refuses bool
	shown   []string
}

func (c *progressClient) WorkDoneProgressCreate(context.Context, *protocol.WorkDoneProgressCreateParams) error {
	if c.refuses {
		return errors.New("no")
	}
	c.shown = append(c.shown, "create")
	return nil
}

func (c *progressClient) Progress(_ context.Context, p *protocol.ProgressParams) error {
	var v struct {
		Kind, Title string
		Message     string
		Percentage  *int
		Cancellable bool
	}
	if err := json.Unmarshal(p.Value, &v); err != nil {
		return err
	}
	text := v.Kind
	if v.Cancellable {
		text += " cancellable"
	}
	if v.Percentage != nil {
		raw, _ := json.Marshal(*v.Percentage)
		text += " " + string(raw)
	}
	if v.Message != "" {
		text += " " + v.Message
	}
	c.shown = append(c.shown, text)
	return nil
}

// timed is a client whose timers fire when told.
func timed(conn *progressClient) (c *Client, fire func()) {
	var due []func()
	c = New(context.Background(), nil, slog.New(slog.DiscardHandler), time.Now, func(_ time.Duration, f func()) func() bool {
		due = append(due, f)
		return func() bool { return false }
	})
	c.Conn, c.Log, c.Progress = conn, slog.New(slog.DiscardHandler), true
	return c, func() {
		for _, f := range due {
			f()
		}
		c.work.Wait()
	}
}

func TestProgressIsShownAfterTheDelay(t *testing.T) {
	c := &progressClient{}
	s, fire := timed(c)
	p := s.StartProgress("reading", nil, nil)
	p.Report(10, 100)
	fire()
	p.Report(10, 100) // no news
	p.Report(50, 100)
	p.Report(5, 0)
	p.End()
	p.End()
	p.Report(60, 100)
	if got := strings.Join(c.shown, ", "); got != "create, begin 10, report 50, end" {
		t.Errorf("shown: %s", got)
	}
}

// TestAskingAModelIsShown moves the clock between the pieces of an answer.
func TestAskingAModelIsShown(t *testing.T) {
	c := &progressClient{}
	s, fire := timed(c)
	now := time.Unix(0, 0)
	s.Now = func() time.Time { return now }
	p := s.StartProgress("asking", protocol.String("mine"), func() {})
	p.Asking("m", 0)
	fire()
	p.Asking("m", 1)
	p.Asking("m", 2) // too soon
	now = now.Add(askingPause)
	p.Asking("m", 3)
	p.Asking("m", 0) // the next turn
	p.End()
	p.Asking("m", 4)
	want := "begin cancellable asking m, report asking m: 1 pieces of the answer so far, report asking m: 3 pieces of the answer " +
		"so far, report asking m, end"
	if got := strings.Join(c.shown, ", "); got != want {
		t.Errorf("shown: %s", got)
	}
}

func TestShortWorkIsNotShown(t *testing.T) {
	c := &progressClient{}
	s, fire := timed(c)
	s.StartProgress("reading", nil, nil).End()
	fire()
	if len(c.shown) > 0 {
		t.Errorf("shown: %v", c.shown)
	}
}

func TestRefusedProgressIsNotShown(t *testing.T) {
	c := &progressClient{refuses: true}
	s, fire := timed(c)
	p := s.StartProgress("reading", nil, nil)
	fire()
	p.Report(50, 100)
	p.End()
	if len(c.shown) > 0 {
		t.Errorf("shown: %v", c.shown)
	}
}

func TestProgressCanBeCancelled(t *testing.T) {
	c := &progressClient{}
	s, fire := timed(c)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := s.StartProgress("asking", protocol.String("mine"), cancel)
	if len(c.shown) > 0 {
		t.Errorf("shown at once: %v", c.shown)
	}
	fire()
	if s.CancelProgress(protocol.String("other")); ctx.Err() != nil {
		t.Error("cancelled by another token")
	}
	if s.CancelProgress(protocol.String("mine")); ctx.Err() == nil {
		t.Error("not cancelled")
	}
	p.End()
	if got := strings.Join(c.shown, ", "); got != "begin cancellable, end" {
		t.Errorf("shown: %s", got)
	}
}
