package drafting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// Differences that are not committed yet; whatever else [ProposeRequest.Changes] says is a commit.
const (
	changesWorktree = "worktree"
	changesStaged   = "staged"
)

// changes reads a difference of the code from git: what is "worktree", "staged", or a commit as git names it.
// In an untrusted folder git is not run.
func changes(ctx context.Context, v *workspace.View, what string) (*curate.Changes, error) {
	w := v.Workspace()
	if ok, why := w.Trusted(); !ok {
		return nil, fmt.Errorf("changes %s: git was not run: %s", workspace.Clipped(what), why)
	}
	repo, err := git.Open(w.Root())
	if err != nil {
		return nil, fmt.Errorf("changes %s: %w", workspace.Clipped(what), err)
	}
	var d *git.Difference
	var name string
	switch what {
	case changesWorktree:
		name = "changes in the work tree"
		d, err = repo.WorkDiff(ctx, git.DefaultDiff)
	case changesStaged:
		name = "staged changes"
		d, err = repo.StagedDiff(ctx, git.DefaultDiff)
	default:
		var hash string
		if hash, err = repo.Resolve(ctx, what); err == nil {
			name = "commit " + hash[:12]
			d, err = repo.CommitDiff(ctx, hash, git.DefaultDiff)
		}
	}
	switch {
	case errors.Is(err, git.ErrNoProgram):
		return nil, fmt.Errorf("changes %s: install git, or add it to PATH: %w", workspace.Clipped(what), err)
	case errors.Is(err, git.ErrNoCommit): // it begins with the name
		return nil, fmt.Errorf("changes: %w", err)
	case err != nil:
		return nil, fmt.Errorf("changes %s: %w", workspace.Clipped(what), err)
	}
	left := len(d.Files)
	d.Files = slices.DeleteFunc(d.Files, func(f git.FileDifference) bool {
		return locate.Hidden(f.Path) || f.From != "" &&
			locate.Hidden(f.From)
	})
	left -= len(d.Files)
	d.Total -= left
	c := curate.ChangesOf(name, d, v.Code())
	if left > 0 {
		c.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d hidden files were left out", c.Note, left), "; ")
	}
	return &c, nil
}
