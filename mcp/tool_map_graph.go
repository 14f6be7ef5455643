package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/locate"
)

// impactDepth is how many steps along the graph an impact includes; more would include most of a project.
const impactDepth = 3

// graph is the structured part of an answer about the graph.
type graph struct {
	File    string   `json:"file,omitempty"`
	Total   int      `json:"total"` // including those that are not listed
	Sources []source `json:"sources"`
}

// findSymbols lists definitions by name.
func findSymbols(ctx context.Context, c *call) (answer, error) {
	query := c.text("symbol")
	if query == "" {
		return answer{}, errors.New("symbol: give a name or a part of one")
	}
	if file := c.text("file"); file != "" {
		query = file + ":" + query
	}
	r, err := codemap.Symbols(ctx, c.view, codemap.SymbolsRequest{Query: query})
	if err != nil {
		return answer{}, err
	}
	parts := graph{Total: r.Total, Sources: []source{}}
	a := answer{words: words.Counted(r.Total, "definition", "definitions") + ", closest names first.\n"}
	if r.Total == 0 {
		a.words = "This code has no definition of this name. Try a part of the name, or tell brv_context what the code does.\n"
	}
	a.words += noted(r.Note)
	var b strings.Builder
	for i, s := range r.Symbols {
		name := s.Name
		if s.Container != "" {
			name = s.Container + "." + name
		}
		fmt.Fprintf(&b, "%s:%d %s %s: %s\n", sanitize.Line(s.Path, 400), s.Line, s.Kind, sanitize.Line(name, 200),
			sanitize.Line(s.Signature, 300))
		if i < maxSources {
			parts.Sources = append(parts.Sources, source{Path: sanitize.Line(s.Path, 400),
				Lines: &[2]int{s.Line, s.Line}, Reason: s.Match})
		}
	}
	a.data, a.parts = b.String(), parts
	return a, nil
}

// neighbours lists the dependents of a file, or all files that a change of it may affect.
func neighbours(ctx context.Context, c *call, impact bool) (answer, error) {
	file, note, err := c.subject(ctx)
	if err != nil {
		return answer{}, err
	}
	req := codemap.DepsRequest{Path: file, Reverse: true}
	if impact {
		req.Depth = impactDepth
	}
	r, err := codemap.Deps(ctx, c.view, req)
	if err != nil {
		return answer{}, err
	}
	parts := graph{File: file, Total: r.DependentCount, Sources: []source{}}
	var b strings.Builder
	add := func(depth int, path, reason string) {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), sanitize.Line(path, 400))
		if len(parts.Sources) < maxSources {
			parts.Sources = append(parts.Sources, source{Path: sanitize.Line(path, 400), Reason: reason})
		}
	}
	a := answer{words: note + fmt.Sprintf("%s directly on %s.\n",
		words.Counted(r.DependentCount, "file depends", "files depend"), sanitize.Line(file, 400))}
	if impact {
		var below func(codemap.DepFile, int)
		below = func(f codemap.DepFile, depth int) {
			for _, d := range f.Files {
				if !d.Repeated { // a repeated file is listed elsewhere with its dependents
					add(depth, d.Path, words.Counted(depth+1, "step", "steps")+" away")
					below(d, depth+1)
				}
			}
			if f.Left > 0 {
				b.WriteString(strings.Repeat("  ", depth) + words.Counted(f.Left, "file more\n", "files more\n"))
			}
		}
		below(r.Tree, 0)
		parts.Total = r.Reached
		a.words = note + fmt.Sprintf("A change to %s can affect %s, up to %d steps along imports; "+
			"each file is listed below one that it depends on.\n",
			sanitize.Line(file, 400), words.Counted(r.Reached, "file", "files"), impactDepth)
	} else {
		for _, p := range r.Dependents {
			add(0, p, "depends on it")
		}
	}
	if r.Elsewhere != nil && len(r.Elsewhere.UsedBy) > 0 {
		b.WriteString("In other repositories:\n")
		for _, l := range r.Elsewhere.UsedBy {
			fmt.Fprintf(&b, "  %s: %s:%d: %s %s, %s\n", sanitize.Line(l.User.Repository, 200), sanitize.Line(l.User.Path, 400), l.User.Line,
				l.Kind, sanitize.Line(l.Name, 200), l.Sure)
		}
	}
	if len(r.Together) > 0 {
		b.WriteString("Often changed in the same commits:\n")
	}
	for _, t := range r.Together {
		add(1, t.Path, "changes together with it")
	}
	a.words += noted(r.Note)
	a.data, a.parts = b.String(), parts
	return a, nil
}

// subject returns the file of a call: the named file, or the one that defines the named symbol.
func (c *call) subject(ctx context.Context) (file, note string, err error) {
	name := c.text("symbol")
	switch file = c.text("file"); {
	case file != "":
		if file, err = locate.Locate(c.view, file); err != nil {
			err = fmt.Errorf("file: %w", err)
		}
		return file, "", err
	case name == "":
		return "", "", errors.New("file: give the file or the symbol whose dependents you want")
	}
	r, err := codemap.Symbols(ctx, c.view, codemap.SymbolsRequest{Query: name, Limit: 1})
	if err != nil {
		return "", "", err
	}
	if r.Total == 0 {
		return "", "", fmt.Errorf("symbol: %s is not defined in this code", sanitize.Line(name, 200))
	}
	s := r.Symbols[0]
	note = fmt.Sprintf("%s is defined in %s:%d", sanitize.Line(s.Name, 200), sanitize.Line(s.Path, 400), s.Line)
	if r.Total > 1 {
		note += fmt.Sprintf("; show: symbols also lists %s of a similar name",
			words.Counted(r.Total-1, "definition", "definitions"))
	}
	return s.Path, note + ". Some of the files below depend only on that file; those that use the symbol contain its name.\n", nil
}
