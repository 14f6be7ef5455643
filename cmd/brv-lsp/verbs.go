package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
)

func initTree(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("init")
	if err := f.parseOnly(args); err != nil {
		return exitUsage, err
	}
	res, err := f.run(ctx, "brv.init", nil)
	if err != nil {
		return exitFailed, err
	}
	r := res.(*workspace.InitReport)
	if f.json {
		return exitOK, printJSON(e.stdout, r)
	}
	switch len(r.Written) {
	case 0:
		return exitOK, e.print("%s is there already.\n", r.Tree)
	case 1:
		return exitOK, e.print("%s is there already; wrote %s.\n", r.Tree, r.Written[0])
	}
	return exitOK, e.print("Made %s.\nWrite an entry as domain/topic/name.md there, or select code in your editor and choose \"Curate this selection\".\n", r.Tree)
}

func packTask(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("pack")
	var req workspace.PackRequest
	var line int
	var explain bool
	f.StringVar(&req.Task, "task", "", "")
	f.IntVar(&req.BudgetTokens, "budget", 0, "")
	f.StringVar(&req.Path, "file", "", "")
	f.IntVar(&line, "line", 0, "")
	f.StringVar(&req.Strategy, "strategy", "", "")
	f.BoolVar(&req.IncludeTests, "tests", false, "")
	f.BoolVar(&explain, "explain", false, "")
	err := f.parseOnly(args)
	switch {
	case err != nil:
		return exitUsage, err
	case strings.TrimSpace(req.Task) == "":
		return exitUsage, fmt.Errorf("%w: pack needs --task", errUsage)
	case req.BudgetTokens <= 0:
		return exitUsage, fmt.Errorf("%w: pack needs --budget, a number of tokens above 0", errUsage)
	}
	w, err := f.open(ctx)
	if err != nil {
		return exitFailed, err
	}
	defer w.Close()
	if req.Path, req.Offset, err = place(w, req.Path, line); err != nil {
		return exitUsage, err
	}
	res, err := command(ctx, w, "brv.pack", req)
	if err != nil {
		return exitFailed, err
	}
	p := res.(*pack.Pack)
	if explain {
		explainPack(e.stderr, p)
	}
	if p.Pending > 0 {
		fmt.Fprintf(e.stderr, "brv-lsp: found by words alone: %d files are read for the first time; `brv-lsp map` reads them all\n", p.Pending)
	}
	if f.json {
		return exitOK, printJSON(e.stdout, p)
	}
	if p.Text == "" {
		fmt.Fprintln(e.stderr, "brv-lsp: neither an entry nor code shares a word with the task; use the project's own words, or name a file with --file")
	}
	return exitOK, e.print("%s", p.Text)
}

// place turns --file and --line into a workspace path and a byte offset: that of the
// line's first letter.
func place(w *workspace.Workspace, file string, line int) (string, int, error) {
	if file == "" {
		return "", 0, nil
	}
	rel, err := inFolder(w, file)
	if err != nil {
		return "", 0, err
	}
	text, ok := w.View().Text(rel)
	if !ok {
		return "", 0, fmt.Errorf("%w: %s is not a readable text file", errUsage, file)
	}
	offset := 0
	for range line - 1 {
		n := strings.IndexByte(text[offset:], '\n')
		if n < 0 {
			break
		}
		offset += n + 1
	}
	rest := text[offset:]
	return rel, offset + len(rest) - len(strings.TrimLeft(rest, " \t")), nil
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

func explainPack(out io.Writer, p *pack.Pack) {
	fmt.Fprintf(out, "%d of %d tokens\n", p.Tokens, p.Budget)
	row := func(mark string, i pack.Item) {
		fmt.Fprintf(out, "%s %6d  %-8s %s: %s\n", mark, i.Tokens, i.Form, i.Path, i.Reason)
	}
	for _, i := range p.Items {
		row("+", i)
	}
	for _, i := range p.Missed {
		row("-", i)
	}
}

func check(ctx context.Context, args []string, e env) (int, error) {
	f := newFlags("check")
	var req workspace.CheckRequest
	f.BoolVar(&req.Code, "code", false, "")
	if err := f.parseOnly(args); err != nil {
		return exitUsage, err
	}
	res, err := f.run(ctx, "brv.check", req)
	if err != nil {
		return exitFailed, err
	}
	r := res.(*workspace.CheckReport)
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
	fmt.Fprintf(&text, "%s, %s, %s\n", counted(r.Entries, "entry", "entries"), counted(r.Errors, "error", "errors"), counted(r.Warnings, "warning", "warnings"))
	return code, e.print("%s", text.String())
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
