package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/sanitize"
	"github.com/brv-lsp/brv-lsp/internal/words"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/codemap"
)

// The number of items that the text of a map shows of each list. JSON has more.
const (
	shownFiles   = 10 // what matters most, and entry points
	shownDefects = 5  // reasons why files are not, or not completely, read
	shownPaths   = 10 // files for each reason, and parts of a file
	textWidth    = 110
)

func mapCode(ctx context.Context, f *flags, req *codemap.MapRequest, _ env) (answer, error) {
	f.opts.NoTree, f.opts.CodeScan = true, true
	root := ""
	return asks(ctx, f, func(ctx context.Context, v *workspace.View, req codemap.MapRequest) (*codemap.MapResponse, error) {
		root = v.Workspace().Root()
		return codemap.Map(ctx, v, req)
	}, req, func(r *codemap.MapResponse) (string, int) { return drawMap(r, req, root), exitOK })
}

func drawMap(r *codemap.MapResponse, req *codemap.MapRequest, root string) string {
	var b strings.Builder
	if r.Files == 0 {
		sayf(&b, "No source code found in %s: no supported language is used, or git ignores all the files.\n", root)
		drawNote(&b, r.Note)
		drawUnread(&b, r)
		return b.String()
	}
	sayf(&b, "%s, about %s tokens, %s\n", words.Counted(r.Files, "file", "files"), grouped(r.Tokens),
		words.Counted(r.Edges, "dependency", "dependencies"))
	if req.Task == "" && req.Path == "" {
		drawOverview(&b, r)
	} else {
		drawUnread(&b, r)
		drawRanked(&b, r, req)
	}
	if r.Outline == "" {
		sayf(&b, "\nNo outline fits into %d tokens; give a larger --budget.\n", r.BudgetTokens)
		return b.String()
	}
	sayf(&b, "\nOutline, %s of %s tokens:\n%s", grouped(r.OutlineTokens), grouped(r.BudgetTokens), passage(r.Outline))
	return b.String()
}

func drawOverview(b *strings.Builder, r *codemap.MapResponse) {
	if r.History != nil {
		sayf(b, "History: %s", words.Counted(r.History.Commits, "commit", "commits"))
		if r.History.Partial != "" {
			sayf(b, "; incomplete: %s", r.History.Partial)
		}
		b.WriteByte('\n')
	}
	drawUnread(b, r)
	drawShares(b, "Language", r.Languages)
	drawShares(b, "Type", r.Types)
	drawFiles(b, "Most important files", r.CoreModules)
	drawFiles(b, "Entry points", r.EntryPoints)
	if len(r.Nowhere) > 0 {
		b.WriteString("\nImports that do not resolve to a file here:\n")
	}
	for _, s := range r.Nowhere {
		b.WriteString(sanitize.Short(textf("  %-10s %7s  %s", s.Reason, grouped(s.Imports), strings.Join(s.Specs, ", ")), textWidth) + "\n")
	}
}

// drawUnread writes which code was not read: pending files, and files with defects.
func drawUnread(b *strings.Builder, r *codemap.MapResponse) {
	if r.Pending > 0 {
		sayf(b, "The symbols of %s are still being read.\n", words.Counted(r.Pending, "file", "files"))
	}
	list := func(title string, defects []codemap.CodeDefect) {
		for _, d := range defects[:min(len(defects), shownDefects)] {
			sayf(b, "%s: %s, %s:\n", title, words.Counted(d.Files, "file", "files"), d.Reason)
			drawSome(b, d.Paths, shownPaths, "  … and %d more; --json lists all", func(p string) string {
				return textf("  %s%s", p, linesOf(d.Lines[p]))
			})
		}
		if left := len(defects) - shownDefects; left > 0 {
			sayf(b, "%s: … and %s; --json lists all\n", title, words.Counted(left, "more reason", "more reasons"))
		}
	}
	list("Read in part", r.Partial)
	list("Not read", r.Skipped)
}

// linesOf names the first few of a file's line ranges.
func linesOf(lines [][2]int) string {
	var said []string
	for i, l := range lines {
		switch {
		case i == shownPaths:
			said = append(said, "…")
		case l[0] == l[1] && i < shownPaths:
			said = append(said, strconv.Itoa(l[0]))
		case i < shownPaths:
			said = append(said, fmt.Sprintf("%d-%d", l[0], l[1]))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return ":" + strings.Join(said, ",")
}

func drawShares(b *strings.Builder, title string, shares []codemap.CodeShare) {
	sayf(b, "\n%-14s %7s %12s\n", title, "files", "tokens")
	for _, s := range shares {
		sayf(b, "  %-12s %7s %12s\n", s.Name, grouped(s.Files), grouped(s.Tokens))
	}
}

func drawFiles(b *strings.Builder, title string, files []codemap.CodeFile) {
	if len(files) == 0 {
		return
	}
	sayf(b, "\n%s: importance, dependents, commits\n", title)
	for _, f := range files[:min(len(files), shownFiles)] {
		sayf(b, "  %.2f %4d %4d  %s\n", f.Importance, f.Dependents, f.Commits, f.Path)
	}
}

func drawRanked(b *strings.Builder, r *codemap.MapResponse, req *codemap.MapRequest) {
	about := "the task"
	if req.Task == "" {
		about = req.Path
	} else if req.Path != "" {
		about += " in " + req.Path
	}
	if len(r.Ranked) == 0 {
		sayf(b, "\nNo file matches %s. Use words from the code, or name a file with --file.\n", about)
		drawNote(b, r.Note)
		return
	}
	sayf(b, "\nBest matches for %s (%d of %s):\n", about, len(r.Ranked), words.Counted(r.Matches, "file", "files"))
	for _, f := range r.Ranked {
		reason := f.Reason
		if f.Demoted {
			reason = strings.TrimPrefix(reason+"; ranked lower: test, data or generated file", "; ")
		}
		sayf(b, "  %.2f  %s\n", f.Score, f.Path)
		if reason != "" {
			b.WriteString("        " + sanitize.Short(reason, textWidth-8) + "\n")
		}
		if len(f.Signals) > 0 {
			drawSignals(b, f.Signals)
		}
	}
}

// drawSignals lists what each signal adds to a score, in lines of bounded width.
func drawSignals(b *strings.Builder, signals []codemap.CodeSignal) {
	line := "       "
	for _, s := range signals {
		part := fmt.Sprintf(" %s %.2f,", s.Name, s.Weighed)
		if len(line)+len(part) > textWidth {
			b.WriteString(line + "\n")
			line = "       "
		}
		line += part
	}
	b.WriteString(strings.TrimSuffix(line, ",") + "\n")
}

// grouped writes a number with a comma before each group of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
