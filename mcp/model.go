package mcp

import (
	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// setModel gives the folder the model in the settings. An agent's own model is not called, since the agent reads
// the passages itself.
func (s *server) setModel(ws *workspace.Workspace, all settings.Settings) {
	trusted, _ := ws.Trusted()
	p := provider.Program{Getenv: s.getenv, Dir: s.opts.Config, Now: s.now, Log: s.opts.Log,
		Tell: func(what string, why error) { s.opts.Log.Warn(what, "err", why) }}
	p.Find(all, trusted)(ws)
}

func (s *server) getenv(name string) string {
	if s.opts.Getenv == nil {
		return ""
	}
	return s.opts.Getenv(name)
}
