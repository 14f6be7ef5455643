package codemap

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/imports"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// How much an overview lists.
const (
	maxListed = 50 // entry points, core modules, reasons
	maxSpecs  = 5  // imports named for a reason
)

// MapResponse describes the code of a folder.
type MapResponse struct {
	Files       int           `json:"files"`
	Tokens      int           `json:"tokens"` // an estimate
	Edges       int           `json:"edges"`  // the number of pairs of files in which one depends on the other
	Languages   []CodeShare   `json:"languages"`
	Types       []CodeShare   `json:"types"`
	EntryPoints []CodeFile    `json:"entryPoints"` // files where programs begin, and main files of packages: the 50 most important
	CoreModules []CodeFile    `json:"coreModules"` // the 50 most important files, without tests, examples and copies
	Nowhere     []ImportShare `json:"nowhere"`     // imports that lead to no file of the folder
	Partial     []CodeDefect  `json:"partial"`     // files whose symbols may be incomplete, by reason
	Skipped     []CodeDefect  `json:"skipped"`     // source files that could not be read, by reason
	Pending     int           `json:"pending"`     // the number of files that are still being parsed
	History     *CodeHistory  `json:"history"`     // null without git

	Matches       int          `json:"matches"` // the number of files that fit the task or the open file
	Ranked        []RankedFile `json:"ranked"`  // the best of these files
	BudgetTokens  int          `json:"budgetTokens"`
	OutlineTokens int          `json:"outlineTokens"`      // counted exactly (o200k_base); at most the budget
	Outline       string       `json:"outline"`            // folders, files and symbols: the most relevant or important ones
	Degraded      []string     `json:"degraded,omitempty"` // what is missing because of the deadline
	Note          string       `json:"note,omitempty"`     // why definitions, or files that match, may be missing
}

// CodeShare is the part of the code in one language or of one type.
type CodeShare struct {
	Name   string `json:"name"`
	Files  int    `json:"files"`
	Tokens int    `json:"tokens"` // an estimate
}

// CodeFile is a file of code.
type CodeFile struct {
	Path     string `json:"path"`
	Language string `json:"language"`
	Type     string `json:"type"`
	Tokens   int    `json:"tokens"` // an estimate
	// 0–1: computed from the file's type and dependents; in an overview, relative to the most important file
	Importance float64 `json:"importance"`
	Dependents int     `json:"dependents"`        // the number of files that depend on it
	Commits    int     `json:"commits,omitempty"` // the number of commits that changed it; also 0 without git
}

// ImportShare counts the imports that lead nowhere for one reason.
type ImportShare struct {
	Reason  string   `json:"reason"`
	Imports int      `json:"imports"`
	Specs   []string `json:"specs"` // the most frequent imports, as written
}

// CodeDefect is a reason why files were not read, or not completely.
type CodeDefect struct {
	Reason string   `json:"reason"`
	Files  int      `json:"files"`
	Paths  []string `json:"paths"` // all paths
	// Lines lists the parts that could not be parsed, by path: the first and last line of each.
	Lines map[string][][2]int `json:"lines,omitempty"`
}

// CodeHistory describes the folder's commits.
type CodeHistory struct {
	Commits int    `json:"commits"` // the number of commits that count: not merges, and with 1 to 60 files
	Head    string `json:"head"`
	Partial string `json:"partial,omitempty"` // why older commits are missing
}

// RankedFile is a file with its relevance.
type RankedFile struct {
	Path    string       `json:"path"`
	Score   float64      `json:"score"` // 0–1; the best file has 1
	Reason  string       `json:"reason"`
	Demoted bool         `json:"demoted,omitempty"` // the file is generated, or a test although the task is not about tests
	Signals []CodeSignal `json:"signals,omitempty"` // with `explain`: the signals above 0, the strongest first
}

// CodeSignal is one part of a score.
type CodeSignal struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`   // 0–1
	Weight  float64 `json:"weight"`  // its weight for this query
	Weighed float64 `json:"weighed"` // value × weight: what it adds to the score, before tests and generated files are ranked lower
}

// overview counts what there is.
func overview(code *codebase.RepoMap) *MapResponse {
	r := &MapResponse{
		Files: len(code.Chunks()), Tokens: code.TotalTokens(), Pending: code.Pending(),
		EntryPoints: codeFiles(code, code.EntryPoints()), CoreModules: codeFiles(code, code.Central()),
	}
	languages, types := map[string]CodeShare{}, map[string]CodeShare{}
	partial, skipped := map[string]*CodeDefect{}, map[string]*CodeDefect{}
	nowhere := map[imports.Reason]map[string]int{}
	for _, c := range code.Chunks() {
		addShare(languages, codeLanguage(c), c.Tokens)
		addShare(types, string(c.Type), c.Tokens)
		r.Edges += len(code.Dependencies(c.Path))
		if c.Partial != "" && !c.Pending() {
			addDefect(partial, c.Partial, c.Path, c.Lost...)
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
	out := slices.AppendSeq([]CodeShare{}, maps.Values(all))
	slices.SortFunc(out, func(a, b CodeShare) int { return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Name, b.Name)) })
	return out
}

func addDefect(all map[string]*CodeDefect, reason, path string, lost ...syntax.Span) {
	d := all[reason]
	if d == nil {
		d = &CodeDefect{Reason: reason}
		all[reason] = d
	}
	d.Files++
	d.Paths = append(d.Paths, path)
	for _, s := range lost {
		if d.Lines == nil {
			d.Lines = map[string][][2]int{}
		}
		d.Lines[path] = append(d.Lines[path], [2]int{s.Start, s.End})
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
func codeFiles(code *codebase.RepoMap, chunks []*codebase.Chunk) []CodeFile {
	out := []CodeFile{}
	for _, c := range chunks[:min(len(chunks), maxListed)] {
		f := codeFile(code, c)
		f.Importance = math.Round(100*code.Standing(c.Path)) / 100
		out = append(out, f)
	}
	return out
}

func codeFile(code *codebase.RepoMap, c *codebase.Chunk) CodeFile {
	return CodeFile{
		Path: c.Path, Language: codeLanguage(c), Type: string(c.Type), Tokens: c.Tokens,
		Importance: c.Importance, Dependents: len(code.Dependents(c.Path)),
		Commits: code.History().Changes(c.Path),
	}
}
