// Package codeaction lists what can be done about a place: repairs of what package diagnosis reports, other
// changes of entries, and commands that fit there. Changes are planned by package refactor when they are
// chosen.
package codeaction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/refactor"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/describe"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// maxQuestion bounds, in bytes, a selection that is asked as a question: more words than
// a paragraph has make no question.
const maxQuestion = 2000

// maxMerges bounds the entries that an entry is offered to be merged into.
const maxMerges = 3

// At lists what can be done about a place, repairs first.
func At(ctx context.Context, v *workspace.View, req Request) []Action {
	var out []Action
	if entry, ok := v.EntryPath(req.Path); ok {
		if e, ok := v.Entry(entry); ok {
			out = entryActions(ctx, v, e, req)
		}
	} else {
		if req.Wants(KindFix) {
			out = append(markActions(ctx, v, req), leftBehind(ctx, v, req)...)
		}
		out = append(out, pageActions(ctx, v, req)...)
	}
	if a, ok := askAction(v, req); ok && req.Wants(KindSource) {
		out = append(out, a)
	}
	if req.Wants(KindPropose) {
		out = append(out, proposeActions(v, req)...)
	}
	return out
}

// proposeActions draft knowledge from the selection, or from the whole file if the user asked for such
// actions. They are not offered in entries, which already are knowledge.
func proposeActions(v *workspace.View, req Request) (out []Action) {
	_, entry := v.EntryPath(req.Path)
	text, ok := v.Text(req.Path)
	if !ok || entry || !v.HasTree() || strings.TrimSpace(text) == "" || locate.Hidden(req.Path) || req.At.End > len(text) {
		return nil
	}
	add := func(id, title string, request map[string]any) {
		out = append(out, Action{Fix: refactor.Fix{ID: id, Title: title}, Kind: KindPropose, Command: "brv.propose", Request: request})
	}
	if strings.TrimSpace(req.At.Of(text)) != "" {
		add("proposeSelection", "Propose knowledge from this selection",
			map[string]any{"selection": map[string]any{"path": req.Path, "start": req.At.Start, "end": req.At.End}})
	}
	if req.Explicit {
		add("propose", "Propose knowledge from this file", map[string]any{"files": []string{req.Path}})
	}
	return out
}

// askAction asks the tree about the selection.
func askAction(v *workspace.View, req Request) (Action, bool) {
	text, ok := v.Text(req.Path)
	if !ok || !v.HasTree() || req.At.End > len(text) {
		return Action{}, false
	}
	question := strings.TrimSpace(req.At.Of(text))
	a := Action{Fix: refactor.Fix{ID: "ask", Title: "Ask the context tree about this selection"}, Kind: KindSource,
		Command: "brv.query", Request: map[string]any{"text": question}}
	if len(question) > maxQuestion {
		a.Disabled = fmt.Sprintf("the selection is too long for a question (limit: %d bytes); select less", maxQuestion)
	}
	return a, question != ""
}

func entryActions(ctx context.Context, v *workspace.View, e *format.Entry, req Request) (out []Action) {
	// No repair asks for the links, which are made anew for each text.
	p := refactor.Project{Tree: v.Tree(), Now: v.Now(), Text: v.Text, FilePath: v.FilePath}
	add := func(kind string, fixes ...refactor.Fix) {
		for _, f := range fixes {
			out = append(out, Action{Fix: f, Kind: kind})
		}
	}
	title := aboutWhole(e, req.At)
	if len(e.Conflicts) > 0 {
		if req.Wants(KindFix) {
			add(KindFix, refactor.Resolutions(p, e.Path, req.At)...)
			if a, ok := generatedAction(v, e, req.At, title); ok {
				out = append(out, a)
			}
		}
		return out
	}
	whole := title || req.Explicit
	if req.Wants(KindFix) {
		add(KindFix, refactor.Repairs(p, e.Path, req.At)...)
		out = append(out, staleActions(ctx, v, e, req.At)...)
		out = append(out, secretActions(v, e, req.At)...)
		if a, ok := generatedAction(v, e, req.At, title); ok {
			out = append(out, a)
		}
		if title {
			out = append(out, decisions(v, e.Path)...)
		}
	}
	if f, ok := refactor.Reciprocal(p, e.Path, req.At); ok {
		add(KindRewrite, f)
	}
	if whole {
		out = append(out, mergeActions(v, e)...)
	}
	if whole && req.Wants(KindRewrite) {
		add(KindRewrite, refactor.Grades(p, e.Path)...)
		out = append(out, archiveAction(v, e))
	}
	sure := slices.ContainsFunc(out, func(a Action) bool { return a.Sure })
	if req.Wants(KindFixAll) && (sure || req.Explicit) {
		if f, ok := refactor.RepairAll(p, e.Path); ok {
			add(KindFixAll, f)
		}
	}
	return out
}

