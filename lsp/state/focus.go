package state

import (
	"go.lsp.dev/uri"

	"github.com/brv-lsp/brv-lsp/lsp/position"
)

// Focus is a document and what of it is on the screen.
type Focus struct {
	URI     uri.URI
	Visible *position.LooseRange // nil: not known
}
