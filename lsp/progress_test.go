package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

func TestCommandRequestIsSplit(t *testing.T) {
	r, err := readCommandRequest(json.RawMessage(`{"task":"x","uri":"file:///a/b.go","position":{"line":2,"character":1},"workDoneToken":7,"partialResultToken":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	own, err := json.Marshal(r.own)
	if err != nil || string(own) != `{"task":"x"}` {
		t.Errorf("the command's own request is %s, %v", own, err)
	}
	if r.uri != "file:///a/b.go" || r.position == nil || r.position.Line != 2 || r.token != protocol.Integer(7) {
		t.Errorf("%+v", r)
	}
	sc := &scene{path: "b.go", doc: &document{mapper: position.NewMapper("1\n2\n3é5\n", position.UTF16)}}
	raw, err := sc.request(r, []string{"task", "path", "offset"})
	if err != nil || string(raw) != `{"offset":5,"path":"b.go","task":"x"}` {
		t.Errorf("request %s, %v", raw, err)
	}
	for _, bad := range []string{`7`, `[]`, `{"uri":7}`, `{"position":"here"}`} {
		if _, err := readCommandRequest(json.RawMessage(bad)); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	if r, err := readCommandRequest(nil); err != nil || r.own != nil {
		t.Errorf("no request: %+v, %v", r, err)
	}
}

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

// progressServer is a server whose timers fire when told.
func progressServer(c *progressClient) (s *server, fire func()) {
	var due []func()
	o := Options{After: func(_ time.Duration, f func()) func() bool {
		due = append(due, f)
		return func() bool { return false }
	}}.withDefaults()
	s = &server{ctx: context.Background(), log: o.Log, opts: o, conn: c}
	s.client.Progress = true
	return s, func() {
		for _, f := range due {
			f()
		}
		s.work.Wait()
	}
}

func TestProgressIsShownAfterTheDelay(t *testing.T) {
	c := &progressClient{}
	s, fire := progressServer(c)
	p := s.startProgress("reading", nil, nil)
	p.report(10, 100)
	fire()
	p.report(10, 100) // no news
	p.report(50, 100)
	p.report(5, 0)
	p.end()
	p.end()
	p.report(60, 100)
	if got := strings.Join(c.shown, ", "); got != "create, begin 10, report 50, end" {
		t.Errorf("shown: %s", got)
	}
}

// TestAskingAModelIsShown moves the clock between the pieces of an answer.
func TestAskingAModelIsShown(t *testing.T) {
	c := &progressClient{}
	s, fire := progressServer(c)
	now := time.Unix(0, 0)
	s.opts.Now = func() time.Time { return now }
	p := s.startProgress("asking", protocol.String("mine"), func() {})
	p.asking("m", 0)
	fire()
	p.asking("m", 1)
	p.asking("m", 2) // too soon
	now = now.Add(askingPause)
	p.asking("m", 3)
	p.asking("m", 0) // the next turn
	p.end()
	p.asking("m", 4)
	want := "begin cancellable asking m, report asking m: 1 pieces of its answer so far, report asking m: 3 pieces of its answer so far, report asking m, end"
	if got := strings.Join(c.shown, ", "); got != want {
		t.Errorf("shown: %s", got)
	}
}

func TestShortWorkIsNotShown(t *testing.T) {
	c := &progressClient{}
	s, fire := progressServer(c)
	s.startProgress("reading", nil, nil).end()
	fire()
	if len(c.shown) > 0 {
		t.Errorf("shown: %v", c.shown)
	}
}

func TestRefusedProgressIsNotShown(t *testing.T) {
	c := &progressClient{refuses: true}
	s, fire := progressServer(c)
	p := s.startProgress("reading", nil, nil)
	fire()
	p.report(50, 100)
	p.end()
	if len(c.shown) > 0 {
		t.Errorf("shown: %v", c.shown)
	}
}

func TestProgressCanBeCancelled(t *testing.T) {
	c := &progressClient{}
	s, fire := progressServer(c)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := s.startProgress("asking", protocol.String("mine"), cancel)
	if len(c.shown) > 0 {
		t.Errorf("shown at once: %v", c.shown)
	}
	fire()
	if err := cancelProgress(s, &protocol.WorkDoneProgressCancelParams{Token: protocol.String("other")}); err != nil || ctx.Err() != nil {
		t.Errorf("cancelled by another token: %v", err)
	}
	if err := cancelProgress(s, &protocol.WorkDoneProgressCancelParams{Token: protocol.String("mine")}); err != nil || ctx.Err() == nil {
		t.Errorf("not cancelled: %v", err)
	}
	p.end()
	if got := strings.Join(c.shown, ", "); got != "begin cancellable, end" {
		t.Errorf("shown: %s", got)
	}
}
