package provider

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Providers of a model, see [settings.Model].
const (
	Off    = "off"
	Editor = "editor"
)

// ModelState says which model the settings name. If brv-lsp may not ask it, it says why.
type ModelState struct {
	Provider string `json:"provider"`          // `off`, `openai`, `anthropic` or `editor`, as in the settings
	Name     string `json:"name,omitempty"`    // the model's name
	Origin   string `json:"origin,omitempty"`  // scheme, host and port of the model's server
	Problem  string `json:"problem,omitempty"` // why no model is asked: an error in the settings, or a folder that is not trusted
}

// String names the model for people: "off", "llama at http://127.0.0.1:11434".
func (m ModelState) String() string {
	if m.Provider == Off {
		return m.Provider
	}
	text := cmp.Or(m.Name, "a model") + " at " + cmp.Or(m.Origin, m.Provider)
	if m.Provider == Editor {
		text = cmp.Or(m.Name, "the editor's model")
	}
	if m.Problem != "" {
		text += " (not used): " + m.Problem
	}
	return text
}

// inUse is the model of a folder, with its state.
type inUse struct {
	model llm.Model // nil: none can be called
	state ModelState
}

type model = atomic.Pointer[inUse] // nil: none

// models holds the models of the open folders.
var models = workspace.NewMemory(func(*workspace.Workspace) *model { return new(model) })

// UseModel gives a workspace a model, or none (nil) with the reason. Only questions that need a model use it, and only
// in a trusted folder. It is always called through [llm.Guard].
func UseModel(w *workspace.Workspace, state ModelState, m llm.Model, err error) {
	now := &inUse{state: state}
	switch {
	case err != nil:
		now.state.Problem = err.Error()
	case m != nil:
		now.model = observed{llm.Guard(m)}
	}
	models.Of(w.View()).Store(now)
}

// Model returns the model that may be called now, nil if there is none.
func Model(w *workspace.Workspace) llm.Model {
	now := models.Of(w.View()).Load()
	if trusted, _ := w.Trusted(); now != nil && trusted {
		return now.model
	}
	return nil
}

// StateOf returns the state of the model that may be called now.
func StateOf(w *workspace.Workspace) ModelState {
	now := models.Of(w.View()).Load()
	if now == nil || now.state.Provider == Off {
		return ModelState{Provider: Off}
	}
	state := now.state
	if now.model != nil && (state.Name == "" || state.Provider == Editor) { // the model itself knows its name
		state.Name = now.model.Name()
	}
	if trusted, why := w.Trusted(); !trusted {
		state.Problem = why
	}
	return state
}

// askingKey is the context key of the function that follows calls of models.
type askingKey struct{}

// Asking returns a context in which tell is called when a model is called, and with each piece of its answer. tell
// must be quick. It may be called after its request ended, if another request waits for the same answer.
func Asking(ctx context.Context, tell func(model string, pieces int)) context.Context {
	return context.WithValue(ctx, askingKey{}, tell)
}

// observed is a model whose calls can be followed.
type observed struct{ llm.Model }

// Unwrap returns the model itself.
func (m observed) Unwrap() llm.Model { return m.Model }

// Complete asks the model.
func (m observed) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	tell, ok := ctx.Value(askingKey{}).(func(string, int))
	if !ok {
		return m.Model.Complete(ctx, r)
	}
	tell(m.Name(), 0)
	pieces, stream := 0, r.Stream
	r.Stream = func(piece string) {
		pieces++
		tell(m.Name(), pieces)
		if stream != nil {
			stream(piece)
		}
	}
	return m.Model.Complete(ctx, r)
}

// Questions to a model are logged for the user, as one JSON object a line: the time, the model, the amount, and a
// hash for comparing two questions, or the texts if the user's settings say so. The log has the requests as they
// were sent, after [llm.Guard]. Only the user can read the file.

// logFile is the name of the file, in the user's folder of configuration.
const logFile = "asked.jsonl"

// maxLog bounds a file, in bytes. Above it a new one begins, and one old file is kept.
const maxLog = 4 << 20

// asked is a line of the log.
type asked struct {
	At        time.Time       `json:"at"`
	Model     string          `json:"model"`
	Origin    string          `json:"origin,omitempty"`
	Hash      string          `json:"sha256"`             // of request
	Bytes     int             `json:"bytes"`              // of request
	TokensIn  int             `json:"tokensIn,omitempty"` // as the model counts them, or an estimate
	TokensOut int             `json:"tokensOut,omitempty"`
	TookMS    int64           `json:"tookMs"`
	Error     string          `json:"error,omitempty"`
	Request   json.RawMessage `json:"request,omitempty"`
	Answer    string          `json:"answer,omitempty"`
}

// logged is a model that logs its questions.
type logged struct {
	llm.Model
	file, origin string
	texts        bool
	now          func() time.Time
}

// writing serialises writes to the file in this process.
var writing sync.Mutex

// Logged returns a model that logs its questions in a folder, as the user's settings want it. It returns m itself
// if logging is off or there is no folder. Call it before [UseModel], so that the log has the text that was sent.
func Logged(m llm.Model, how settings.Model, origin, dir string, now func() time.Time) llm.Model {
	if m == nil || how.Log == "off" || dir == "" {
		return m
	}
	if g, ok := m.(interface{ Unwrap() llm.Model }); ok && llm.Guard(m) == m {
		m = g.Unwrap() // UseModel adds the guard again
	}
	return &logged{m, filepath.Join(dir, logFile), origin, how.Log == "texts", now}
}

// Unwrap returns the model itself.
func (l *logged) Unwrap() llm.Model { return l.Model }

// Complete asks the model. A failure to write the log is no reason to fail.
func (l *logged) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	began := l.now()
	said, err := l.Model.Complete(ctx, r)
	text := r.JSON()
	line := asked{At: began.UTC(), Model: l.Name(), Origin: l.origin, Hash: fmt.Sprintf("%x", sha256.Sum256(text)), Bytes: len(text),
		TokensIn: cmp.Or(said.Usage.Input, tokens.Estimate(string(text))), TookMS: l.now().Sub(began).Milliseconds()}
	if err != nil {
		line.Error = err.Error()
	} else {
		line.TokensOut = cmp.Or(said.Usage.Output, tokens.Estimate(said.Text))
	}
	if l.texts {
		line.Request, line.Answer = text, said.Text
	}
	_ = l.write(line)
	return said, err
}

func (l *logged) write(line asked) error {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(line); err != nil {
		return err
	}
	writing.Lock()
	defer writing.Unlock()
	if info, err := os.Stat(l.file); err == nil && info.Size() > maxLog {
		_ = os.Rename(l.file, l.file+".old")
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}
