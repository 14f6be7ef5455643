package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/llm"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/drafting"
	"github.com/brv-lsp/brv-lsp/workspace/provider"
	"github.com/brv-lsp/brv-lsp/workspace/upkeep"
)

// Proposals are measured on trees of six entries of the project's own tree, which stand beside each other there. To be
// curated, the first is a note beside the tree, and not in it; to be dreamt over, all are in it, and are new. Nothing is
// written. What rules do in a dream where the model said nothing valid is counted apart.

// proposals measures n cases of curating, and as many of dreaming.
func proposals(ctx context.Context, o options, n int, m llm.Model, keep func(outcome)) error {
	own, err := corpusOf(o.root)
	if err != nil {
		return err
	}
	fmt.Println("proposals      cases | with proposals: operations, these invent, lose | nothing kept back failed | by rules |" +
		" ms p50 p90, tokens in out p50")
	for _, kind := range strings.Split(o.kinds, ",") {
		var all []outcome
		for i := o.skip; i < n; i++ {
			first := i * len(own) / n
			some := []*format.Entry{}
			for j := range 6 {
				some = append(some, own[(first+j)%len(own)])
			}
			r, err := propose(ctx, kind, some, m)
			if err != nil {
				return err
			}
			keep(r)
			all = append(all, r)
		}
		fmt.Printf("%-14s %s\n", kind, proposalsLine(all))
	}
	return nil
}

// corpusOf are the entries of a project's own tree.
func corpusOf(root string) ([]*format.Entry, error) {
	var out []*format.Entry
	dir := filepath.Join(root, ".brv/context-tree")
	err := filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(at) != ".md" {
			return err
		}
		text, err := os.ReadFile(at)
		name, _ := filepath.Rel(dir, at)
		if e := format.Parse(filepath.ToSlash(name), string(text)); e.Role == format.RoleEntry {
			out = append(out, e)
		}
		return err
	})
	return out, err
}

// propose takes one case.
func propose(ctx context.Context, kind string, some []*format.Entry, m llm.Model) (o outcome, err error) {
	o = outcome{Set: kind, Question: some[0].Path, How: "nothing"}
	dir, err := os.MkdirTemp("", "proposals")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	known := ""
	for i, e := range some {
		at := filepath.Join(dir, ".brv/context-tree", filepath.FromSlash(e.Path))
		if kind == "curate" && i == 0 {
			at = filepath.Join(dir, "note.md")
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(e.Text), 0o666)); err != nil {
			return o, err
		}
		known += e.Path + "\n" + e.Text + "\n"
	}
	w, err := workspace.Open(ctx, dir, workspace.Options{Trusted: true, NoCode: true, NoDocuments: true})
	if err != nil {
		return o, err
	}
	defer w.Close()
	provider.UseModel(w, provider.ModelState{Provider: "given"}, m, nil)
	began := time.Now()
	var ops []plan.Op
	if kind == "curate" {
		r, err := drafting.Propose(ctx, w.View(), drafting.ProposeRequest{Files: []string{"note.md"}, DryRun: true})
		if err != nil {
			return o, err
		}
		o.Note = strings.Join(r.Notes, "; ")
		if r.Usage != nil {
			o.TokensIn, o.TokensOut = r.Usage.Input, r.Usage.Output
		}
		if r.Model != "" {
			ops = r.Operations
		}
		for _, x := range r.Report.Results {
			for _, l := range x.Losses {
				if !l.Kept {
					o.Lost = append(o.Lost, l.Item)
				}
			}
		}
	} else {
		r, err := upkeep.Dream(ctx, w, upkeep.DreamRequest{Force: true, DryRun: true})
		if err != nil {
			return o, err
		}
		o.Note = strings.Join(r.Notes, "; ")
		if r.Usage != nil {
			o.TokensIn, o.TokensOut = r.Usage.Input, r.Usage.Output
		}
		for _, s := range r.Steps {
			if s.Origin.Kind != format.OriginModel {
				o.ByRules++
				continue
			}
			ops = append(ops, plan.Op{Title: string(s.Action) + " " + strings.Join(s.Inputs, " "), Summary: s.Diff})
			o.Lost = append(o.Lost, gone(s.Diff)...)
		}
	}
	o.TotalMS = time.Since(began).Milliseconds()
	for _, op := range ops {
		op.Texts(func(_, text string) string { o.Answer += text + "\n"; return text })
	}
	switch {
	case len(ops) > 0:
		o.How, o.Operations = "shown", len(ops)
		o.Unknown = unknown(added(o.Answer), known)
	case strings.Contains(o.Note, "could not draft") && strings.Contains(o.Note, "accepted"), strings.Contains(o.Note, "was left out"):
		o.How = "kept back"
	case strings.Contains(o.Note, "could not draft"), strings.Contains(o.Note, "no help"):
		o.How = "failed"
	}
	return o, nil
}

// added are the statements that a difference adds, or all of a text that has none.
func added(text string) (out string) {
	if !strings.Contains(text, "\n@@ ") {
		return text
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "+- ") {
			out += line[3:]
		}
	}
	return out
}

// gone are the numbers, identifiers and names of the statements that a difference removes, which none of its other lines has.
func gone(diff string) []string {
	removed, rest := "", ""
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "-- ") {
			removed += line[3:]
		} else {
			rest += line
		}
	}
	return unknown(removed, rest)
}

func proposalsLine(all []outcome) string {
	how, operations, rules, invent, lose := map[string]int{}, 0, 0, 0, 0
	var total, in, out []int64
	for _, o := range all {
		how[o.How]++
		operations += o.Operations
		rules += o.ByRules
		if len(o.Unknown) > 0 {
			invent++
		}
		if len(o.Lost) > 0 && o.How == "shown" {
			lose++
		}
		total = append(total, o.TotalMS)
		in, out = append(in, int64(o.TokensIn)), append(out, int64(o.TokensOut))
	}
	return fmt.Sprintf("%5d | %14d: %10d, %12d, %4d | %7d %9d %6d | %8d | %6d %6d %5d %3d", len(all), how["shown"],
		operations, invent, lose, how["nothing"], how["kept back"], how["failed"], rules, at(total, 50), at(total, 90), at(in, 50), at(out, 50))
}
