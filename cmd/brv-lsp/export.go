package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/export"
)

// exportOptions are the command line of export.
type exportOptions struct {
	export.Request
	Check bool `flag:"check"`
	Yes   bool `flag:"yes"`
}

// exportRules writes a folder's rule files, removes them, or reports how they differ from the tree. Before it adds
// text to a file without parts of ours, it shows the text and asks for consent.
func exportRules(ctx context.Context, f *flags, o *exportOptions, e env) (answer, error) {
	switch {
	case o.Check && (o.Yes || o.Remove):
		return answer{}, fmt.Errorf("%w: export --check takes neither --yes nor --remove, because it writes nothing", errUsage)
	case o.Remove && len(o.For) > 0:
		return answer{}, fmt.Errorf("%w: export --remove does not take --for, because it removes everything that export wrote", errUsage)
	}
	show := ""
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, req export.Request) (*export.Report, error) {
		r, err := export.Plan(ctx, w.View(), req)
		if err != nil || o.Check {
			return r, err
		}
		if show = foreignText(r); show != "" && !o.Yes {
			if !f.mayAsk(e) {
				return r, nil
			}
			agreed, err := agrees(ctx, e, show)
			if show = ""; err != nil || !agreed {
				return r, err
			}
		}
		return r, export.Write(w.View().Files(), r)
	}, &o.Request, func(r *export.Report) (string, int) {
		if !o.Check && !r.Written {
			return show + notWritten, exitFailed
		}
		return exportText(r, o.Check)
	})
}

// foreignText shows the text that would be added to files without parts of ours.
func foreignText(r *export.Report) string {
	var text strings.Builder
	for _, file := range r.Files {
		if file.Foreign {
			sayf(&text, "%s is your own file. `export` adds a marked block and changes nothing else in it:\n%s", file.Path,
				passage(file.Diff))
		}
	}
	if text.Len() > 0 {
		for _, note := range r.Notes {
			sayf(&text, "%s\n", note)
		}
		fmt.Fprintf(&text, "An agent that reads this file loads these %d tokens each time.\n", r.Tokens)
	}
	return text.String()
}

func exportText(r *export.Report, check bool) (_ string, code int) {
	var text strings.Builder
	for _, file := range r.Files {
		state := file.State
		switch {
		case state == export.Unwanted:
			state = map[bool]string{true: "no longer exported", false: "taken out"}[check]
		case check || state == export.Current:
		default:
			state = "written"
		}
		sayf(&text, "%s: %s", file.Path, state)
		if file.Ignored {
			text.WriteString("; git ignores it, so it will not be committed")
		}
		text.WriteString("\n")
	}
	for _, note := range r.Notes {
		sayf(&text, "%s\n", note)
	}
	for _, l := range r.Left {
		sayf(&text, "not exported: %s: %s\n", l.Entry, l.Reason)
	}
	sayf(&text, "%s exported: %d tokens, which each session of an agent loads\n", words.Counted(r.Told, "entry", "entries"), r.Tokens)
	if n := r.Stale(); check && n > 0 {
		code = exitFailed
		sayf(&text, "%s out of date; run `brv-lsp export` to update\n",
			words.Counted(n, "file is", "files are"))
	}
	return text.String(), code
}
