package lsp

import (
	"errors"
	"sync"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// modelFeature is what clients say about models.
func modelFeature() feature {
	return feature{methods: map[string]method{client.SecretChangeMethod: dispatch.Noted(didChangeSecret)}}
}

// didChangeSecret takes the models' keys from the client again.
func didChangeSecret(s *server, _ *struct{}) error {
	s.client.Keys.Forget()
	for _, f := range s.allFolders() {
		s.applyModel(f)
	}
	return nil
}

// applyModel gives an open folder the model that its settings name; what it had until then it
// may go on asking meanwhile. In a folder that is not trusted none is made, and no key asked
// for.
func (s *server) applyModel(f *folder) {
	turn := f.models.Add(1)
	s.client.Spawn("model", func() error {
		ws, now := f.current(), f.settings.Load()
		if ws == nil || now == nil {
			return nil // it gets one when it is opened
		}
		var choice workspace.ModelChoice
		var m llm.Model
		var err error
		if trusted, _ := ws.Trusted(); trusted {
			choice, m, err = s.makeModel(now.Model)
		} else {
			choice.Provider, choice.Name = now.Model.Provider, now.Model.Name
		}
		f.modeling.Lock()
		defer f.modeling.Unlock()
		if f.models.Load() == turn { // else a later one knows better
			ws.UseModel(choice.ModelState, m, err)
			s.refresh.want(refreshStatus)
		}
		if err != nil {
			s.client.Log.Warn("no model is asked", "folder", f.spelled, "err", err)
		}
		return nil
	})
}

// makeModel makes the model that settings name.
func (s *server) makeModel(now settings.Model) (workspace.ModelChoice, llm.Model, error) {
	var key func(string) string
	if s.client.Secrets {
		key = s.client.Keys.Of
	}
	choice, err := workspace.ChooseModel(now, key, s.opts.Getenv)
	switch {
	case err != nil:
		return choice, nil, err
	case choice.IsEditor() && !s.client.EditorModel:
		return choice, nil, errors.New("brv.model.provider is editor, and this editor offers no model of its own; name another provider")
	case choice.IsEditor():
		m := s.client.Model(choice.Name, time.Duration(now.PatienceSeconds)*time.Second)
		return choice, llm.WithBreaker(m, s.client.Now), nil
	}
	m, err := choice.New(s.client.Log)
	return choice, m, err
}

// scanProgress shows the reading of a folder's code and context tree, which may go on side
// by side.
func (s *server) scanProgress() func(workspace.Progress) {
	var mu sync.Mutex
	shown := map[string]*client.Progress{} // by title
	return func(w workspace.Progress) {
		mu.Lock()
		defer mu.Unlock()
		p := shown[w.Title]
		if w.End {
			if p != nil {
				p.End()
				s.setBusy(-1, "")
			}
			delete(shown, w.Title)
			return
		}
		if p == nil {
			p = s.client.StartProgress(w.Title, nil, nil)
			shown[w.Title] = p
			s.setBusy(1, w.Title)
		}
		p.Report(w.Done, w.Total)
	}
}
