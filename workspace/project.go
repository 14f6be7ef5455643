package workspace

import (
	"context"

	"github.com/brv-lsp/brv-lsp/refactor"
)

// Project is the view as changes are planned on it.
func (v *View) Project() refactor.Project {
	return refactor.Project{Tree: v.Tree(), Code: v.Code(), Links: v.Links(), Now: v.ws.opts.Now(), Text: v.Text, FilePath: v.FilePath}
}

// OpenProject is [View.Project] with the open buffers in the code too, for changes of
// code files; it waits a little for them to be read.
func (v *View) OpenProject(ctx context.Context) refactor.Project { return v.quickly(ctx).Project() }