// aboutWhole reports whether a place stands for the whole entry: its frontmatter, its title, or its first
// line.
func aboutWhole(e *format.Entry, at markdown.Span) bool {
	if title, ok := e.TitleAt(); ok && at.Start <= title.End && title.Start <= at.End {
		return true
	}
	first, _, _ := strings.Cut(e.Text, "\n")
	return at.Start <= max(len(first), e.Frontmatter.End)
}

// staleActions repair names in an entry that are no longer right, on the lines with such a name and on the
// title's line: editors show the problem there.
func staleActions(ctx context.Context, v *workspace.View, e *format.Entry, at markdown.Span) (out []Action) {
	all, _ := drift.Soon(ctx, v, e.Path)
	touches := func(line markdown.Span) bool { return at.Start <= line.End && line.Start <= at.End }
	found := slices.DeleteFunc(slices.Clone(all), func(d link.Drift) bool { return !touches(d.At.Lines(e.Text)) })
	_, title := drift.Summary(v, e.Path, all)
	if len(found) == 0 && (len(all) == 0 || !touches(title.Lines(e.Text))) {
		return nil
	}
	add := func(f refactor.Fix, command string) {
		f.Repairs, f.At = format.CodeStale, at
		out = append(out, Action{Fix: f, Kind: KindFix, Command: command})
	}
	for _, d := range found {
		if d.Replace != "" && d.Replace != d.At.Of(e.Text) {
			what := "path"
			if d.Symbol != "" {
				what = "name"
			}
			add(fixOf(v, e, fmt.Sprintf("update@%d", d.At.Start), fmt.Sprintf("Update the %s to %s", what, d.Replace),
				markdown.Edit{At: d.At, New: d.Replace}), "")
		}
	}
	if len(out) == 1 {
		out[0].Preferred = true // not for a confirmation: nobody should confirm an entry in passing, unread
	}
	// A confirmation would not end a problem about things that are gone or moved.
	if slices.ContainsFunc(all, func(d link.Drift) bool { return d.Kind == link.Changed }) {
		if ed := e.Confirm(v.Now()); ed != (markdown.Edit{}) {
			add(fixOf(v, e, "confirm", "Still true: confirm this entry", ed), "")
		}
	}
	add(refactor.Fix{ID: "review", Title: "Review this entry against what changed"}, "brv.reviewEntry")
	return out
}

// leftBehind repairs, from code, the entries about a place that no longer fit the code.
func leftBehind(ctx context.Context, v *workspace.View, req Request) (out []Action) {
	for _, s := range describe.StaleAt(ctx, v, req.Path, req.At.Start) {
		add := func(id, title, command, about string, request map[string]any) {
			f := refactor.Fix{ID: id + ":" + s.Entry, Title: fmt.Sprintf(title, workspace.Clipped(s.Title))}
			out = append(out, Action{Fix: f, Kind: KindFix, Command: command, About: about, Request: request})
		}
		add("review", "Show what changed since “%s” was right", "brv.reviewEntry", v.FilePath(s.Entry), nil)
		if s.Changed {
			op := plan.Op{Type: plan.OpConfirm, Path: s.Entry, Reason: "still true, checked against what changed"}
			add("confirm", "Still true: confirm “%s”", "brv.curate", "", map[string]any{"operations": []plan.Op{op}, "hold": plan.HoldNone})
		}
		add("open", "Open “%s” beside the code", "brv.openEntry", v.FilePath(s.Entry), nil)
	}
	return out
}

