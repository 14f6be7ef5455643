package pack

import (
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// excerptPrice is the overhead of an excerpt, in tokens: its line numbers in the heading and an elision.
const excerptPrice = 7

// partialFiles is the number of best files that are offered in signatures and excerpts. Of the gold bodies in
// the best 40 files 89 % are in the first 5 and 98 % in the first 16. With that many files the share of
// signatures leaves at most 51 tokens each up to a budget of 8,192, and a heading and a fence alone cost some
// 20.
func partialFiles(budget int) int { return 8 + budget/256 }

// cutPerByte is the approximate time for cutting a file into excerpts and writing some of them.
const cutPerByte = 100 * time.Nanosecond

// fileForms gives a file all forms that its symbols, the budget and the deadline allow. The place is the
// number of files before it.
func (b *maker) fileForms(c *candidate, place int) {
	spots := b.spots[c.path]
	c.worth = c.chance * gainOutline
	line := form{form: FormOutline, gain: c.worth, shows: &block{kind: KindCode, form: FormOutline, source: c.path}}
	c.forms = []form{line}
	if b.outOfTime(noForms) {
		return
	}
	chunk, _ := b.in.Code.Chunk(c.path)
	partial := place < partialFiles(b.task.Budget)
	if partial && b.left() < time.Duration(chunk.Size)*cutPerByte {
		b.without(noBodies)
		partial = false
	}
	src := b.memory.source(b, c.path, partial)
	ranked := spotsFirst(src.ranked, spots)
	names := outlineNames(ranked)
	c.forms[0].shows.text, c.forms[0].shows.symbols = strings.Join(names, ", "), names
	if strings.TrimSpace(src.text) == "" {
		return
	}
	c.worth = c.chance * (gainSignature + gainWhole)
	price := 0 // of the whole text, if the map knows it
	if len(src.text) == src.size {
		price = src.tokens + headingTokens
	}
	if src.parts != nil && !b.outOfTime(noBodies) {
		s := *src
		s.ranked = fitting(ranked, s.text)
		c.worth += s.take(c, place, spots)
		if len(spots) > 0 || b.in.Tokenizer == "" { // in another order, or by another tokenizer's prices
			s.drawSignature(b)
		}
		c.forms = s.partial(b, c.chance, c.forms)
		c.excerpts = s.excerpts
	}
	if len(src.text) <= b.task.Budget*bytesPerToken {
		c.forms = append(c.forms, form{form: FormFull, gain: c.worth, price: price, draw: func(int) *block { return wholeFile(src) }})
	}
}

// wholeFile shows all of a file.
func wholeFile(s *source) *block {
	lines := wordForWord(s.text, s.veiled(), 0, len(s.text))
	return &block{kind: KindCode, form: FormFull, source: s.path, lines: lines, language: string(s.language),
		text: clean(s.veiled().Part(0, len(s.text)))}
}

// spotsFirst puts the smallest symbols around places before all others.
func spotsFirst(ranked []codebase.RankedSymbol, spots []spot) []codebase.RankedSymbol {
	for _, s := range slices.Backward(spots) {
		if s.wholeFile || s.span.Len() > 0 {
			continue
		}
		at := -1
		for i, r := range ranked {
			around := r.Symbol.Range.Start <= s.span.Start && s.span.Start <= r.Symbol.Range.End
			if around && (at < 0 || r.Symbol.Range.Len() < ranked[at].Symbol.Range.Len()) {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		first := ranked[at]
		first.Score = 1
		rest := slices.Delete(slices.Clone(ranked), at, at+1)
		ranked = append([]codebase.RankedSymbol{first}, rest...)
	}
	return ranked
}

// maxNames is how many names an outline line shows.
const maxNames = 4

// outlineNames are the names behind a file's path in its line.
func outlineNames(ranked []codebase.RankedSymbol) (names []string) {
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
	return names
}

// fitting keeps symbols whose positions lie in the text: mostly all of them.
func fitting(ranked []codebase.RankedSymbol, text string) []codebase.RankedSymbol {
	misfit := func(r codebase.RankedSymbol) bool {
		s := r.Symbol.Range
		return s.Start < 0 || s.End > len(text) || s.Start >= s.End
	}
	if !slices.ContainsFunc(ranked, misfit) {
		return ranked
	}
	return slices.DeleteFunc(slices.Clone(ranked), misfit)
}
