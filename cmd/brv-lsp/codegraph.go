package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
	"github.com/brv-lsp/brv-lsp/workspace/elsewhere"
)

// shownNeighbours is how many files the text lists of each kind; JSON has more.
const shownNeighbours = 30

// depsOptions are the command line of deps.
type depsOptions struct{ codemap.DepsRequest }

func (o *depsOptions) declare(f *flags) { f.neighbours() }

func deps(ctx context.Context, f *flags, o *depsOptions, _ env) (answer, error) {
	req := &o.DepsRequest
	f.opts.NoTree, f.opts.CodeScan = true, true
	f.opened = append(f.opened, func(w *workspace.Workspace) (err error) {
		req.Path, err = inFolder(w, f.words[0])
		return err
	})
	return asks(ctx, f, codemap.Deps, req, func(r *codemap.DepsResponse) (string, int) { return drawDeps(r, req), exitOK })
}

func drawDeps(r *codemap.DepsResponse, req *codemap.DepsRequest) string {
	var b strings.Builder
	f := r.File
	sayf(&b, "%s: %s, %s, importance %.2f, about %s tokens\n", f.Path, f.Language, strings.ReplaceAll(f.Type, "_", " "),
		f.Importance, grouped(f.Tokens))
	drawNote(&b, r.Note)
	if r.Note == "" && !req.Reverse {
		drawImports(&b, r)
		drawPaths(&b, "Depends on, in the same package", r.SamePackage, len(r.SamePackage))
	}
	switch {
	case req.Depth > 1 && req.Reverse:
		drawTree(&b, fmt.Sprintf("Dependents, %d levels deep", req.Depth), r.Tree)
	case req.Depth > 1:
		drawTree(&b, fmt.Sprintf("Dependencies, %d levels deep", req.Depth), r.Tree)
	}
	if !req.Reverse || req.Depth <= 1 {
		drawPaths(&b, "Dependents", r.Dependents, r.DependentCount)
	}
	if r.DependentCount == 0 && r.Note == "" {
		b.WriteString("\nNo file depends on this file.\n")
	}
	drawElsewhere(&b, r.Elsewhere)
	if len(r.Together) > 0 {
		b.WriteString("\nChanges together with:\n")
	}
	for _, t := range r.Together {
		sayf(&b, "  %5.2f  %s\n", t.Score, t.Path)
	}
	return b.String()
}

// drawNote says why something may be missing from an answer.
func drawNote(b *strings.Builder, note string) {
	if note != "" {
		sayf(b, "Note: %s.\n", note)
	}
}

func drawImports(b *strings.Builder, r *codemap.DepsResponse) {
	if len(r.Imports) == 0 {
		b.WriteString("\nThe file imports nothing.\n")
		return
	}
	sayf(b, "\nImports (%d), with line and file:\n", len(r.Imports))
	for _, i := range r.Imports {
		line := ""
		if i.Line > 0 {
			line = fmt.Sprint(i.Line)
		}
		what := i.Spec
		if len(i.Names) > 0 {
			what += " (" + strings.Join(i.Names, ", ") + ")"
		}
		sayf(b, "%6s  %s", line, sanitize.Short(what, 80))
		if i.Reason != "" {
			sayf(b, ": %s", i.Reason)
		}
		b.WriteByte('\n')
		drawSome(b, i.Files, shownNeighbours, "          … %d more", func(p string) string { return textf("          %s", p) })
	}
}

func drawPaths(b *strings.Builder, title string, paths []string, total int) {
	if total == 0 {
		return
	}
	sayf(b, "\n%s (%d):\n", title, total)
	for _, p := range paths[:min(len(paths), shownNeighbours)] {
		sayf(b, "  %s\n", p)
	}
	if left := total - shownNeighbours; left > 0 {
		sayf(b, "  … %d more\n", left)
	}
}

