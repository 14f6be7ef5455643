package pack

import (
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// bytesPerToken is the most that a token holds in ordinary text: a larger text is
// not worth rendering.
const bytesPerToken = 12

// What it costs to show an excerpt beside its text, in tokens: its line numbers in
// the heading and an elision; and what a heading and a fence cost.
const (
	excerptPrice = 7
	headingPrice = 22
)

// partialFiles is how many of the best files are offered in signatures and excerpts. Of
// gold bodies in the best 40 files 89 % are in the first 5 and 98 % in the first 16; and
// for as many files the share of signatures leaves no more than 51 tokens each up to a
// budget of 8,192, where a heading and a fence alone cost some 20.
func partialFiles(budget int) int { return 8 + budget/256 }

// fileForms gives a file each form that its symbols and the budget allow. The rank
// counts the files before it.
func fileForms(m *codebase.RepoMap, estimate func(string) int, task Task, c *candidate, rank int) {
	ranked := m.RankSymbols(task.query(), c.path)
	if c.path == task.File {
		ranked = cursorFirst(ranked, task.Offset)
	}
	right := codebase.FileChance(rank, c.score)
	c.worth = right
	c.forms = []form{{form: FormOutline, block: outlineLine(c.path, ranked), gain: right * gainOutline}}
	text, err := m.Read(c.path)
	if err != nil || strings.TrimSpace(text) == "" {
		return
	}
	c.worth = right * (gainSignatures + gainWhole)
	chunk, _ := m.Chunk(c.path)
	price := 0 // of the whole text, where the map knows it
	if len(text) == chunk.Size {
		price = chunk.Tokens + headingPrice
	}
	if rank < partialFiles(task.Budget) && codebase.HashOf(text) == chunk.Hash {
		s := source{path: c.path, text: text, language: chunk.Language, ranked: fitting(ranked, text)}
		excerpts := m.Excerpts(s.ranked, task.query(), c.path, text, rank, c.score)
		c.worth += s.take(excerpts, task, float64(chunk.Tokens)/float64(len(text)))
		c.forms = append(c.forms, s.partial(estimate, right, task.Budget)...)
	}
	if len(text) <= task.Budget*bytesPerToken {
		c.forms = append(c.forms, form{form: FormFull, gain: c.worth, price: price, draw: func() form { return wholeFile(c.path, text, chunk.Language) }})
	}
}

// wholeFile renders all of a file.
func wholeFile(path, text string, language syntax.Language) form {
	lines := linesOf(text, 0, len(text))
	head := "### " + code(path+":"+ranges([][2]int{lines})) + "\n"
	return form{form: FormFull, block: head + fenced(string(language), text), lines: lines}
}

// atCursor is the chance that a change touches what the cursor is in.
const atCursor = 0.9

// cursorFirst puts the smallest symbol around the cursor before all others.
func cursorFirst(ranked []codebase.RankedSymbol, offset int) []codebase.RankedSymbol {
	at := -1
	for i, r := range ranked {
		around := r.Symbol.Range.Start <= offset && offset <= r.Symbol.Range.End
		if around && (at < 0 || r.Symbol.Range.Len() < ranked[at].Symbol.Range.Len()) {
			at = i
		}
	}
	if at < 0 {
		return ranked
	}
	first := ranked[at]
	first.Score = 1
	rest := slices.Delete(slices.Clone(ranked), at, at+1)
	return append([]codebase.RankedSymbol{first}, rest...)
}

// maxNames is how many names an outline line shows.
const maxNames = 4

func outlineLine(file string, ranked []codebase.RankedSymbol) string {
	line := "- " + code(file)
	var names []string
	for _, r := range ranked {
		if len(names) == maxNames {
			break
		}
		if r.Score <= 0 {
			continue
		}
		if name := oneLine(r.Symbol.Name, maxTitle); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		line += ": " + strings.Join(names, ", ")
	}
	return line
}

// fitting keeps symbols whose positions lie in the text.
func fitting(ranked []codebase.RankedSymbol, text string) []codebase.RankedSymbol {
	return slices.DeleteFunc(slices.Clone(ranked), func(r codebase.RankedSymbol) bool {
		s := r.Symbol.Range
		return s.Start < 0 || s.End > len(text) || s.Start >= s.End
	})
}
