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

// RepairRequest names the base of the change that entries are to follow, and the author of the batch.
type RepairRequest struct {
	Base   string `json:"base"`
	Author string `json:"author,omitempty"`
}

// Repair updates the names of things that the work since a base renamed, in all entries that use them, as one
// batch that can be undone. If an entry has other drift too, the names in its text stay, since a new text would
// confirm that the rest is true. Then only its list of files and its links are updated. left describes what stays,
// and why. The report is nil if there is nothing to write.
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
			left = append(left, fmt.Sprintf("%s: %s: check first what else changed: %s", v.FilePath(e.Path), arrows(e, names), rest[0].Reason))
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

// arrows lists old names with their new ones.
func arrows(e *format.Entry, drifts []link.Drift) string {
	var said []string
	for _, r := range dream.Renames(e, drifts) {
		said = append(said, r.From+" → "+r.To)
	}
	return strings.Join(said, "; ")
}
