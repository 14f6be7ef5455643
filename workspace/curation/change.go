// Package curation changes the context tree and decides about waiting reviews. A change is made by [Run],
// which publishes the new tree and updates the generated files.
package curation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/brv-lsp/brv-lsp/internal/git"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/derived"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drift"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// Run runs a command that may change the tree, then publishes the new tree and updates the generated files in
// the background.
//
// A command that may remove entries waits for the code, since comments in it may name them.
func Run(ctx context.Context, w *workspace.Workspace, away bool, f func(*store.Store) (*plan.Report, error)) (*plan.Report, error) {
	st, err := w.Store()
	if err != nil {
		return nil, err
	}
	if away {
		if err := errors.Join(w.WaitCode(ctx), w.Follow(ctx)); ctx.Err() != nil { // if the code cannot be read, no comments are known
			return nil, err
		}
	}
	done := w.Working("the tree is being changed")
	report, err := f(st)
	done()
	w.Adopt(st)
	w.Revised()
	if report != nil && report.Batch != 0 && !report.Waited {
		DeriveLater(w, st)
	}
	return report, err
}

// DeriveLater updates the generated files in the background.
func DeriveLater(w *workspace.Workspace, st *store.Store) { w.Go(func() { w.Derive(st) }) }

// Curate applies a batch of operations to the context tree.
func Curate(ctx context.Context, w *workspace.Workspace, b plan.Batch) (*plan.Report, error) {
	if len(b.Ops) == 0 {
		return nil, fmt.Errorf("%w: no operations", workspace.ErrRequest)
	}
	if other, err := otherTree(b); err != nil {
		return nil, err
	} else if other != "" {
		return curateOther(ctx, w, other, b)
	}
	inside := func(p string) string { return locate.Inside(w.View(), p) } // people and agents may use absolute paths
	b.Ops = slices.Clone(b.Ops)
	for i := range b.Ops {
		op := &b.Ops[i]
		op.Path, op.To, op.MergeTarget = inside(op.Path), inside(op.To), inside(op.MergeTarget)
		for _, list := range []*[]string{&op.Content.Relations, &op.Content.RawConcept.Files} {
			*list = slices.Clone(*list) // the caller's list is not changed
			for j, p := range *list {
				(*list)[j] = inside(p)
			}
		}
	}
	away := slices.ContainsFunc(b.Ops, func(op plan.Op) bool {
		return !slices.Contains([]plan.OpType{plan.OpAdd, plan.OpUpdate, plan.OpUpsert, plan.OpConfirm}, op.Type)
	})
	b.Origin = WithHead(ctx, w, b.Origin)
	r, err := Run(ctx, w, away, func(s *store.Store) (*plan.Report, error) { return s.Apply(ctx, b) })
	if err == nil {
		tellMarked(ctx, w.View(), r)
	}
	return r, err
}

// tellMarked explains why a confirmed entry is still marked as stale, if the code is known: an entry is
// compared with the code committed at the time of its confirmation.
func tellMarked(ctx context.Context, v *workspace.View, r *plan.Report) {
	if !v.CodeRead() {
		return
	}
	marks := drift.NewLookup(ctx, v)
	for i := range r.Results {
		res := &r.Results[i]
		if res.Type != plan.OpConfirm || res.Status != plan.StatusSuccess || res.Unchanged {
			continue
		}
		left := marks.Of(res.FilePath)
		if slices.ContainsFunc(left, func(d link.Drift) bool { return d.Kind == link.Vanished }) {
			res.Message += "; still marked as stale: " + drift.Worst(left)
		} else if len(left) > 0 {
			res.Message += "; marked as stale until the code change is committed"
		}
	}
}

// WithHead adds the commit that is checked out to the origin of a proposal of an agent or a model, if git may
// be used: the proposal is about the code of that commit.
func WithHead(ctx context.Context, w *workspace.Workspace, o format.Origin) format.Origin {
	if ok, _ := w.Trusted(); o.Human() || o.Commit != "" || !ok {
		return o
	}
	if repo, err := git.Open(w.Root()); err == nil {
		if hash, err := repo.Resolve(ctx, "HEAD"); err == nil && len(hash) >= 12 {
			o.Commit = hash[:12]
		}
	}
	return o
}

// Approve carries out held operations, and accepts those that are done already.
func Approve(ctx context.Context, w *workspace.Workspace, r BatchRequest) (*plan.Report, error) {
	r, err := r.named(ctx, w)
	if err != nil {
		return nil, err
	}
	return Run(ctx, w, true, func(s *store.Store) (*plan.Report, error) {
		return s.Approve(ctx, r.Batch, r.Author, plan.Decision{Paths: r.Paths, Texts: r.Texts, Origin: r.Origin})
	})
}

// ProposedRequest names an entry with a change that waits.
type ProposedRequest struct {
	Batch int    `json:"batch"`
	Path  string `json:"path"` // the path in the tree, as in the review
}

// ProposedResponse is the present and the proposed text of an entry; "" if there is none.
type ProposedResponse struct {
	Before   string `json:"before"`
	After    string `json:"after"`
	Editable bool   `json:"editable"` // you can approve another text instead, with `texts` of brv.approve
}

