package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/diagnosis"
)

func initTree(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("init")
	if err := f.parseOnly(args); err != nil {
		return exitUsage, err
	}
	r, err := within(ctx, f, func(w *workspace.Workspace) (*workspace.InitReport, error) {
		return w.Init(ctx)
	})
	if err != nil {
		return exitFailed, err
	}
	if f.json {
		return exitOK, printJSON(e.stdout, r)
	}
	switch len(r.Written) {
	case 0:
		return exitOK, e.print("%s is there already.\n", r.Tree)
	case 1:
		return exitOK, e.print("%s is there already; wrote %s.\n", r.Tree, r.Written[0])
	}
	return exitOK,
		e.print(
			"Made %s.\nWrite an entry as domain/topic/name.md there, or select code in your editor and choose \"Curate this "+
				"selection\".\n`brv-lsp propose FILE` drafts entries from a document or code, for you to review; `propose "+
				"--commit HEAD` from a change.\n", r.Tree)
}

// place turns --file and --line into a workspace path and a byte offset: that of the
// line's first letter, nil without --line.
func place(w *workspace.Workspace, file string, line *int) (string, *int, error) {
	if file == "" {
		if line != nil {
			return "", nil, fmt.Errorf("%w: --line says where in a file; name it with --file", errUsage)
		}
		return "", nil, nil
	}
	rel, err := inFolder(w, file)
	if err != nil || line == nil {
		return rel, nil, err
	}
	text, ok := w.View().Text(rel)
	if !ok {
		return "", nil, fmt.Errorf("%w: %s is not a readable text file", errUsage, file)
	}
	offset := 0
	for n := range *line - 1 {
		end := strings.IndexByte(text[offset:], '\n')
		if end < 0 {
			return "", nil, fmt.Errorf("%w: --line %d: %s ends at line %d", errUsage, *line, file, n+1)
		}
		offset += end + 1
	}
	rest := text[offset:]
	offset += len(rest) - len(strings.TrimLeft(rest, " \t"))
	return rel, &offset, nil
}

// inFolder turns a file of the command line into a workspace path: it is named from
// here or, as in what the commands print, from the opened folder. It need not exist.
func inFolder(w *workspace.Workspace, file string) (string, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(w.Root(), abs)
	if inside := err == nil && filepath.IsLocal(rel); inside && exists(abs) {
		return filepath.ToSlash(rel), nil
	} else if filepath.IsLocal(file) && (!inside || exists(filepath.Join(w.Root(), file))) {
		return filepath.ToSlash(filepath.Clean(file)), nil
	} else if inside {
		return filepath.ToSlash(rel), nil
	}
	return "", fmt.Errorf("%w: %s is not in %s; --root opens another folder", errUsage, file, w.Root())
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

func check(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("check")
	var req diagnosis.CheckRequest
	f.BoolVar(&req.Code, "code", false, "")
	if err := f.parseOnly(args); err != nil {
		return exitUsage, err
	}
	r, err := within(ctx, f, func(w *workspace.Workspace) (*diagnosis.CheckReport, error) {
		return diagnosis.Check(ctx, w.View(), req)
	})
	if err != nil {
		return exitFailed, err
	}
	code := exitOK
	if r.Errors > 0 {
		code = exitFailed
	}
	if f.json {
		return code, printJSON(e.stdout, r)
	}
	var text strings.Builder
	for _, x := range r.Findings {
		fmt.Fprintf(&text, "%s:%d:%d: %s: %s [%s]\n", x.Path, x.Line, x.Column, x.Severity, x.Message, x.Code)
	}
	if r.Note != "" {
		fmt.Fprintln(&text, r.Note)
	}
	fmt.Fprintf(&text, "%s, %s, %s\n", workspace.Counted(r.Entries, "entry", "entries"), workspace.Counted(r.Errors, "error", "errors"),
		workspace.Counted(r.Warnings, "warning", "warnings"))
	return code, e.print("%s", text.String())
}
