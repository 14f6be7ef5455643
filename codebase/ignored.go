package codebase

import (
	"github.com/brv-lsp/brv-lsp/codebase/discover"
	"github.com/brv-lsp/brv-lsp/internal/jail"
)

// Ignored tells which files of a folder git ignores, as the ignore files are now; see [discover.Ignored].
func Ignored(root *jail.Root) func(p string) bool { return discover.Ignored(root) }
