package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/brv-lsp/brv-lsp/lsp/dispatch"
)

// WithSettings adds a call that answers some of the settings of a document's folder:
// budget, lenses over code, what is excluded; and whether the folder is trusted.
func WithSettings(o Options, name string) Options {
	return with(o, name, dispatch.Called(func(s *server, p *protocol.DocumentSymbolParams) (dispatch.Work, error) {
		sc, err := s.scene(p.TextDocument.URI)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (any, error) {
			if err := sc.Ready(ctx); err != nil {
				return nil, err
			}
			now := sc.Settings()
			trusted, _ := sc.Workspace.Trusted()
			return json.RawMessage(fmt.Sprintf("%q", fmt.Sprint(now.Pack.BudgetTokens, now.CodeLens.Code, now.Code.Exclude,
				trusted))), nil
		}, nil
	}))
}

// BuiltinMarkdown reports whether a client is taken to have Markdown features of its own.
func BuiltinMarkdown(client string, options map[string]any) bool {
	raw, err := json.Marshal(options)
	if err != nil {
		panic(err)
	}
	s := newServer(context.Background(), nil, Options{}.withDefaults())
	s.Client.Name = client
	s.config.ReadOptions(raw)
	return s.Client.BuiltinMarkdown
}
