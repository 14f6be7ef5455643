package main

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Limits of what is asked of one step.
const (
	maxSymbols   = 12 // symbols of one truth
	maxOfFiles   = 8  // files of one truth
	maxUntouched = 4
	shortest     = 5 // letters of a name
)

// symbolTruths returns the fates of the symbols in the files that a step touched.
func (g *repo) symbolTruths(ctx context.Context, s step) (out []truth, err error) {
	then, err := g.definitions(ctx, s.from)
	if err != nil {
		return nil, err
	}
	now, err := g.definitions(ctx, s.to)
	if err != nil {
		return nil, err
	}
	touched := map[string]change{}
	for _, c := range s.changes {
		if isCode(c.path) && (c.status == 'M' || c.status == 'D' || c.status == 'R') {
			touched[c.path] = c
		}
	}
	count := map[string]int{}
	for _, name := range sortedNames(then) {
		d := then[name][0]
		c, ok := touched[d.path]
		if !ok || len(then[name]) != 1 || len(name) < shortest {
			continue
		}
		before, err := g.text(ctx, s.from, d.path)
		if err != nil {
			return nil, err
		}
		body := extent(before, d.line)
		if countLines(body) < fewestOfOne || isLocal(before, d.line) {
			continue
		}
		t := truth{path: d.path, symbol: name, call: d.call}
		switch after := now[name]; {
		case len(after) == 0:
			t.kind, err = g.gone(ctx, s, name)
		case len(after) == 1:
			t, err = g.compare(ctx, s, t, c, body, after[0])
		}
		if err != nil {
			return nil, err
		}
		if t.kind != "" && count[t.kind] < maxSymbols {
			count[t.kind]++
			out = append(out, t)
		}
	}
	return out, nil
}

// sortedNames gives names in an order that does not prefer the alphabet's beginning.
func sortedNames(m map[string][]definition) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(mixed(a), mixed(b)) })
	return names
}

// compare looks at a symbol that one place defines before and one after.
func (g *repo) compare(ctx context.Context, s step, t truth, c change, body string, after definition) (truth, error) {
	home := c.path
	if c.status == 'R' {
		home = c.to
	}
	text, err := g.text(ctx, s.to, after.path)
	if err != nil {
		return t, err
	}
	if after.path != home {
		if c.status == 'M' {
			t.kind, t.to = "left", after.path
		}
		return t, nil
	}
	if t.share, err = g.share(ctx, body, extent(text, after.line)); err != nil {
		return t, err
	}
	switch {
	case t.share >= muchChanged:
		now, language := extent(text, after.line), codeExt[path.Ext(home)]
		code, err := g.share(ctx, codeOf(body, language), codeOf(now, language))
		if err != nil {
			return t, err
		}
		if code >= muchChanged && !sameCode(body, now, language) {
			t.kind = "reworked"
		}
	case t.share <= littleChanged:
		t.kind = "kept"
	}
	return t, nil
}

// gone makes sure that no line defines a name in a way that the patterns do not know.
func (g *repo) gone(ctx context.Context, s step, name string) (string, error) {
	lines, err := g.lines(ctx, "grep", "-h", "-I", "-w", "-F", name, s.to, "--")
	if err != nil && len(lines) == 0 {
		return "gone", nil
	}
	quoted := regexp.QuoteMeta(name)
	defining := regexp.MustCompile(
		`\b(def|class|func|function|fn|struct|enum|trait|interface|type|const|let|var|static|mod|macro_rules!|as|import|use)\b.*\b` +
			quoted + `\b|\b` + quoted + `\b\s*(\([^)]*\)\s*\{|[:=,}])`)
	if slices.ContainsFunc(lines, defining.MatchString) {
		return "", nil
	}
	return "gone", nil
}

// untouched takes files that no commit of the step touched.
func (g *repo) untouched(ctx context.Context, s step) (out []truth, err error) {
	files, err := g.lines(ctx, "ls-tree", "-r", "--name-only", s.from)
	if err != nil {
		return nil, err
	}
	touched := map[string]bool{}
	for _, c := range s.changes {
		touched[c.path], touched[c.to] = true, true
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(mixed(a+s.from), mixed(b+s.from)) })
	for _, f := range files {
		if len(out) < maxUntouched && isCode(f) && !touched[f] {
			out = append(out, truth{kind: "untouched", path: f})
		}
	}
	return out, nil
}

// truths are all of a step, at most so many of each kind.
func (g *repo) truths(ctx context.Context, s step) ([]truth, error) {
	files, err := g.fileTruths(ctx, s)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	files = slices.DeleteFunc(files, func(t truth) bool { count[t.kind]++; return count[t.kind] > maxOfFiles })
	rest, err := g.untouched(ctx, s)
	if err != nil {
		return nil, err
	}
	symbols, err := g.symbolTruths(ctx, s)
	return slices.Concat(files, rest, symbols), err
}
