package workspace

import (
	"errors"
	"log/slog"

	"github.com/brv-lsp/brv-lsp/internal/settings"
	"github.com/brv-lsp/brv-lsp/llm"
)

// NewModel makes the model that settings name: nil without an error where they name none,
// or the editor's own, which the caller has. key gives the key for an origin from the
// editor's secret store, "" for none; nil where there is no such store. The environment is
// asked by getenv.
func NewModel(s settings.Model, key func(origin string) string, getenv func(string) string, log *slog.Logger) (llm.Model, error) {
	return nil, errors.New("not yet")
}
