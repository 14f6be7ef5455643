package provider

import (
	"errors"
	"log/slog"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Program is a program that opens folders, with what models, encoders and organisations are asked by.
type Program struct {
	Key    func(origin string) string // of the editor's secret store; nil: there is none
	Getenv func(name string) string
	Own    func(Choice) (llm.Model, error) // makes the editor's own model; nil where no editor is
	Dir    string                          // the user's folder of configuration
	Now    func() time.Time
	Log    *slog.Logger                 // of models and encoders
	Tell   func(what string, why error) // that something is not asked: [NoModel], or another
}

// ErrEditorOnly is the reason why the editor's model is not asked elsewhere.
var ErrEditorOnly = errors.New(
	"brv.model.provider is editor, which works only in the editor; set another provider for the command line and agents")

// NoModel is told where no model is asked.
const NoModel = "the model cannot be used"

// Find makes what settings name; use gives it to the folder. A folder that is not trusted asks nobody.
func (p Program) Find(s settings.Settings, trusted bool) (use func(*workspace.Workspace)) {
	c := Choice{ModelState: ModelState{Provider: s.Model.Provider, Name: s.Model.Name}}
	var m llm.Model
	var err error
	if !trusted {
		s.Embedding, s.Organisation = settings.Embedding{}, settings.Organisation{}
	} else if c, err = Choose(s.Model, p.Key, p.Getenv); err == nil && c.IsEditor() {
		if err = ErrEditorOnly; p.Own != nil {
			m, err = p.Own(c)
		}
	} else if err == nil {
		m, err = c.New(p.Log)
	}
	if err != nil {
		m = nil
	}
	m = Logged(m, s.Model, c.Origin, p.Dir, p.Now)
	return func(w *workspace.Workspace) {
		UseModel(w, c.ModelState, m, err)
		for what, why := range map[string]error{
			NoModel: err, "the encoder cannot be used": UseEncoder(w, s.Embedding, p.Key, p.Getenv, p.Log),
			"the organisation cannot be asked": UseOrganisation(w, s.Organisation, p.Key, p.Getenv),
		} {
			if why != nil {
				p.Tell(what, why)
			}
		}
	}
}
