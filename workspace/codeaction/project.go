package codeaction

import (
	"context"
	"errors"

	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// Project is the view as changes are planned on it.
func Project(v *workspace.View) refactor.Project {
	return refactor.Project{Tree: v.Tree(), Code: v.Code(), Links: v.Links(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
}

// WholeProject is what a change is planned from: it waits until the code is read, with
// what others changed since, and has the open buffers in it. A change that was planned
// from less would leave places behind.
func WholeProject(ctx context.Context, v *workspace.View) (refactor.Project, error) {
	whole, err := v.Whole(ctx)
	if errors.Is(err, workspace.ErrNoCode) {
		return Project(v), nil
	}
	if err != nil {
		return refactor.Project{}, err
	}
	return Project(whole), nil
}

// OpenProject is [Project] for a file, with the open buffers in the code too; it waits a
// little for them to be read.
func OpenProject(ctx context.Context, v *workspace.View, p string) refactor.Project {
	return Project(v.ForFile(ctx, p))
}
