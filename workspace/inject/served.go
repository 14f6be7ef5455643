package inject

import (
	"context"
	"encoding/json"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/ipc"
	"github.com/brv-lsp/brv-lsp/internal/panics"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Request is an event of a session: it begins in a host, there is a prompt, or files were edited.
type Request struct {
	Begins string   `json:"begins,omitempty"`
	Prompt string   `json:"prompt,omitempty"`
	Files  []string `json:"files,omitempty"` // paths of the folder
	Max    int      `json:"max"`             // tokens
	WaitMs int      `json:"waitMs"`          // how long it may take
}

// Answer returns the text for the agent at an event; "" where there is none.
func (r Request) Answer(ctx context.Context, v *workspace.View, s *Session) (string, error) {
	switch {
	case !v.HasTree(): // a hook of a user's own runs in every folder
		return "", nil
	case r.Begins != "":
		return Start(ctx, v, s, r.Begins, r.Max)
	case r.Prompt != "":
		return Prompt(ctx, v, s, r.Prompt, r.Max, r.WaitMs)
	}
	return Edit(ctx, v, s, r.Files, r.Max)
}

// exchange is a question to a process that has the folder open, and its answer.
type exchange struct {
	Request Request           `json:"request"`
	Said    map[string]string `json:"said"` // of the session, before and then
	Text    string            `json:"text"`
}

// Serve answers events for other processes of this user, which keep the session, until ctx ends.
func Serve(ctx context.Context, w *workspace.Workspace, cache string) error {
	return ipc.Listen(ctx, cache, w.Root(), func(ctx context.Context, question []byte) (answer []byte) {
		var x exchange
		_ = panics.Try(func() error { // of an event that cannot be answered nothing is told
			if err := json.Unmarshal(question, &x); err != nil {
				return err
			}
			if x.Request.WaitMs > 0 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, time.Duration(x.Request.WaitMs)*time.Millisecond)
				defer cancel()
			}
			s := OpenSession("", "", "")
			for key, state := range x.Said {
				s.said[key] = state
			}
			text, err := x.Request.Answer(ctx, w.View(), s)
			if err == nil && ctx.Err() == nil {
				answer, err = json.Marshal(exchange{Said: s.said, Text: text})
			}
			return err
		})
		return answer
	})
}

// askedShare is how much of the time, in percent, is for others: the rest is for opening the folder, where they hang.
const askedShare = 75

// AskServed asks a process that has the folder open; ok is false where none answers.
func AskServed(ctx context.Context, cache, root string, r Request, s *Session) (text string, ok bool) {
	r.WaitMs = r.WaitMs * askedShare / 100
	ctx, done := ctx, func() {}
	if r.WaitMs > 0 {
		ctx, done = context.WithTimeout(ctx, time.Duration(r.WaitMs)*time.Millisecond)
	}
	defer done()
	question, err := json.Marshal(exchange{Request: r, Said: s.said})
	if err != nil {
		return "", false
	}
	answer, ok := ipc.Ask(ctx, cache, root, question)
	var x exchange
	if !ok || json.Unmarshal(answer, &x) != nil {
		return "", false
	}
	if x.Text != "" && x.Said != nil {
		s.said, s.new = x.Said, true
	}
	return x.Text, true
}
