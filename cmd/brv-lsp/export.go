package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
	"github.com/brv-lsp/brv-lsp/workspace/transfer"
)

// exportRules writes the rule files of a folder, or says how they differ from the tree.
func exportRules(ctx context.Context, f *flags, args []string, _ env) (answer, error) {
	var req export.Request
	var hosts several
	check := f.Bool("check", false, "")
	f.Var(&hosts, "for", "")
	var whole transfer.ExportRequest
	f.StringVar(&whole.Dir, "tree", "", "")
	var agentFiles several
	f.Var(&agentFiles, "agent-file", "")
	form := f.String("format", "", "")
	words, err := f.parse(args)
	switch {
	case err != nil:
		return answer{}, err
	case whole.Dir != "" || *form != "" || len(agentFiles) > 0:
		whole.AgentFiles = agentFiles
		return exportTree(ctx, f, whole, *form, words, *check || len(hosts) > 0)
	case len(words) > 0:
		return answer{}, fmt.Errorf("%w: export takes no %q; --tree DIR writes a part of the tree", errUsage, words[0])
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

// exportTree writes the tree as files for other programs.
func exportTree(ctx context.Context, f *flags, req transfer.ExportRequest, form string, scope []string, rules bool) (answer, error) {
	req.Dialect = cmp.Or(vault.Dialect(form), vault.Markdown)
	known := []vault.Dialect{vault.Markdown, vault.ByteRover}
	switch {
	case rules:
		return answer{}, fmt.Errorf("%w: --for and --check are about rule files, not about --tree", errUsage)
	case len(scope) > 1:
		return answer{}, fmt.Errorf("%w: export --tree takes one part of the tree", errUsage)
	case !slices.Contains(known, req.Dialect):
		return answer{}, fmt.Errorf("%w: no format %q; there are %v", errUsage, form, known)
	case req.Dir == "":
		return answer{}, fmt.Errorf("%w: --tree DIR says where the files go", errUsage)
	case len(scope) == 1:
		req.Scope = scope[0]
	}
	return asks(ctx, f, transfer.Export, req, func(r *transfer.ExportReport) (string, int) {
		text := textf("%s: wrote %s", req.Dir, tree.Counted(len(r.Written), "file", "files"))
		if r.Same > 0 {
			text += fmt.Sprintf("; %d are there as they should be", r.Same)
		}
		text += "\n"
		for _, l := range r.Left {
			text += fmt.Sprintf("%s: %s\n", l.Path, l.Why)
		}
		return text, exitOK
	})
}

func exportText(r *export.Report, check bool) (_ string, code int) {
	var text strings.Builder
	for _, file := range r.Files {
		switch {
		case check || file.State == export.Current:
			sayf(&text, "%s: %s\n", file.Path, file.State)
		case file.State == export.Unwanted:
			sayf(&text, "%s: removed\n", file.Path)
		default:
			sayf(&text, "%s: written\n", file.Path)
		}
	}
	for _, note := range r.Notes {
		sayf(&text, "%s\n", note)
	}
	for _, l := range r.Left {
		sayf(&text, "not told: %s: %s\n", l.Entry, l.Reason)
	}
	sayf(&text, "%s told, %d tokens always loaded\n", tree.Counted(r.Told, "entry", "entries"), r.Tokens)
	if n := r.Stale(); check && n > 0 {
		code = exitFailed
		sayf(&text, "%s not as the tree has it; `brv-lsp export` writes what is missing\n",
			tree.Counted(n, "file is", "files are"))
	}
	return text.String(), code
}
