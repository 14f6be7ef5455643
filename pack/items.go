package pack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

func (f *filler) items(count func(string) int) []Item {
	items := []Item{}
	for _, s := range f.chosen() {
		shown := s.shown().drawn()
		items = append(items, Item{s.kind, s.path, shown.form, shown.lines, count(shown.block), s.score, s.reason})
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	return items
}

// placeOf orders items as render does.
func placeOf(i Item) int {
	switch {
	case i.Kind == KindEntry && i.Form != FormSummary:
		return 0
	case i.Kind == KindEntry:
		return 1
	case i.Form != FormOutline:
		return 2
	}
	return 3
}

// maxMissed is how many near misses are worth a caller's attention.
const maxMissed = 10

// missed lists the most valuable candidates that are not shown.
func (f *filler) missed(count func(string) int) []Item {
	var left []*slot
	for _, s := range f.slots {
		if s.level < 0 {
			left = append(left, s)
		}
	}
	slices.SortStableFunc(left, func(a, b *slot) int { return cmp.Compare(b.most(), a.most()) })
	items := []Item{}
	for _, s := range left[:min(maxMissed, len(left))] {
		tokens := count(s.forms[0].block)
		reason := fmt.Sprintf("%s; left out: %d tokens more would show it", s.reason, tokens)
		items = append(items, Item{s.kind, s.path, s.forms[0].form, s.forms[0].lines, tokens, s.score, reason})
	}
	return items
}

// smallest returns the candidate with the smallest form, and the tokens of a pack
// of it alone.
func smallest(candidates []*candidate, count func(string) int) (*candidate, int) {
	var best *candidate
	least := math.MaxInt
	for _, c := range candidates {
		if n := count(render([]*slot{{candidate: c}})); n < least {
			best, least = c, n
		}
	}
	return best, least
}
