package curation

import (
	"context"
	"errors"
	"fmt"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// otherTree is the name of the user's other tree that a batch is about, "" for the folder's own. A batch is about one.
func otherTree(b plan.Batch) (name string, err error) {
	for i, op := range b.Ops {
		for j, p := range []string{op.Path, op.To, op.MergeTarget} {
			of, _, _ := tree.CutName(p)
			if p == "" && j > 0 {
				continue
			}
			if i+j > 0 && of != name {
				return "", fmt.Errorf("%w: the operations of a batch are all about one tree, not %q and %q", workspace.ErrRequest, name, of)
			}
			name = of
		}
	}
	return name, nil
}

// curateOther does a batch in another tree of the user: at once in their own, as a proposal that waits there in all others.
func curateOther(ctx context.Context, w *workspace.Workspace, name string, b plan.Batch) (r *plan.Report, err error) {
	other, err := w.OpenOther(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if name != workspace.OwnTree && b.Hold != plan.HoldAll {
		b.Hold = plan.HoldAll
	}
	b.Ops = append([]plan.Op(nil), b.Ops...)
	for i := range b.Ops {
		for _, p := range []*string{&b.Ops[i].Path, &b.Ops[i].To, &b.Ops[i].MergeTarget} {
			_, *p, _ = tree.CutName(*p)
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