// Proposed shows the text that approving what waits for an entry would give it now.
func Proposed(_ context.Context, w *workspace.Workspace, r ProposedRequest) (*ProposedResponse, error) {
	st, err := w.Store()
	if err != nil {
		return nil, err
	}
	before, after, editable, err := st.Reviews.Proposed(r.Batch, r.Path)
	if err != nil {
		return nil, err
	}
	return &ProposedResponse{before, after, editable}, nil
}

// Reject drops held operations, and reverts those that are done already.
func Reject(ctx context.Context, w *workspace.Workspace, r BatchRequest) (*plan.Report, error) {
	r, err := r.named(ctx, w)
	if err != nil {
		return nil, err
	}
	return Run(ctx, w, true, func(s *store.Store) (*plan.Report, error) {
		return s.Reject(ctx, r.Batch, r.Author, r.Reason, r.Paths...)
	})
}

// Undo reverts a batch: every byte is restored, or nothing changes.
func Undo(ctx context.Context, w *workspace.Workspace, r BatchRequest) (*plan.Report, error) {
	return Run(ctx, w, true, func(s *store.Store) (*plan.Report, error) {
		if r.Batch == 0 {
			return s.UndoLast(ctx, r.Author, r.Reason, r.Paths...)
		}
		return s.Undo(ctx, r.Batch, r.Author, r.Reason, r.Paths...)
	})
}

// LogRequest asks for the changes of the tree.
type LogRequest struct {
	Limit int `json:"limit,omitempty" flag:"limit"` // the number of newest changes to list; 0: all
}

// LogResponse lists the changes of the tree.
type LogResponse struct {
	Changes []store.Logged `json:"changes"` // the changes, newest first
}

// Log lists the changes of the tree with their reasons.
func Log(_ context.Context, w *workspace.Workspace, r LogRequest) (*LogResponse, error) {
	st, err := w.Store()
	if err != nil {
		return nil, err
	}
	list, err := st.Log(r.Limit)
	if list == nil {
		list = []store.Logged{}
	}
	return &LogResponse{list}, err
}

// ArchiveRequest names entries to archive or to restore.
type ArchiveRequest struct {
	Paths    []string `json:"paths,omitempty"`
	Eligible bool     `json:"eligible,omitempty" flag:"eligible"` // also archive all entries that can be archived, at most 10,000 at once
	Restore  bool     `json:"restore,omitempty" flag:"restore"`
	Reason   string   `json:"reason,omitempty" flag:"reason"`
	Author   string   `json:"author,omitempty"` // the author of the change, for the log
	DryRun   bool     `json:"dryRun,omitempty" flag:"dry-run"`
}

// Archive archives or restores entries.
func Archive(ctx context.Context, w *workspace.Workspace, r ArchiveRequest) (*plan.Report, error) {
	return Run(ctx, w, true, func(s *store.Store) (*plan.Report, error) {
		b := plan.Batch{Author: r.Author, DryRun: r.DryRun}
		kind, reason := plan.OpArchive, "archived on request"
		if r.Restore {
			kind, reason = plan.OpRestore, "restored on request"
		}
		if r.Reason != "" {
			reason = r.Reason
		}
		for _, p := range r.Paths {
			b.Ops = append(b.Ops, plan.Op{Type: kind, Path: p, Reason: reason})
		}
		if r.Eligible && !r.Restore {
			w.ReadHistory(ctx) // recent changes by others are not stale
			for _, c := range workspace.FirstOf(derived.Archivable(s.Snapshot(), w.Now()), plan.MaxOps-len(b.Ops)) {
				b.Ops = append(b.Ops, plan.Op{Type: kind, Path: c.Path, Reason: fmt.Sprintf("draft with importance %.1f", c.Importance)})
			}
		}
		if len(b.Ops) == 0 {
			return &plan.Report{Results: []plan.Result{}}, nil
		}
		return s.Apply(ctx, b)
	})
}

// otherTree is the name of the user's other tree that a batch is about, "" for the folder's own. All
// operations of a batch are in one tree.
func otherTree(b plan.Batch) (name string, err error) {
	for i, op := range b.Ops {
		for j, p := range []string{op.Path, op.To, op.MergeTarget} {
			of, _, _ := format.CutTree(p)
			if p == "" && j > 0 {
				continue
			}
			if i+j > 0 && of != name {
				return "", fmt.Errorf("%w: a batch can change only one tree, not %q and %q", workspace.ErrRequest, name, of)
			}
			name = of
		}
	}
	return name, nil
}

// curateOther applies a batch to another tree of the user: directly to a private tree, and as a waiting
// proposal to all others.
func curateOther(ctx context.Context, w *workspace.Workspace, name string, b plan.Batch) (r *plan.Report, err error) {
	other, err := w.OpenOther(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if name != workspace.OwnTree {
		b.Hold = plan.HoldAll
	}
	b.Ops = slices.Clone(b.Ops)
	for i := range b.Ops {
		for _, p := range []*string{&b.Ops[i].Path, &b.Ops[i].To, &b.Ops[i].MergeTarget} {
			_, *p, _ = format.CutTree(*p)
		}
	}
	if r, err = Curate(ctx, other, b); err != nil {
		return nil, err
	}
	for i := range r.Results {
		if p := &r.Results[i].FilePath; *p != "" {
			*p = name + ":" + *p
		}
	}
	r.Tree = name
	w.LookAtOthers(ctx)
	return r, nil
}
