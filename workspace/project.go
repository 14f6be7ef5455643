package workspace

import (
	"context"
	"errors"

	"github.com/brv-lsp/brv-lsp/refactor"
)

// Project is the view as changes are planned on it.
func (v *View) Project() refactor.Project {
	return refactor.Project{Tree: v.Tree(), Code: v.Code(), Links: v.Links(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
}

// WholeProject is what a change is planned from: it waits until the code is read, with
// what others changed since, and has the open buffers in it. A change that was planned
// from less would leave places behind.
func (v *View) WholeProject(ctx context.Context) (refactor.Project, error) {
	whole, err := v.Whole(ctx)
	if errors.Is(err, ErrNoCode) {
		return v.Project(), nil
	}
	if err != nil {
		return refactor.Project{}, err
	}
	return whole.Project(), nil
}

// OpenProject is [View.Project] for a file, with the open buffers in the code too; it waits a
// little for them to be read.
func (v *View) OpenProject(ctx context.Context, p string) refactor.Project {
	return v.ForFile(ctx, p).Project()
}
