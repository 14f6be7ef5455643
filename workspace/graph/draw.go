package graph

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/workspace"
)

// Draw makes a picture of the folder. It waits for the first read of the code.
func Draw(ctx context.Context, v *workspace.View, req Request) (*Response, error) {
	for _, k := range req.Kinds {
		if !slices.Contains(Kinds, k) {
			return nil, workspace.WrongField("kinds", "no kind %q; the kinds are %s", workspace.Clipped(k), strings.Join(Kinds, ", "))
		}
	}
	if req.Limit < 0 || req.Limit > MaxNodes {
		return nil, workspace.WrongField("limit", "must be 1 to %d nodes", MaxNodes)
	}
	v, err := v.Complete(ctx)
	if err != nil {
		return nil, err
	}
	var c collected
	if err = c.knowledge(ctx, v, req.Kinds); err != nil {
		return nil, err
	}
	keep, err := c.around(v, req)
	if err != nil {
		return nil, err
	}
	r := c.response(keep, cmp.Or(req.Limit, DefaultNodes))
	if req.SVG {
		r.SVG = r.draw(path.Base(v.Workspace().Root()))
	}
	return r, nil
}
