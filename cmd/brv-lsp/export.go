package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/vault"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
	"github.com/brv-lsp/brv-lsp/workspace/transfer"
)

// exportRules writes the rule files of a folder, takes them away, or says how they differ from the tree. Before it puts
// something into a file in which nothing of ours stands, it shows that, and needs a yes.
func exportRules(ctx context.Context, f *flags, args []string, e env) (answer, error) {
	var req export.Request
	check, yes := f.Bool("check", false, ""), f.Bool("yes", false, "")
	f.BoolVar(&req.Remove, "remove", false, "")
	f.Var((*list)(&req.For), "for", "")
	var whole transfer.ExportRequest
	f.StringVar(&whole.Dir, "tree", "", "")
	f.Var((*several)(&whole.AgentFiles), "agent-file", "")
	form := f.String("format", "", "")
	words, err := f.parse(args)
	switch {
	case err != nil:
		return answer{}, err
	case whole.Dir != "" || *form != "" || len(whole.AgentFiles) > 0:
		return exportTree(ctx, f, whole, *form, words, *check || *yes || req.Remove || len(req.For) > 0)
	case *check && (*yes || req.Remove):
		return answer{}, fmt.Errorf("%w: export --check writes nothing; it takes no --yes and no --remove", errUsage)
	case req.Remove && len(req.For) > 0:
		return answer{}, fmt.Errorf("%w: export --remove takes away all that export wrote; it takes no --for", errUsage)
	case len(words) > 0:
		return answer{}, fmt.Errorf("%w: export takes no %q; --tree DIR writes a part of the tree", errUsage, words[0])
	}
	show := ""
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, req export.Request) (*export.Report, error) {
		r, err := export.Plan(ctx, w.View(), req)
		if err != nil || *check {
			return r, err
		}
		if show = foreignText(r); show != "" && !*yes {
			if !f.mayAsk(e) {
				return r, nil
			}
			agreed, err := agrees(ctx, e, show)
			if show = ""; err != nil || !agreed {
				return r, err
			}
		}
		return r, export.Write(w.View().Files(), r)
	}, req, func(r *export.Report) (string, int) {
		if !*check && !r.Written {
			return show + notWritten, exitFailed
		}
		return exportText(r, *check)
	})
}

// foreignText shows what would be put into files in which nothing of ours stands.
func foreignText(r *export.Report) string {
	var text strings.Builder
	for _, file := range r.Files {
		if file.Foreign {
			sayf(&text, "%s is a file of yours. A marked block goes into it, and nothing else in it changes:\n%s", file.Path,
				passage(file.Diff))
		}
	}
	if text.Len() > 0 {
		for _, note := range r.Notes {
			sayf(&text, "%s\n", note)
		}
		fmt.Fprintf(&text, "An agent that reads it always loads these %d tokens.\n", r.Tokens)
	}
	return text.String()
}

// exportTree writes the tree as files for other programs.
func exportTree(ctx context.Context, f *flags, req transfer.ExportRequest, form string, scope []string, rules bool) (answer, error) {
	req.Dialect = cmp.Or(vault.Dialect(form), vault.Markdown)
	known := []vault.Dialect{vault.Markdown, vault.ByteRover}
	switch {
	case rules:
		return answer{}, fmt.Errorf("%w: --for, --check, --yes and --remove are about rule files, not about --tree", errUsage)
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
		text := textf("%s: wrote %s", req.Dir, words.Counted(len(r.Written), "file", "files"))
		if r.Same > 0 {
			text += fmt.Sprintf("; %d are there as they should be", r.Same)
		}
		text += "\n"
		for _, l := range r.Left {
			text += textf("%s: %s\n", l.Path, l.Why)
		}
		return text, exitOK
	})
}

func exportText(r *export.Report, check bool) (_ string, code int) {
	var text strings.Builder
	for _, file := range r.Files {
		state := file.State
		switch {
		case check || state == export.Current:
		case state == export.Unwanted:
			state = "taken out"
		default:
			state = "written"
		}
		sayf(&text, "%s: %s", file.Path, state)
		if file.Ignored {
			text.WriteString("; git ignores it, so it is in no commit")
		}
		text.WriteString("\n")
	}
	for _, note := range r.Notes {
		sayf(&text, "%s\n", note)
	}
	for _, l := range r.Left {
		sayf(&text, "not told: %s: %s\n", l.Entry, l.Reason)
	}
	sayf(&text, "%s told, %d tokens always loaded\n", words.Counted(r.Told, "entry", "entries"), r.Tokens)
	if n := r.Stale(); check && n > 0 {
		code = exitFailed
		sayf(&text, "%s not as the tree has it; `brv-lsp export` writes what is missing\n",
			words.Counted(n, "file is", "files are"))
	}
	return text.String(), code
}
