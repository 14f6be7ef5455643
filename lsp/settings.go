package lsp

import (
	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/client"
	"github.com/brv-lsp/brv-lsp/lsp/config"
	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
)

// settingsFeature is configuration pull and change, trust, and the keys of models.
func settingsFeature() feature {
	return feature{methods: map[string]method{
		protocol.MethodWorkspaceDidChangeConfiguration: dispatch.Noted(func(s *server, p *protocol.DidChangeConfigurationParams) error {
			s.config.Changed(p)
			return nil
		}),
		config.TrustMethod: dispatch.Noted(func(s *server, p *config.TrustChange) error {
			s.config.TrustChanged(p)
			return nil
		}),
		client.SecretChangeMethod: dispatch.Noted(func(s *server, _ *struct{}) error {
			s.config.SecretChanged()
			return nil
		}),
	}}
}
