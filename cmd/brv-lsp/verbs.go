package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/curation"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// initTree makes an empty context tree. At a terminal it asks first.
func initTree(ctx context.Context, f *flags, o *struct{ Yes bool }, e env) (answer, error) {
	asks := !o.Yes && f.mayAsk(e)
	return does(ctx, f, func(ctx context.Context, w *workspace.Workspace, req workspace.InitRequest) (*workspace.InitReport, error) {
		if asks {
			plan, err := w.Init(ctx, workspace.InitRequest{DryRun: true})
			if err != nil || len(plan.Written) == 0 {
				return plan, err
			}
			shown := fmt.Sprintf("%s%s: an empty context tree for your entries.\nNew files: %s\n", surveyText(plan), plan.Tree,
				strings.Join(plan.Written, ", "))
			if agreed, err := agrees(ctx, e, shown); err != nil || !agreed {
				return plan, err
			}
		}
		made, err := w.Init(ctx, req)
		if err == nil && asks {
			if err = firstEntry(ctx, w, e); errors.Is(err, io.EOF) {
				err = e.print("\nNo entry was written.\n")
			}
		}
		return made, err
	}, &workspace.InitRequest{}, initText)
}

// firstEntry asks a person what a newcomer should know, and writes the answer as an entry.
func firstEntry(ctx context.Context, w *workspace.Workspace, e env) error {
	if err := e.print("\nWrite the first entry now. What does a newcomer get wrong in this code? One sentence (press Enter to " +
		"skip): "); err != nil {
		return err
	}
	said, err := typedLine(ctx, e.stdin)
	for err == nil && len(said) > drafting.MaxStatement {
		if err = e.print("That is longer than %d bytes. Write one or two sentences (press Enter to skip): ",
			drafting.MaxStatement); err == nil {
			said, err = typedLine(ctx, e.stdin)
		}
	}
	if err != nil || said == "" {
		return err
	}
	req := &drafting.DraftRequest{}
	for where, wrong := "", ""; ; {
		if err := e.print("%sWhich lines is this about? FILE:LINE or FILE:START-END (press Enter for none): ", wrong); err != nil {
			return err
		}
		if where, err = typedLine(ctx, e.stdin); err != nil || where == "" {
			break
		}
		if req, err = selection(w, where); err == nil {
			break
		}
		req, wrong = &drafting.DraftRequest{}, textf("%v\n", err)
	}
	if err != nil {
		return err
	}
	req.Statement = said
	d, err := drafting.Draft(ctx, w.View(), *req)
	if err != nil {
		return err
	}
	entry := format.Parse(d.Path, d.Text)
	op := plan.Op{Type: plan.OpAdd, Path: d.Topics[0].Topic, Title: entry.Title, Summary: entry.Summary, Content: entry.Content(),
		Reason: cmp.Or(entry.Reason(), "Written when the tree was made.")}
	r, err := curation.Curate(ctx, w, plan.Batch{Ops: []plan.Op{op}, Author: user()})
	if err != nil {
		return err
	}
	text, _ := reportText(r)
	return e.print("%s\n", text)
}

func initText(r *workspace.InitReport) (string, int) {
	if r.DryRun && len(r.Written) > 0 {
		return notWritten, exitFailed
	}
	made := madeText(r)
	if len(r.Topics) > 0 {
		made += textf("These folders may become topics: %s. An agent or a model can draft entries from code and changes; without either, "+
			"brv-lsp only quotes existing documents and entries.\n", strings.Join(r.Topics, ", "))
	}
	return made + surveyText(r), exitOK
}

// surveyText counts the folder's documents. It is "" if there are none.
func surveyText(r *workspace.InitReport) string {
	if r.Documents+r.Rules+r.Decisions == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s and %s already count as knowledge. Ask them a question: `brv-lsp query \"…\"`\n",
		words.Counted(r.Documents, "document", "documents"), words.Counted(r.Rules, "rule file", "rule files"),
		words.Counted(r.Decisions, "decision", "decisions"))
}

// madeText lists the files that were written.
func madeText(r *workspace.InitReport) string {
	switch len(r.Written) {
	case 0:
		return r.Tree + " already exists.\n"
	case 1:
		return textf("%s already exists; %s was written.\n", r.Tree, r.Written[0])
	}
	return textf("Made %s.\nWrite an entry as domain/topic/name.md there, or select code in your editor and choose "+
		"\"Write down what the next person should know\".\n`brv-lsp propose --commit HEAD` drafts an entry from a commit whose message gives a "+
		"reason. You review the draft. With a model, `propose FILE` drafts from files.\n", r.Tree)
}

// place turns --file and --line into a workspace path and the byte offset of the line's first letter. Without
// --line, line is 0 and the offset is nil.
func place(w *workspace.Workspace, file string, line int) (string, *int, error) {
	if file == "" {
		if line != 0 {
			return "", nil, fmt.Errorf("%w: --line needs --file", errUsage)
		}
		return "", nil, nil
	}
	rel, err := inFolder(w, file)
	if err != nil || line == 0 {
		return rel, nil, err
	}
	text, ok := w.View().Text(rel)
	if !ok {
		return "", nil, fmt.Errorf("%w: %s is not a readable text file", errUsage, file)
	}
	offset, ok := locate.LineStart(text, line)
	if !ok {
		return "", nil, fmt.Errorf("%w: --line %d: %s ends at line %d", errUsage, line, file, 1+strings.Count(text, "\n"))
	}
	return rel, &offset, nil
}

// inFolder turns a file of the command line into a workspace path. The file is named relative to the current
// folder or, as in the output of commands, to the opened folder. It need not exist.
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

// allInFolder turns files of the command line into workspace paths.
func allInFolder(w *workspace.Workspace, files []string) (paths []string, err error) {
	for _, file := range files {
		p, err := inFolder(w, file)
		if err != nil {
			return nil, err
		}
		paths = append(paths, p)
	}
	return paths, nil
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}
