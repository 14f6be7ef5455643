// Package drafting makes proposals for the context tree from files, selections and changes of code. Its
// drafts are held for a review, since nobody has checked them yet.
package drafting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/tree/store"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
)

// ProposeResponse holds the drafts. They wait for a review, unless `dryRun` is set.
type ProposeResponse struct {
	Operations []plan.Op    `json:"operations"`
	Report     *plan.Report `json:"report"` // the number of the batch, for approval, and the difference
	Model      string       `json:"model,omitempty"`
	Notes      []string     `json:"notes,omitempty"` // notes about sources that were cut, or a model that failed
	Usage      *llm.Usage   `json:"usage,omitempty"`

	// Undecided lists drafts that are not stored, because no links decide their topic. Ask again with a topic to store
	// them.
	Undecided []curate.Undecided `json:"undecided,omitempty"`
}

// Bounds of a request.
const (
	maxInstruction = 4_000 // bytes: a page, as of a prompt that somebody types
	maxRevision    = 200   // bytes: a hash has 64, a branch's name rarely 100
)

// check refuses requests that are wrong in any state of the folder.
func (req ProposeRequest) check() error {
	switch {
	case len(req.Files) == 0 && req.Folder == "" && req.Selection == nil && req.Changes == "" && req.Review == nil:
		return workspace.WrongField("files", "nothing to draft from; give files, a folder, a selection or changes")
	case len(req.Files) > MaxMaterial:
		return workspace.WrongField("files", "%d files; the limit is %d", len(req.Files), MaxMaterial)
	case len(req.Files) == MaxMaterial && req.Selection != nil:
		return workspace.WrongField("files", "%d files and a selection; together, the limit is %d", len(req.Files), MaxMaterial)
	case len(req.Instruction) > maxInstruction:
		return workspace.WrongField("instruction", "%d bytes; the limit is %d", len(req.Instruction), maxInstruction)
	case len(req.Changes) > maxRevision || strings.HasPrefix(req.Changes, "-") ||
		strings.ContainsFunc(req.Changes, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return workspace.WrongField("changes", "must be worktree, staged or a commit, not %q",
			workspace.Clipped(req.Changes))
	case req.Topic != "":
		if err := curate.CheckTopic(req.Topic); err != nil {
			return workspace.WrongField("topic", "%v", err)
		}
	}
	return nil
}

// Propose drafts operations from files, a selection or changes of code, and holds them for a review. A model
// drafts if one may be asked; without one, or if it fails, rules do. It waits until the code is read.
func Propose(ctx context.Context, v *workspace.View, req ProposeRequest) (*ProposeResponse, error) {
	w := v.Workspace()
	if err := req.check(); err != nil {
		return nil, err
	}
	st, err := w.Store()
	if err != nil {
		return nil, err
	}
	defer w.Working("a proposal is being drafted")()
	switch whole, err := v.Complete(ctx); {
	case err == nil:
		v = whole
	case !errors.Is(err, workspace.ErrNoCode):
		return nil, err
	}
	m, notes, err := material(ctx, v, req)
	if err != nil {
		return nil, err
	}
	m.Topic, m.AnyTopic = req.Topic, req.AnyTopic
	p, failed, err := drafted(ctx, w, project(v, st), m, req.NoModel || req.Review != nil)
	if err != nil {
		return nil, err
	}
	b := plan.Batch{Ops: p.Ops, Author: req.Author, Hold: plan.HoldAll, Origin: askedBy(p.Origin, req.Origin), DryRun: req.DryRun}
	var waiting, older []string
	p.Ops, waiting, older = unheld(st, b)
	refused := slices.Concat(failed, waiting, p.Refused)
	notes = slices.Concat(older, p.Notes, notes)
	r := &ProposeResponse{Operations: p.Ops, Model: p.Origin.Model, Notes: ordered(refused, notes), Undecided: p.Undecided}
	if p.Usage != (llm.Usage{}) {
		r.Usage = &p.Usage
	}
	if len(p.Ops) == 0 {
		r.Operations, r.Report = []plan.Op{}, &plan.Report{Results: []plan.Result{}}
		return r, nil
	}
	b.Ops, b.Origin = p.Ops, curation.WithHead(ctx, w, b.Origin)
	if r.Report, err = curation.Run(ctx, w, false, func(s *store.Store) (*plan.Report, error) { return s.Apply(ctx, b) }); err != nil {
		return nil, err
	}
	if r.Report.Batch != 0 {
		r.Report.Diff = r.Report.Held
	}
	r.Notes = ordered(refused, append(rejections(st, r.Report), notes...))
	return r, nil
}

// unheld are the operations of a batch without those that already wait in other batches, with notes about
// these and about older waiting drafts. If all operations are one waiting batch, all stay: that batch is then
// the answer.
func unheld(st *store.Store, b plan.Batch) (ops []plan.Op, waiting, older []string) {
	waits := st.Reviews.Waits(b)
	one := len(waits) == len(b.Ops)
	for _, w := range waits {
		one = one && w.Verbatim && w.Batch == waits[0].Batch
	}
	if one {
		return b.Ops, nil, nil
	}
	for i, op := range b.Ops {
		switch w, ok := waits[i]; {
		case ok && w.Same:
			waiting = append(waiting, fmt.Sprintf("%s %s: not proposed because it already waits for review (batch %d)", op.Type, w.Path, w.Batch))
			continue
		case ok:
			older = append(
				older, fmt.Sprintf(
					"an older draft of %s waits in batch %d, and only one can be approved; reject the older one (%d:%s)",
					w.Path, w.Batch, w.Batch, w.Path))
		}
		ops = append(ops, op)
	}
	return ops, waiting, older
}

// rejections lists the entries of a proposal that were rejected in the last decision about them.
func rejections(st *store.Store, report *plan.Report) (notes []string) {
	var paths []string
	for _, r := range report.Results {
		paths = append(paths, r.FilePath)
	}
	rejected, err := st.Rejections(paths)
	if err != nil {
		return nil // without them the proposal is still valid
	}
	for _, at := range paths {
		l, ok := rejected[at]
		if !ok {
			continue
		}
		why := ""
		if len(l.Reasons) > 0 && l.Reasons[0] != "" {
			why = ": " + l.Reasons[0]
		}
		notes = append(notes, fmt.Sprintf("%s rejected a proposal about %s (batch %d)%s", cmp.Or(l.Author, "a person"), at, l.Of, why))
	}
	return notes
}

// What is told of a draft: so many notes, of so many bytes each.
const (
	maxNotes = 10
	maxNote  = 400
)

// ordered are notes, each once and on one line: first why nothing was drafted, then what was left out.
func ordered(refused, notes []string) (out []string) {
	for _, n := range slices.Concat(refused, notes) {
		n = workspace.OneLine(n)
		if len(n) > maxNote {
			n = strings.ToValidUTF8(n[:maxNote], "") + "…"
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if more := len(out) - maxNotes; more > 0 {
		out = append(out[:maxNotes], fmt.Sprintf("notes left out: %d", more))
	}
	return out
}

// drafted asks the model, if one may be asked, and otherwise the rules; notes give the reason if it was not
// the model.
func drafted(ctx context.Context, w *workspace.Workspace, p curate.Project, m curate.Material,
	noModel bool) (out curate.Proposal, notes []string, err error) {
	var spent llm.Usage
	if model := provider.Model(w); model != nil && !noModel {
		out, err := curate.Compose(ctx, p, model, m)
		if err == nil || ctx.Err() != nil {
			return out, nil, err
		}
		spent = out.Usage
		w.Logger().Warn("drafting", "model", model.Name(), "err", err)
		name := workspace.OneLine(model.Name())
		why := strings.TrimPrefix(workspace.OneLine(err.Error()), curate.ErrModel.Error()+": ")
		notes = []string{name + " could not draft: " + strings.TrimPrefix(why, name+": ") + "; the draft was made without a model"}
	}
	out, err = curate.Propose(ctx, p, m)
	out.Usage = spent
	return out, notes, err
}

// project returns the state that drafting reads.
func project(v *workspace.View, st *store.Store) curate.Project {
	return curate.Project{
		Tree: v.Tree(), Code: v.Code(), Now: v.Now(),
		Search: v.LateSearch(),
		Links:  func(ctx context.Context) (*link.Links, error) { return v.LinksWithin(ctx) },
		Read:   func(ctx context.Context, p string) (curate.Source, error) { return source(ctx, v, p) },
		Try: func(ctx context.Context, b plan.Batch) (*plan.Report, error) {
			b.DryRun, b.Hold = true, plan.HoldAll
			return st.Apply(ctx, b)
		},
	}
}

// askedBy is the origin of a requested draft. If rules draft for an agent, the agent is the origin; a model's
// draft stays the model's. A draft is never a person's.
func askedBy(draft, who format.Origin) format.Origin {
	if !who.Human() {
		draft.Tool = who.Tool
		if draft.Kind == format.OriginRules {
			draft.Kind = who.Kind
		}
	}
	return draft
}
