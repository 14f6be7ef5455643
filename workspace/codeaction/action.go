package codeaction

import (
	"context"
	"errors"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// The kinds of actions. A dot divides a kind from the one that it is part of.
const (
	KindFix     = "quickfix"
	KindRewrite = "refactor.rewrite.brv"
	KindSource  = "source.brv"
	KindPropose = "source.brv.propose"
	KindFixAll  = "source.fixAll.brv"
)

// Action is a possible action at a place of a file: a change that is planned when the action is chosen, or a
// command of the table or of the editor. An action that repairs a shown problem is a quick fix, whatever its
// kind.
type Action struct {
	refactor.Fix
	Kind    string
	Command string         // with Request; "" for a change
	Request map[string]any // of the command
	About   string         // workspace path that the command is about; "" for that of the request
	Ask     string         // a question to the user before the command is run; "" for none
}

// Request asks what can be done about a place.
type Request struct {
	Path  string        // the path in the folder
	At    markdown.Span // cursor or selection
	Wants func(kind string) bool
	// Explicit means that the user asked for the kinds by name. Otherwise actions about the whole entry are
	// listed only at its title or frontmatter, so that they do not cover the lines of its text.
	Explicit bool
}

// fixOf is a fix of one edit of an entry.
func fixOf(v *workspace.View, e *format.Entry, id, title string, eds ...markdown.Edit) refactor.Fix {
	return refactor.Fix{ID: id, Title: title, Plan: func() (refactor.Change, error) {
		return refactor.Change{Title: title, Files: []refactor.File{{Path: v.FilePath(e.Path), Before: e.Text, Edits: eds}}}, nil
	}}
}

// Project is the view in the form on which changes are planned.
func Project(v *workspace.View) refactor.Project {
	return refactor.Project{Tree: v.Tree(), Code: v.Code(), Links: v.Links(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
}

// WholeProject returns the state from which a change is planned: it waits until the code and the latest
// changes on disk are read, and includes the open buffers. A plan from an incomplete state would miss places.
func WholeProject(ctx context.Context, v *workspace.View) (refactor.Project, error) {
	whole, err := v.Complete(ctx)
	if errors.Is(err, workspace.ErrNoCode) {
		return Project(v), nil
	}
	if err != nil {
		return refactor.Project{}, err
	}
	p := Project(whole)
	if pages := workspace.PagesIn(ctx, whole); pages != nil {
		p.Pages = pages.Set.Pages().Entries()
	}
	return p, nil
}

// OpenProject is [Project] for a file, with the open buffers in the code too; it waits a
// little for them to be read.
func OpenProject(ctx context.Context, v *workspace.View, p string) refactor.Project {
	return Project(v.ForFile(ctx, p))
}