// drawElsewhere lists a file's links with other repositories.
func drawElsewhere(b *strings.Builder, l *elsewhere.Links) {
	if l == nil {
		return
	}
	draw := func(title string, links []elsewhere.Link, far func(elsewhere.Link) (there, here elsewhere.Place)) {
		if len(links) > 0 {
			sayf(b, "\n%s (%d):\n", title, len(links))
		}
		drawSome(b, links, shownNeighbours, "  … %d more", func(x elsewhere.Link) string {
			there, here := far(x)
			at := ""
			if here.Line > 0 {
				at = fmt.Sprintf(" (line %d here)", here.Line)
			}
			return textf("  %s: %s  %s: %s, %s%s", there.Repository, placeText(there), x.Kind, sanitize.Short(x.Name, 80), x.Sure, at)
		})
	}
	draw("Used by other repositories", l.UsedBy, func(x elsewhere.Link) (there, here elsewhere.Place) { return x.User, x.Used })
	draw("Uses other repositories", l.Uses, func(x elsewhere.Link) (there, here elsewhere.Place) { return x.Used, x.User })
	if len(l.UsedBy)+len(l.Uses) == 0 && len(l.Repositories) > 0 {
		sayf(b, "\nThis file uses nothing in %s, and nothing there uses this file.\n", strings.Join(l.Repositories, ", "))
	}
	if len(l.Unread) > 0 {
		sayf(b, "\nNot read: %s.\n", strings.Join(l.Unread, ", "))
	}
}

// placeText writes a place as FILE:LINE.
func placeText(p elsewhere.Place) string {
	if p.Line == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s:%d", p.Path, p.Line)
}

func drawTree(b *strings.Builder, title string, root codemap.DepFile) {
	if len(root.Files) == 0 {
		return
	}
	sayf(b, "\n%s; * marks repeated files:\n", title)
	drawBelow(b, root, "  ")
}

func drawBelow(b *strings.Builder, f codemap.DepFile, indent string) {
	for _, c := range f.Files {
		mark := ""
		if c.Repeated {
			mark = " *"
		}
		sayf(b, "%s%s%s\n", indent, c.Path, mark)
		drawBelow(b, c, indent+"  ")
	}
	if f.Left > 0 {
		sayf(b, "%s… %d more\n", indent, f.Left)
	}
}

func symbols(ctx context.Context, f *flags, req *codemap.SymbolsRequest, _ env) (answer, error) {
	f.opts.NoTree, f.opts.CodeScan = true, true
	req.Query = strings.Join(f.words, " ")
	return asks(ctx, f, codemap.Symbols, req, func(r *codemap.SymbolsResponse) (string, int) {
		if r.Total == 0 {
			return drawSymbols(r, req), exitOutOfDomain
		}
		return drawSymbols(r, req), exitOK
	})
}

// matchTitles are the headings of the matches.
var matchTitles = map[string]string{
	"exact": "The name", "same": "The same name, apart from case and separators", "prefix": "Names that begin with the name",
	"words": "Names with the same words", "part": "Names that contain the name",
}

func drawSymbols(r *codemap.SymbolsResponse, req *codemap.SymbolsRequest) string {
	var b strings.Builder
	last := ""
	for _, s := range r.Symbols {
		if s.Match != last {
			if last != "" {
				b.WriteByte('\n')
			}
			sayf(&b, "%s:\n", matchTitles[s.Match])
			last = s.Match
		}
		exported := ""
		if s.Exported {
			exported = "exported "
		}
		name := strings.TrimPrefix(s.Container+"."+s.Name, ".")
		sayf(&b, "  %s:%d: %s%s %s\n", s.Path, s.Line, exported, s.Kind, sanitize.Short(name, 80))
		if s.Signature != "" {
			sayf(&b, "      %s\n", sanitize.Short(s.Signature, textWidth-6))
		}
	}
	drawNote(&b, r.Note)
	switch {
	case r.Total == 0:
		sayf(
			&b, "No definition has a name like %q. To find files by their words, run `brv-lsp map --task %q`.\n",
			sanitize.Short(req.Query, 60), sanitize.Short(path.Base(req.Query), 60))
	case r.Left > 0:
		sayf(&b, "… %s more; to list them, add --limit %d (at most %s)\n", grouped(r.Left), min(r.Total, codemap.MaxSymbols),
			grouped(codemap.MaxSymbols))
	}
	return b.String()
}
