package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace/transfer"
)

// importNotes brings a folder of notes into the tree, or says how it would.
func importNotes(ctx context.Context, f *flags, args []string, _ env) (answer, error) {
	req := transfer.ImportRequest{Author: user(), Map: map[string]string{}}
	f.BoolVar(&req.Write, "write", false, "")
	f.StringVar((*string)(&req.Dialect), "dialect", "", "")
	f.StringVar((*string)(&req.Hold), "hold", "", "")
	f.Func("map", "", func(s string) error {
		from, to, ok := strings.Cut(s, "=")
		if !ok || from == "" || to == "" {
			return fmt.Errorf("it is FOLDER=DOMAIN/TOPIC")
		}
		req.Map[from] = to
		return nil
	})
	words, err := f.parse(args)
	if err != nil {
		return answer{}, err
	}
	if len(words) != 1 {
		return answer{}, fmt.Errorf("%w: import takes one folder", errUsage)
	}
	if req.Dir, err = filepath.Abs(words[0]); err != nil {
		return answer{}, err
	}
	return does(ctx, f, transfer.Import, req, importText)
}

// maxListed is how many links or files of a kind are listed; --json has all.
const maxListed = 10

func importText(r *transfer.ImportReport) (string, int) {
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s): %s\n", r.Root, r.Dialect, tree.Counted(len(r.Ops), "note", "notes"))
	for _, m := range r.Folders {
		fmt.Fprintf(&out, "  %-30s → %-30s %d\n", m.From, m.To, m.Notes)
	}
	fmt.Fprintf(&out, "%s where they led", tree.Counted(r.Links, "link leads", "links lead"))
	if n := len(r.Broken); n > 0 {
		fmt.Fprintf(&out, ", %d nowhere, as before", n)
	}
	out.WriteString("\n")
	for i, b := range r.Broken {
		if i == maxListed {
			fmt.Fprintf(&out, "  … and %d more\n", len(r.Broken)-i)
			break
		}
		fmt.Fprintf(&out, "  leads nowhere: %s:%d: %s\n", b.Path, b.Line, b.Text)
	}
	if r.Others > 0 {
		fmt.Fprintf(&out, "%s no notes and stay where they are\n", tree.Counted(r.Others, "file or hidden folder is", "files and hidden folders are"))
	}
	for i, l := range r.Left {
		if i == maxListed {
			fmt.Fprintf(&out, "  … and %d more\n", len(r.Left)-i)
			break
		}
		fmt.Fprintf(&out, "left out: %s: %s\n", l.Path, l.Why)
	}
	code, notes := exitOK, 0
	for _, a := range r.Report.Results {
		if a.Status == plan.StatusFailed {
			code = exitFailed
			fmt.Fprintf(&out, "FAILED %s: %s\n", a.Path, a.Message)
		} else if _, note, ok := strings.Cut(a.Message, "; "); ok {
			if notes++; notes <= maxListed {
				fmt.Fprintf(&out, "not as it was: %s: %s\n", a.Path, note)
			}
		}
	}
	switch {
	case len(r.Ops) == 0:
		out.WriteString("Nothing to import.\n")
	case r.DryRun:
		out.WriteString("This was a dry run: nothing was written. --write imports; --map FOLDER=DOMAIN/TOPIC puts a folder elsewhere.\n")
	default:
		out.WriteString(nextStep(r.Report))
	}
	return out.String(), code
}
