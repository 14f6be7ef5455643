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

// applyModel gives an open folder the model that its settings name; what it had until then it
// may go on asking meanwhile. In a folder that is not trusted none is made, and no key asked
// for.
func (s *Config) applyModel(f *state.Folder) {
	c := s.preferences.folder(f)
	turn := c.models.Add(1)
	s.Client.Spawn("model", func() error {
		ws, now := f.Current(), f.Settings.Load()
		if ws == nil || now == nil {
			return nil // it gets one when it is opened
		}
		var choice provider.Choice
		var m llm.Model
		var err error
		embedding, organisation := now.Embedding, now.Organisation
		if trusted, _ := ws.Trusted(); trusted {
			choice, m, err = s.makeModel(now.Model)
		} else {
			embedding, organisation = settings.Embedding{}, settings.Organisation{}
			choice.Provider, choice.Name = now.Model.Provider, now.Model.Name
		}
		c.modeling.Lock()
		defer c.modeling.Unlock()
		if c.models.Load() == turn { // else a later one knows better
			provider.UseModel(ws, choice.ModelState, m, err)
			if err := provider.UseEncoder(ws, embedding, s.keys(), s.opts.Getenv, s.Client.Log); err != nil {
				s.Client.Log.Warn("no encoder is asked", "folder", f.Spelled, "err", err)
			}
			if err := provider.UseOrganisation(ws, organisation, s.keys(), s.opts.Getenv); err != nil {
				s.Client.Log.Warn("the organisation is not asked", "folder", f.Spelled, "err", err)
			}
			s.Refresh.Want(state.RefreshStatus)
		}
		if err != nil {
			s.Client.Log.Warn("no model is asked", "folder", f.Spelled, "err", err)
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

// makeModel makes the model that settings name.
func (s *Config) makeModel(now settings.Model) (provider.Choice, llm.Model, error) {
	choice, err := provider.Choose(now, s.keys(), s.opts.Getenv)
	switch {
	case err != nil:
		return choice, nil, err
	case choice.IsEditor() && !s.Client.EditorModel:
		return choice, nil, errors.New("brv.model.provider is editor, and this editor offers no model of its own; choose another provider")
	case choice.IsEditor():
		m := s.Client.Model(choice.Name, time.Duration(now.PatienceSeconds)*time.Second)
		return choice, provider.Logged(llm.WithBreaker(m, s.Client.Now, now.ContextTokens), now, choice.Origin, s.opts.Dir, s.Client.Now), nil
	}
	m, err := choice.New(s.Client.Log)
	return choice, provider.Logged(m, now, choice.Origin, s.opts.Dir, s.Client.Now), err
}
