package pack

import (
	"cmp"
	"context"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/tree"
)

// How many of each are looked at. At 1,000 tokens a list of 40 paths holds 98 %
// of the files that an issue's fix touches (own measurement, SWE-bench Lite).
const (
	maxHits  = 32
	maxFiles = 60
)

// What a connection is worth: a candidate that leads to another passes this part
// of its own score on. They order what words alone cannot; 0.5 keeps what is
// linked below what was asked for.
const (
	viaLink     = 0.5
	viaRelation = 0.25
	openFile    = 0.7
)

// leading is how many of the best of one kind pass their score on, and minScore
// is what an entry must reach to be a candidate at all.
const (
	leading  = 8
	minScore = 0.1
)

// candidate is an entry or a file that may go into the pack.
type candidate struct {
	kind   Kind
	path   string
	score  float64
	reason string
	worth  float64 // of a file: the value of its best form
	forms  []form  // from the cheapest
}

// scores collects what speaks for each path of one kind.
type scores map[string]*candidate

// add raises a score as if the reasons were independent, so that it stays below
// one, and keeps the reason that said most.
func (s scores) add(kind Kind, path string, score float64, reason string) {
	c := s[path]
	if c == nil {
		c = &candidate{kind: kind, path: path}
		s[path] = c
	}
	if score > c.score {
		c.reason = reason
	}
	c.score = 1 - (1-c.score)*(1-max(0, min(score, 1)))
}

// best returns the candidates in order of score, at most n.
func (s scores) best(n int) []*candidate {
	out := make([]*candidate, 0, len(s))
	for _, c := range s {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path))
	})
	return out[:min(n, len(out))]
}

// gather finds the candidates with all their forms, best first, entries before
// files.
func gather(ctx context.Context, in Inputs, task Task) ([]*candidate, error) {
	hits, err := in.Search(ctx, task.Text, maxHits)
	if err != nil {
		return nil, err
	}
	entries, files := scores{}, scores{}
	passages := map[string]tree.Span{}
	for _, h := range hits {
		entries.add(KindEntry, h.Path, h.Score, "found by the task's words")
		passages[h.Path] = h.Passage
	}
	rankFiles(in.Code, task, files)
	openedFile(in, task, entries, files)
	connect(in, entries, files)

	var out []*candidate
	for _, c := range entries.best(maxHits) {
		e, ok := in.Tree.Entry(c.path)
		if !ok || c.score < minScore || !e.Role.Searchable() {
			continue
		}
		c.forms = entryForms(e, passages[c.path])
		out = append(out, c)
	}
	for rank, c := range files.best(maxFiles) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fileForms(in.Code, in.Estimate, task, c, rank)
		out = append(out, c)
	}
	return out, nil
}

// rankFiles scores files by relevance, or by their place in the order that
// another strategy gives.
func rankFiles(code *codebase.RepoMap, task Task, files scores) {
	if task.Strategy == "" || task.Strategy == codebase.RelevanceFirst {
		n := 0
		for _, r := range code.Rank(task.query()) {
			if n == maxFiles {
				break
			}
			if wanted(code, task, r.Path) {
				files.add(KindCode, r.Path, r.Score*0.95, r.Reason)
				n++
			}
		}
		return
	}
	ordered := code.Order(codebase.SelectRequest{
		Query: task.query(), Strategy: task.Strategy, IncludeTypes: true, IncludeTests: task.IncludeTests,
	})
	for i, c := range ordered[:min(maxFiles, len(ordered))] {
		files.add(KindCode, c.Path, 0.95/(1+float64(i)/10), string(task.Strategy))
	}
}

// wanted leaves tests out unless they are asked for or open.
func wanted(code *codebase.RepoMap, task Task, path string) bool {
	c, ok := code.Chunk(path)
	return ok && (c.Type != codebase.Test || task.IncludeTests || path == task.File)
}

// openedFile lets the open file speak for itself and for the entries about it; the
// ranking knows the files around it.
func openedFile(in Inputs, task Task, entries, files scores) {
	if _, ok := in.Code.Chunk(task.File); !ok {
		return
	}
	files.add(KindCode, task.File, openFile, "open in the editor")
	for _, r := range in.Links.About(task.File, "") {
		entries.add(KindEntry, r.Entry, openFile*r.Strength*viaLink, r.Reason)
	}
}

// push is a part of a score on its way to another candidate.
type push struct {
	path, reason string
	score        float64
}

// connect passes the scores of the best files and entries on to each other, and
// then those of the entries along their relations. Each step starts from the
// scores before it, so that order plays no part.
func connect(in Inputs, entries, files scores) {
	var toEntries, toFiles, related []push
	for _, c := range files.best(leading) {
		for _, r := range in.Links.About(c.path, "") {
			toEntries = append(toEntries, push{r.Entry, c.path + ": " + r.Reason, c.score * r.Strength * viaLink})
		}
	}
	for _, c := range entries.best(leading) {
		toFiles = append(toFiles, namedBy(in, c)...)
	}
	entries.take(KindEntry, toEntries)
	files.take(KindCode, toFiles)
	for _, c := range entries.best(leading) {
		for _, r := range in.Tree.Relations(c.path) {
			if r.Target != "" {
				related = append(related, push{r.Target, "related to " + c.path, c.score * viaRelation})
			}
		}
	}
	entries.take(KindEntry, related)
}

// namedBy lists the files that an entry speaks of, each once.
func namedBy(in Inputs, c *candidate) (out []push) {
	said := map[string]float64{}
	for _, r := range in.Links.Of(c.path) {
		if _, mapped := in.Code.Chunk(r.Path); mapped {
			said[r.Path] = max(said[r.Path], r.Strength)
		}
	}
	for path, strength := range said {
		out = append(out, push{path, "named by " + c.path, c.score * strength * viaLink})
	}
	return out
}

// take adds pushes in a fixed order, on which sums of floats depend.
func (s scores) take(kind Kind, pushes []push) {
	slices.SortFunc(pushes, func(a, b push) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(b.score, a.score), cmp.Compare(a.reason, b.reason))
	})
	for _, p := range pushes {
		s.add(kind, p.path, p.score, p.reason)
	}
}
