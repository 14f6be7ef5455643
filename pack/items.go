package pack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxMissed is how many near misses are worth a caller's attention.
const maxMissed = 10

// item describes a form of a slot.
func (b *maker) item(s *slot, f *form) Item {
	f = b.drawn(f)
	return Item{Kind: s.kind, Path: s.path, Title: f.shows.title, Symbols: f.shows.symbols, Form: f.form, Lines: f.linesShown(),
		Tokens: b.count(f.text), Score: s.chance, Reason: s.reason(), Marks: s.marks}
}

// missed lists the most valuable candidates that are not shown, with what it would take
// to show them.
func (f *filler) missed() []Item {
	var left []*slot
	for _, s := range f.slots {
		if s.level < 0 {
			left = append(left, s)
		}
	}
	slices.SortStableFunc(left, func(a, b *slot) int { return cmp.Compare(b.worth, a.worth) })
	items := []Item{}
	for _, s := range left[:min(maxMissed, len(left))] {
		least := f.item(s, &s.forms[0])
		least.Reason += "; left out: " + f.needs(s, least.Tokens)
		items = append(items, least)
	}
	return items
}

// needs returns the reason why a candidate is not in the pack, and what would bring it in.
func (f *filler) needs(s *slot, tokens int) string {
	free := f.budget - f.spent
	if f.least > 0 && tokens+separator <= free {
		return "it is unlikely to help"
	}
	limit, bounded := f.limit[s.account(0)]
	if bounded && f.share[s.account(0)]+tokens > limit && tokens <= free {
		return fmt.Sprintf(
			"better matches use the %d tokens for this kind of source; raise the budget, or describe the task in more detail", limit)
	}
	more := fmt.Sprintf("needs %d more tokens to show one line", max(1, tokens+separator-free))
	if last := len(s.forms) - 1; last > 0 {
		more += fmt.Sprintf(", about %d for its %s form", max(1, s.forms[last].price-free), s.forms[last].form)
	}
	return more
}

// smallest returns the candidate with the smallest form, and the tokens of a pack of it
// alone. With an open file it is that one, which is in every pack.
func (b *maker) smallest(candidates []*candidate) (*candidate, int) {
	var best *candidate
	least := math.MaxInt
	for _, c := range candidates {
		if len(c.forms) == 0 {
			continue
		}
		line := c.forms[0]
		b.drawn(&line)
		n := b.in.Count(strings.Join(runsOf([]written{{partOf(line.shows), line.text, line.ended}}), ""))
		if c.kind == KindCode && c.path == b.task.File {
			return c, n
		}
		if n < least {
			best, least = c, n
		}
	}
	return best, least
}
