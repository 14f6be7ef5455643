package codemap

import (
	"cmp"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
)

// overview counts what there is.
func overview(code *codebase.RepoMap) *MapResponse {
	r := &MapResponse{
		Files: len(code.Chunks()), Tokens: code.TotalTokens(), Pending: code.Pending(),
		EntryPoints: codeFiles(code, code.EntryPoints()), CoreModules: codeFiles(code, code.CoreModules()),
	}
	languages, types := map[string]CodeShare{}, map[string]CodeShare{}
	partial, skipped := map[string]*CodeDefect{}, map[string]*CodeDefect{}
	nowhere := map[imports.Reason]map[string]int{}
	for _, c := range code.Chunks() {
		addShare(languages, codeLanguage(c), c.Tokens)
		addShare(types, string(c.Type), c.Tokens)
		r.Edges += len(code.Dependencies(c.Path))
		if c.Partial != "" && !c.Pending() {
			addDefect(partial, c.Partial, c.Path)
		}
		for _, i := range c.Imports() {
			if len(i.Paths) > 0 {
				continue
			}
			if nowhere[i.Reason] == nil {
				nowhere[i.Reason] = map[string]int{}
			}
			nowhere[i.Reason][i.Spec]++
		}
	}
	for _, s := range code.Skipped() {
		addDefect(skipped, s.Reason, s.Path)
	}
	r.Partial, r.Skipped = defects(partial), defects(skipped)
	r.Languages, r.Types, r.Nowhere = shares(languages), shares(types), importShares(nowhere)
	if h := code.History(); h != nil {
		r.History = &CodeHistory{Commits: h.Len(), Head: h.Head(), Partial: h.Partial()}
	}
	return r
}

// codeLanguage names a file's language; that of files without syntax is "other".
func codeLanguage(c *codebase.Chunk) string { return cmp.Or(string(c.Language), "other") }

func addShare(all map[string]CodeShare, name string, tokens int) {
	s := all[name]
	all[name] = CodeShare{name, s.Files + 1, s.Tokens + tokens}
}

// shares orders by files, the most first.
func shares(all map[string]CodeShare) []CodeShare {
	out := make([]CodeShare, 0, len(all))
	for _, s := range all {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b CodeShare) int { return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Name, b.Name)) })
	return out
}

func addDefect(all map[string]*CodeDefect, reason, path string) {
	d := all[reason]
	if d == nil {
		d = &CodeDefect{Reason: reason}
		all[reason] = d
	}
	d.Files++
	if len(d.Paths) < maxSpecs {
		d.Paths = append(d.Paths, path)
	}
}

// defects orders by files, the most first, at most 50.
func defects(all map[string]*CodeDefect) []CodeDefect {
	out := make([]CodeDefect, 0, len(all))
	for _, d := range all {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b CodeDefect) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Reason, b.Reason))
	})
	return out[:min(len(out), maxListed)]
}

// importShares orders by imports, the most first.
func importShares(all map[imports.Reason]map[string]int) []ImportShare {
	out := make([]ImportShare, 0, len(all))
	for reason, specs := range all {
		s := ImportShare{Reason: string(reason)}
		for spec, n := range specs {
			s.Imports += n
			s.Specs = append(s.Specs, spec)
		}
		slices.SortFunc(s.Specs, func(a, b string) int { return cmp.Or(cmp.Compare(specs[b], specs[a]), cmp.Compare(a, b)) })
		s.Specs = s.Specs[:min(len(s.Specs), maxSpecs)]
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b ImportShare) int {
		return cmp.Or(cmp.Compare(b.Imports, a.Imports), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// codeFiles describes the first of several files.
func codeFiles(code *codebase.RepoMap, paths []string) []CodeFile {
	out := []CodeFile{}
	for _, p := range paths[:min(len(paths), maxListed)] {
		if c, ok := code.Chunk(p); ok {
			out = append(out, codeFile(code, c))
		}
	}
	return out
}

func codeFile(code *codebase.RepoMap, c *codebase.Chunk) CodeFile {
	return CodeFile{
		Path: c.Path, Language: codeLanguage(c), Type: string(c.Type), Tokens: c.Tokens,
		Importance: c.Importance, Dependents: len(code.Dependents(c.Path)),
	}
}
