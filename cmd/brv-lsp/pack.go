package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/pack"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/contextpack"
)

// defaultBudget is the number of tokens in a pack without --budget, as in the mcp package.
const defaultBudget = 8000

// packOptions are the command line of pack.
type packOptions struct {
	contextpack.PackRequest
	Open    []string `flag:"open"`
	NoTypes bool     `flag:"no-types"`
	Explain bool     `flag:"explain"`
}

func packTask(ctx context.Context, f *flags, o *packOptions, e env) (answer, error) {
	if err := o.read(f); err != nil {
		return answer{}, err
	}
	f.opts.CodeScan = true
	w, err := f.open(ctx)
	if err != nil {
		return answer{}, err
	}
	defer w.Close()
	if counter, err := tokens.Named(o.Tokenizer); err == nil {
		w.Go(func() { counter.Count("a") }) // loads the vocabulary while the code is read
	}
	p, err := contextpack.Pack(ctx, w.View(), o.PackRequest)
	if err != nil {
		return answer{}, err
	}
	warnPack(e.stderr, p)
	if o.Explain {
		explainPack(e.stderr, p)
	}
	a := answer{json: p, text: p.Text}
	switch {
	case p.Text != "":
		return a, nil
	case len(p.Degraded) > 0:
		a.code = exitFailed
		fmt.Fprintln(e.stderr, "brv-lsp: the deadline passed before anything was found; raise --deadline")
	default:
		a.code = exitOutOfDomain
		fmt.Fprintf(e.stderr, "brv-lsp: %s Or name a file with --file.\n", p.Nothing)
	}
	a.text = ""
	return a, nil
}

// read checks the options that need no file.
func (o *packOptions) read(f *flags) error {
	f.opened = append(f.opened, o.places)
	task := strings.Join(f.words, " ") // without quotes, as for query
	switch {
	case task != "" && o.Task != "":
		return fmt.Errorf("%w: pack takes one task: give %q or --task, not both", errUsage, task)
	case strings.TrimSpace(task+o.Task) == "":
		return fmt.Errorf("%w: pack needs a TASK, in quotes", errUsage)
	}
	o.Task, o.BudgetTokens = cmp.Or(o.Task, task), cmp.Or(o.BudgetTokens, defaultBudget)
	if o.NoTypes {
		o.IncludeTypes = new(bool)
	}
	return nil
}

// places adds the files of --open to the request.
func (o *packOptions) places(w *workspace.Workspace) error {
	for _, file := range o.Open {
		p, err := inFolder(w, file)
		if err != nil {
			return err
		}
		if _, ok := w.View().Text(p); !ok {
			return fmt.Errorf("%w: --open %s is not a readable text file", errUsage, file)
		}
		o.Places = append(o.Places, contextpack.PackPlace{Path: p, Kind: string(pack.PlaceOpen)})
	}
	return nil
}

// warnPack warns about parts that were not ready, unused budget, and code that was not read.
func warnPack(out io.Writer, p *pack.Pack) {
	for _, d := range p.Degraded {
		sayf(out, "brv-lsp: incomplete pack: %s\n", d)
	}
	if p.Ended {
		sayf(out, "brv-lsp: %s of %s tokens used, as nothing else is likely to help; --fill adds more\n",
			grouped(p.Tokens), grouped(p.Budget))
	}
	if p.Pending > 0 {
		sayf(out, "brv-lsp: code was searched by words only, because %s being read for the first time; `brv-lsp map` reads all files\n",
			words.Counted(p.Pending, "file is", "files are"))
	}
}

// explainPack prints a table of tokens: the items in the pack, and the next ones that did not fit.
func explainPack(out io.Writer, p *pack.Pack) {
	if len(p.Items) > 0 {
		sayf(out, "%6s  %-8s  %5s  %s\n", "tokens", "form", "score", "path: reason")
	}
	sum, byKind, marked := 0, map[pack.Kind]int{}, 0
	for _, i := range p.Items {
		explainItem(out, i)
		sum += i.Tokens
		byKind[i.Kind]++
		if len(i.Marks) > 0 {
			marked++
		}
	}
	if len(p.Missed) > 0 {
		fmt.Fprintln(out, "Left out, best first:")
	}
	for _, i := range p.Missed {
		explainItem(out, i)
	}
	sayf(out, "%s of %s tokens: %s for %s and %s, %s for headings\n", grouped(p.Tokens), grouped(p.Budget), grouped(sum),
		words.Counted(byKind[pack.KindEntry], "entry", "entries"), words.Counted(byKind[pack.KindCode], "file", "files"),
		grouped(max(0, p.Tokens-sum)))
	if marked > 0 {
		sayf(out, "%s with a warning: possibly stale\n", words.Counted(marked, "item", "items"))
	}
}

// shownAt writes an item's place, with its lines if it has any.
func shownAt(i pack.Item) string {
	if i.Lines[0] > 0 {
		return fmt.Sprintf("%s:%d-%d", i.Path, i.Lines[0], i.Lines[1])
	}
	return i.Path
}

func explainItem(out io.Writer, i pack.Item) {
	sayf(out, "%6s  %-8s  %5.2f  %s: %s\n", grouped(i.Tokens), i.Form, i.Score, shownAt(i), cmp.Or(i.Reason, "no reason"))
	for _, m := range i.Marks {
		sayf(out, "%25s! %s\n", "", m)
	}
}

func expand(ctx context.Context, f *flags, req *codemap.ExpandRequest, e env) (answer, error) {
	req.BudgetTokens = cmp.Or(req.BudgetTokens, defaultBudget)
	f.opened = append(f.opened, func(w *workspace.Workspace) (err error) {
		req.Paths, err = allInFolder(w, f.words)
		return err
	})
	return asks(ctx, f, codemap.Expand, req, func(r *codemap.ExpandResponse) (string, int) {
		if !f.json {
			explainExpansion(e.stderr, r, req.Direction)
		}
		return r.Text, exitOK
	})
}

// explainExpansion prints the items that were added, and those that did not fit.
func explainExpansion(out io.Writer, r *codemap.ExpandResponse, direction string) {
	for _, x := range r.Files {
		sayf(out, "%6s  %s: %s\n", grouped(x.Tokens), x.Path, x.Reason)
	}
	switch {
	case r.Left > 0:
		sayf(out, "%s of %s tokens; %s not fit: %s\n", grouped(r.Tokens), grouped(r.Budget),
			words.Counted(r.Left, "file does", "files do"), sanitize.Short(strings.Join(r.Missed, ", "), textWidth))
	case len(r.Files) == 0 && direction == "dependents":
		fmt.Fprintln(out, "brv-lsp: this file has no dependents")
	case len(r.Files) == 0 && direction == "dependencies":
		fmt.Fprintln(out, "brv-lsp: this file has no dependencies in this folder")
	case len(r.Files) == 0:
		fmt.Fprintln(out, "brv-lsp: this file has no dependents, and no dependencies in this folder")
	}
}
