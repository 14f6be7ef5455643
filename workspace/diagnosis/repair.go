package diagnosis

import (
	"context"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/dream"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/link"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
)

// RepairRequest names the change that entries are to follow, and who has them do it.
type RepairRequest struct {
	Base   string `json:"base"`
	Author string `json:"author,omitempty"`
}

// Repair writes the new names of what the work since a base renamed into the entries that name it, as
// one batch that can be undone. An entry of which something else is left behind keeps the names in
// its text, since to write it anew would say that the rest is true: there only the list of files
// follows. The report is nil where there is nothing to write.
func Repair(ctx context.Context, w *workspace.Workspace, req RepairRequest) (*plan.Report, error) {
	r, err := Check(ctx, w.View(), CheckRequest{Base: req.Base})
	if err != nil {
		return nil, err
	}
	b := plan.Batch{Author: req.Author}
	v := w.View()
	for _, e := range v.Tree().Entries() {
		if found := r.drifts[e.Path]; len(found) > 0 && e.Role == format.RoleEntry {
			b.Ops = append(b.Ops, followed(e, found)...)
		}
	}
	if len(b.Ops) == 0 {
		return nil, nil
	}
	return curation.Curate(ctx, w, b)
}

// followed are the operations that have an entry follow what was renamed.
func followed(e *format.Entry, found []link.Drift) (ops []plan.Op) {
	var files, names []markdown.Edit
	var said []string
	rest, end := false, 0
	for _, d := range found {
		if d.Kind != link.Moved || d.Replace == "" || d.Symbol != "" && d.Grade >= dream.SureName || d.At.Start < end {
			rest = true
			continue
		}
		end = d.At.End
		edit := markdown.Edit{At: d.At, New: d.Replace}
		said = append(said, d.At.Of(e.Text)+" → "+d.Replace)
		listed := func(f format.FileRef) bool { return f.At.Lines(e.Text).Contains(d.At.Start) } // also where the item links to
		if slices.ContainsFunc(e.Files, listed) {
			files = append(files, edit)
		} else {
			names = append(names, edit)
		}
	}
	reason := "updated names: " + strings.Join(said, "; ")
	if now := format.Parse(e.Path, markdown.ApplyEdits(e.Text, files)).Content(); len(files) > 0 {
		ops = append(ops, plan.Op{Type: plan.OpUpdate, Path: e.Path, Reason: reason, Upkeep: true,
			Content: format.Content{RawConcept: format.RawConcept{Files: now.RawConcept.Files}}, Replace: []format.Part{format.PartFiles},
			Renames: dream.Renames(e, files)})
	}
	if revision, ok := dream.RevisionOf(e, names); ok && !rest {
		ops = append(ops, plan.Op{Type: plan.OpUpdate, Path: e.Path, Reason: reason, Content: revision.Content, Replace: revision.Replace,
			Renames: dream.Renames(e, names)})
	}
	return ops
}
