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

// Action is something that can be done about a place of a file: a change that is planned
// when it is chosen, or a command of the table or of the editor's form of it. What repairs a
// problem that the editor shows is a quick fix there, whatever its kind.
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
	Path  string        // workspace path
	At    markdown.Span // cursor or selection
	Wants func(kind string) bool
	// Explicit says that the user asked for the kinds by name. Else what concerns the entry as
	// a whole is only listed where the place is its title or frontmatter, so that no
	// line of its text is covered with offers.
	Explicit bool
}

// fixOf is a fix of one edit of an entry.
func fixOf(v *workspace.View, e *format.Entry, id, title string, eds ...markdown.Edit) refactor.Fix {
	return refactor.Fix{ID: id, Title: title, Plan: func() (refactor.Change, error) {
		return refactor.Change{Title: title, Files: []refactor.File{{Path: v.FilePath(e.Path), Before: e.Text, Edits: eds}}}, nil
	}}
}

// Project is the view as changes are planned on it.
func Project(v *workspace.View) refactor.Project {
	return refactor.Project{Tree: v.Tree(), Code: v.Code(), Links: v.Links(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
}

// WholeProject returns the state from which a change is planned: it waits until the code is read, with
// the changes on disk since, and has the open buffers in it. A change that was planned
// from less would leave places behind.
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
