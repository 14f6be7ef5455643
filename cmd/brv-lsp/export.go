package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
)

// exportRules writes the rule files of a folder, or says how they differ from the tree.
func exportRules(ctx context.Context, f *flags, args []string, _ env) (answer, error) {
	var req export.Request
	var hosts several
	check := f.Bool("check", false, "")
	f.Var(&hosts, "for", "")
	if err := f.parseOnly(args); err != nil {
		return answer{}, err
	}
	for _, list := range hosts {
		req.For = append(req.For, strings.Split(list, ",")...)
	}
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, req export.Request) (*export.Report, error) {
		r, err := export.Plan(ctx, w.View(), req)
		if err != nil || *check {
			return r, err
		}
		return r, export.Write(w.View().Files(), r)
	}, req, func(r *export.Report) (string, int) { return exportText(r, *check) })
}

func exportText(r *export.Report, check bool) (_ string, code int) {
	var text strings.Builder
	for _, file := range r.Files {
		switch {
		case check || file.State == export.Current:
			fmt.Fprintf(&text, "%s: %s\n", file.Path, file.State)
		case file.State == export.Unwanted:
			fmt.Fprintf(&text, "%s: removed\n", file.Path)
		default:
			fmt.Fprintf(&text, "%s: written\n", file.Path)
		}
	}
	for _, l := range r.Left {
		fmt.Fprintf(&text, "not told: %s: %s\n", l.Entry, l.Reason)
	}
	fmt.Fprintf(&text, "%s told, %d tokens always loaded\n", tree.Counted(r.Told, "entry", "entries"), r.Tokens)
	if n := r.Stale(); check && n > 0 {
		code = exitFailed
		fmt.Fprintf(&text, "%s not as the tree has it; `brv-lsp export` writes what is missing\n",
			tree.Counted(n, "file is", "files are"))
	}
	return text.String(), code
}
