package config

import (
	"errors"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/lsp/state"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// SecretChanged takes the models' keys from the client again.
func (s *Config) SecretChanged() {
	s.Client.Keys.Forget()
	for _, f := range s.Folders.All() {
		s.applyModel(f)
	}
}

// applyModel gives an open folder the model in its settings; until then it keeps the old one. In an untrusted
// folder no model is made, and no key is requested.
func (s *Config) applyModel(f *state.Folder) {
	c := s.preferences.folder(f)
	turn := c.models.Add(1)
	s.Client.Spawn("model", func() error {
		ws, now := f.Current(), f.Settings.Load()
		if ws == nil || now == nil {
			return nil // it gets a model when it is opened
		}
		trusted, _ := ws.Trusted()
		use := provider.Program{Key: s.keys(), Getenv: s.opts.Getenv, Dir: s.opts.Dir, Now: s.Client.Now, Log: s.Client.Log,
			Own:  func(choice provider.Choice) (llm.Model, error) { return s.editorModel(choice, now.Model) },
			Tell: func(what string, why error) { s.Client.Log.Warn(what, "folder", f.Spelled, "err", why) },
		}.Find(*now, trusted)
		c.modeling.Lock()
		defer c.modeling.Unlock()
		if c.models.Load() == turn { // otherwise a later call has newer settings
			use(ws)
			s.Refresh.Want(state.RefreshStatus)
		}
		return nil
	})
}

// keys gives the keys of the editor's secret store, nil where there is none.
func (s *Config) keys() func(origin string) string {
	if s.Client.Secrets {
		return s.Client.Keys.Of
	}
	return nil
}

// editorModel is the editor's own model.
func (s *Config) editorModel(choice provider.Choice, now settings.Model) (llm.Model, error) {
	if !s.Client.EditorModel {
		return nil, errors.New("brv.model.provider is editor, but this editor has no model; choose another provider")
	}
	m := s.Client.Model(choice.Name, time.Duration(now.PatienceSeconds)*time.Second)
	return llm.WithBreaker(m, s.Client.Now, now.ContextTokens), nil
}