// unsaved says why a command that works on the disk cannot be run for an entry, "" if it
// can.
func unsaved(v *workspace.View, e *format.Entry) string {
	if disk, ok := v.Disk().Entry(e.Path); !ok || disk.Hash != e.Hash {
		return "save the entry first"
	}
	return ""
}

// archiveAction archives an entry, or restores the one that a stub stands for.
func archiveAction(v *workspace.View, e *format.Entry) Action {
	a := Action{Fix: refactor.Fix{ID: "archive", Title: "Archive this entry"}, Kind: KindRewrite, Command: "brv.archive",
		Request: map[string]any{"paths": []string{e.Path}}}
	switch e.Role {
	case format.RoleEntry:
		a.Disabled = unsaved(v, e)
		a.Ask = fmt.Sprintf("Archive “%s”? %s moves into the archive and leaves a stub. You can restore it from the stub.", e.Title, e.Path)
	case format.RoleStub:
		a.ID, a.Title, a.Request["restore"] = "restore", "Restore this entry from the archive", true
		if s, ok := e.Stub(); ok {
			a.Request["paths"] = []string{s.OriginalPath}
		} else {
			a.Disabled = "the stub does not name the archived text"
		}
	case format.RoleArchive:
		a.Disabled = "this entry is archived; restore it from its stub"
	case format.RoleOverview:
		a.Disabled = "this file describes its folder; only entries can be archived"
	default:
		a.Disabled = "this file is generated; only entries can be archived"
	}
	return a
}

// mergeActions offer to merge an entry into those with the same title, as far as the problem names them. A
// merge waits for a review.
func mergeActions(v *workspace.View, e *format.Entry) (out []Action) {
	disabled := unsaved(v, e)
	if curation.PendingCounts(v)[e.Path].Waiting > 0 {
		disabled = "a change to this entry already waits for review"
	}
	for _, p := range v.Tree().Problems(e.Path) {
		if p.Code != format.CodeDuplicate {
			continue
		}
		for _, other := range workspace.FirstOf(p.Candidates, maxMerges) {
			out = append(out, Action{
				Fix: refactor.Fix{ID: "merge:" + other, Title: fmt.Sprintf("Merge into the duplicate %s…", other),
					Repairs: format.CodeDuplicate, Disabled: disabled},
				Kind:    KindRewrite,
				Command: "brv.curate",
				Request: map[string]any{"operations": []plan.Op{{Type: plan.OpMerge, Path: e.Path, MergeTarget: other,
					Reason: "duplicate of " + other}}},
			})
		}
	}
	return out
}

// decisions approve and reject waiting operations about an entry, and keep or revert those that are done
// already and should be looked at.
func decisions(v *workspace.View, entry string) (out []Action) {
	for _, item := range curation.PendingItems(v, entry) {
		what := plan.WhenApproved(cmp.Or(item.Message, string(item.Op.Type)))
		titles := map[string]string{"Approve": "Approve the pending change: ", "Reject": "Reject the pending change: "}
		if !item.Held {
			titles = map[string]string{"Approve": "Keep the change: ", "Reject": "Undo the change: "}
		}
		for _, verb := range []string{"Approve", "Reject"} {
			out = append(out, Action{
				Fix: refactor.Fix{ID: fmt.Sprintf("%s:%d:%s", verb, item.Batch, item.Path),
					Title: titles[verb] + workspace.Clipped(what)},
				Kind:    KindFix,
				Command: "brv." + strings.ToLower(verb),
				Request: map[string]any{"batch": item.Batch, "paths": []string{item.Path}},
			})
		}
	}
	return out
}

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
