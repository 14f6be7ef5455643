package diagnosis

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/dream"
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
// its text, since to write it anew would say that the rest is true: there only the list of files and the links
// follow. left says what stays behind, and why. The report is nil where there is nothing to write.
func Repair(ctx context.Context, w *workspace.Workspace, req RepairRequest) (done *plan.Report, left []string, err error) {
	r, err := Check(ctx, w.View(), CheckRequest{Base: req.Base})
	if err != nil {
		return nil, nil, err
	}
	b, v := plan.Batch{Author: req.Author}, w.View()
	for _, e := range v.Tree().Entries() {
		if e.Role != format.RoleEntry {
			continue
		}
		files, names, rest := dream.Followed(e, r.drifts[e.Path])
		upkeep := len(names) == 0 || len(rest) > 0
		if !upkeep {
			files = append(files, names...)
		} else if len(names) > 0 {
			left = append(left, fmt.Sprintf("%s: %s: first check what else changed: %s", v.FilePath(e.Path), arrows(e, names), rest[0].Reason))
		}
		if len(files) > 0 {
			b.Ops = append(b.Ops, plan.Op{Type: plan.OpUpdate, Path: e.Path, Reason: "updated names: " + arrows(e, files),
				Upkeep: upkeep, Renames: dream.Renames(e, files)})
		}
	}
	if len(b.Ops) > 0 {
		done, err = curation.Curate(ctx, w, b)
	}
	return done, left, err
}

// arrows lists old names with the new ones.
func arrows(e *format.Entry, drifts []link.Drift) string {
	var said []string
	for _, r := range dream.Renames(e, drifts) {
		said = append(said, r.From+" → "+r.To)
	}
	return strings.Join(said, "; ")
}
