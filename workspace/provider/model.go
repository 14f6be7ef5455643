package provider

import (
	"cmp"
	"context"
	"sync/atomic"

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
