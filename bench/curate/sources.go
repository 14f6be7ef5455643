package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/curate"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// draftSources drafts the Markdown documents and some definitions of the repository, and lists
// what becomes of each.
func (p *project) draftSources(ctx context.Context, o options) error {
	all, err := p.documents(ctx)
	if err != nil {
		return err
	}
	some, err := p.selections(o)
	if err != nil {
		return err
	}
	fmt.Printf("| source | title | becomes | sensible |\n|---|---|---|---|\n")
	counts := map[string]int{}
	whole := p.store.Snapshot()
	for _, s := range slices.Concat(all, some) {
		// The tree is made of documents: without what it has of this one.
		drop := map[string]*format.Entry{}
		for _, e := range whole.Entries() {
			if s.Kind == curate.KindMarkdown && len(e.Files) > 0 && e.Files[0].Path == s.Path {
				drop[e.Path] = nil
			}
		}
		snap := whole.Update(drop)
		m := curate.Material{Sources: []curate.Source{s}}
		made, err := p.proposeOn(ctx, snap, nil, m)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
		title, becomes := "", "nothing: "+strings.Join(made.Notes, "; ")
		kind := "nothing"
		switch {
		case len(made.Undecided) > 0:
			title, kind, becomes = made.Undecided[0].Title, "asks", "asks: "+choices(made.Undecided[0].Choices)
		case len(made.Ops) > 0:
			op := made.Ops[0]
			dir := strings.TrimSuffix(op.Path, path.Base(op.Path)+"/")
			if strings.HasSuffix(op.Path, ".md") {
				dir = path.Dir(op.Path)
			}
			there := slices.ContainsFunc(snap.Entries(), func(e *format.Entry) bool {
				return e.Role == format.RoleEntry &&
					path.Dir(e.Path) == dir
			})
			switch title = op.Title; {
			case op.Type == plan.OpUpdate:
				kind, becomes = "updates", "updates "+op.Path
			case there:
				kind, becomes = "lands", "lands in "+dir
			default:
				kind, becomes = "new topic", "new topic "+dir
			}
			if n := len(made.Ops); n > 1 {
				becomes += fmt.Sprintf(" (%d operations)", n)
			}
		}
		counts[kind]++
		name := s.Path
		if s.Kind == curate.KindSelection {
			name = fmt.Sprintf("%s:%d-%d", s.Path, s.StartLine, s.EndLine)
		}
		fmt.Printf("| %s | %s | %s | |\n", name, cell(title), cell(becomes))
	}
	fmt.Printf("\n%d documents and %d selections: %v.\n", len(all), len(some), counts)
	return nil
}

// documents are the Markdown documents of HEAD that say something for people.
func (p *project) documents(ctx context.Context) (out []curate.Source, err error) {
	head, err := p.repo.Head()
	if err != nil {
		return nil, err
	}
	files, err := p.repo.Files(ctx, head, 100_000)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if path.Ext(f) != ".md" || strings.HasPrefix(f, ".") || strings.Contains(f, "/.") || strings.Contains(f, "testdata/") ||
			strings.HasPrefix(f, "bench/runs/") {
			continue
		}
		text, err := p.root.ReadFile(f, 1<<20)
		if err != nil {
			return nil, err
		}
		out = append(out, curate.Source{Path: f, Kind: curate.KindMarkdown, Text: string(text)})
	}
	return out, nil
}

// Definitions that are drafted: so many lines, so that there is something to keep.
const leastLines, mostLines = 6, 60

// selections are definitions of the code, taken evenly from all in order of path.
func (p *project) selections(o options) (out []curate.Source, err error) {
	type definition struct {
		chunk  *codebase.Chunk
		symbol syntax.Symbol
	}
	var all []definition
	for _, c := range p.code.Chunks() {
		if c.Type == codebase.Test || c.Origin != "" || c.Language == "" || strings.HasPrefix(c.Path, "docs/") ||
			strings.HasPrefix(c.Path, "examples/") {
			continue
		}
		for _, s := range c.Symbols() {
			if s.Kind.IsType() || s.Exported && s.Kind != codebase.Block {
				all = append(all, definition{c, s})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b definition) int { return strings.Compare(a.chunk.Path, b.chunk.Path) })
	var texts []curate.Source
	for _, d := range all {
		text, err := p.root.ReadFile(d.chunk.Path, 1<<20)
		if err != nil {
			return nil, err
		}
		at := d.symbol.Range
		s := curate.Source{Path: d.chunk.Path, Kind: curate.KindSelection, Text: string(text[at.Start:at.End]),
			Language:  string(d.chunk.Language),
			StartLine: 1 + strings.Count(string(text[:at.Start]), "\n"), EndLine: 1 + strings.Count(string(text[:at.End]), "\n"),
			Symbols: []string{d.symbol.Name}}
		if n := s.EndLine - s.StartLine; n >= leastLines && n <= mostLines {
			texts = append(texts, s)
		}
	}
	for k := range min(o.commits, len(texts)) {
		out = append(out, texts[k*len(texts)/min(o.commits, len(texts))])
	}
	return out, nil
}
