package workspace

import (
	"cmp"
	"context"

	"github.com/brv-lsp/brv-lsp/llm"
)

// Providers of a model, see [settings.Model].
const (
	ProviderOff    = "off"
	ProviderEditor = "editor"
)

// ModelState says which model settings name, and if none may be asked why.
type ModelState struct {
	Provider string `json:"provider"`          // `off`, `openai`, `anthropic` or `editor`, as the settings have it
	Name     string `json:"name,omitempty"`    // the model's
	Origin   string `json:"origin,omitempty"`  // scheme, host and port of the server that is asked
	Problem  string `json:"problem,omitempty"` // why none is asked: what is wrong with the settings, or that the folder is not trusted
}

// String names the model for people: "off", "llama at http://127.0.0.1:11434".
func (m ModelState) String() string {
	if m.Provider == ProviderOff {
		return m.Provider
	}
	text := cmp.Or(m.Name, "a model") + " at " + cmp.Or(m.Origin, m.Provider)
	if m.Provider == ProviderEditor {
		text = cmp.Or(m.Name, "the editor's model")
	}
	if m.Problem != "" {
		text += ", which is not asked: " + m.Problem
	}
	return text
}

// modelInUse is what a workspace knows of its model.
type modelInUse struct {
	model llm.Model // nil: none can be asked
	state ModelState
}

// SetModel gives the workspace a model for the questions that need one, or takes it
// away (nil). Nothing else here asks a model, and nothing does in a folder that is not
// trusted. Whatever it is given is asked through [llm.Guard].
func (w *Workspace) SetModel(m llm.Model) {
	if m == nil {
		w.UseModel(ModelState{Provider: ProviderOff}, nil, nil)
		return
	}
	w.UseModel(ModelState{Provider: "given"}, m, nil)
}

// UseModel is SetModel of the model that settings name, or of none and why.
func (w *Workspace) UseModel(state ModelState, m llm.Model, err error) {
	now := &modelInUse{state: state}
	switch {
	case err != nil:
		now.state.Problem = err.Error()
	case m != nil:
		now.model = heard{llm.Guard(m)}
	}
	w.model.Store(now)
}

// Model is the model that may be asked now, nil if none may.
func (w *Workspace) Model() llm.Model {
	if now := w.model.Load(); now != nil && w.trusted() {
		return now.model
	}
	return nil
}

// ModelState says which model may be asked now.
func (w *Workspace) ModelState() ModelState {
	now := w.model.Load()
	if now == nil || now.state.Provider == ProviderOff {
		return ModelState{Provider: ProviderOff}
	}
	state := now.state
	if now.model != nil && (state.Name == "" || state.Provider == ProviderEditor) { // it says which one it is
		state.Name = now.model.Name()
	}
	if u := w.untrusted.Load(); u != nil {
		state.Problem = u.reason
	}
	return state
}

// askingKey is that of what follows the asking of models, in a context.
type askingKey struct{}

// Asking is a context in which tell is called when a model is asked, and with each piece of
// what it says. tell must be quick; it may be called after the request that it is for ended,
// where another waits for the same answer.
func Asking(ctx context.Context, tell func(model string, pieces int)) context.Context {
	return context.WithValue(ctx, askingKey{}, tell)
}

// heard is a model whose asking can be followed.
type heard struct{ llm.Model }

// Unwrap is the model itself.
func (m heard) Unwrap() llm.Model { return m.Model }

// Complete asks the model.
func (m heard) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
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
