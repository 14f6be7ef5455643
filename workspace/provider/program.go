package provider

import (
	"errors"
	"log/slog"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Program is a program that opens folders, with what it needs to find models, encoders and organisations.
type Program struct {
	Key    func(origin string) string // from the editor's secret store; nil if there is none
	Getenv func(name string) string
	Own    func(Choice) (llm.Model, error) // makes the editor's own model; nil without an editor
	Dir    string                          // the user's folder of configuration
	Now    func() time.Time
	Log    *slog.Logger                 // for models and encoders
	Tell   func(what string, why error) // reports what is not used, [NoModel] or another, and why
}

// ErrEditorOnly is the reason why the editor's model is not used in other programs.
var ErrEditorOnly = errors.New(
	"brv.model.provider is \"editor\", a provider that works only in the editor; set another one for the command line and agents")

// NoModel is reported if no model is used.
const NoModel = "the model cannot be used"

// Find makes the model, encoder and organisation that the settings name. use gives them to the folder. An
// untrusted folder gets none.
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
			"the organisation's gateway cannot be used": UseOrganisation(w, s.Organisation, p.Key, p.Getenv),
		} {
			if why != nil {
				p.Tell(what, why)
			}
		}
	}
}
