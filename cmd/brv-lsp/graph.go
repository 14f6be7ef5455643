package main

import (
	"context"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/graph"
)

// shownNodes is how many nodes the text lists; JSON has all.
const shownNodes = 20

func drawGraph(ctx context.Context, f *flags, req *graph.Request, _ env) (answer, error) {
	return asks(ctx, f, aroundHere(graph.Draw), req, func(r *graph.Response) (string, int) {
		if req.SVG {
			return r.SVG, exitOK
		}
		return graphText(r), exitOK
	})
}

// aroundHere turns a file that is named relative to the current folder into a path of the opened folder. Names of
// entries stay.
func aroundHere(draw func(context.Context, *workspace.View, graph.Request) (*graph.Response, error)) func(
	context.Context, *workspace.View, graph.Request) (*graph.Response, error) {
	return func(ctx context.Context, v *workspace.View, req graph.Request) (*graph.Response, error) {
		if p, err := inFolder(v.Workspace(), req.Around); req.Around != "" && err == nil && p != "." {
			req.Around = p
		}
		return draw(ctx, v, req)
	}
}

func graphText(r *graph.Response) string {
	var b strings.Builder
	sayf(&b, "%s, %s", words.Counted(len(r.Nodes), "node", "nodes"), words.Counted(len(r.Links), "link", "links"))
	if r.Left > 0 {
		sayf(&b, "; %s left out, see --limit", grouped(r.Left))
	}
	if r.LeftLinks > 0 {
		sayf(&b, "; %s links left out", grouped(r.LeftLinks))
	}
	b.WriteString("\n\nincoming links, kind, path\n")
	for _, n := range r.Nodes[:min(len(r.Nodes), shownNodes)] {
		stale := ""
		if n.Stale != "" {
			stale = "  (stale)"
		}
		sayf(&b, "%5d  %-8s  %s%s\n", n.In, n.Kind, n.Path, stale)
	}
	if left := len(r.Nodes) - shownNodes; left > 0 {
		sayf(&b, "… %s more; --json lists all, and --svg draws all\n", grouped(left))
	}
	return b.String()
}
