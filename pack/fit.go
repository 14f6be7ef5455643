package pack

import (
	"math"
	"slices"
	"strings"
)

// maxTries bounds the counts that go into using up the last tokens.
const maxTries = 16

// runs are the blocks of the chosen forms as they are written.
func (f *filler) runs() []string {
	var blocks []written
	for _, s := range f.ordered() {
		blocks = append(blocks, f.written(s))
	}
	return runsOf(blocks)
}

// written is a slot's block.
func (b *maker) written(s *slot) written {
	shown := b.drawn(s.shown())
	return written{partOf(shown.shows), shown.text, shown.ended}
}

// tokens counts the tokens of the chosen forms, as the sum of their runs. For an encoding that joins nothing
// across a line end and the sign behind it, as ours, the whole text has the same count.
func (f *filler) tokens() (sum int) {
	for _, run := range f.runs() {
		sum += f.count(run)
	}
	return sum
}

// fit counts the real text, removes the excess, and uses up tokens that the estimates left over. The returned
// text is counted as a whole.
func (f *filler) fit() (text string, tokens int) {
	for f.spent = f.tokens(); f.spent > f.budget; f.spent = f.tokens() {
		f.takeBack()
	}
	f.useUp()
	for {
		text = strings.Join(f.runs(), "")
		if tokens = f.count(text); tokens <= f.budget {
			return text, tokens
		}
		f.takeBack()
	}
}

// useUp takes steps for as long as what is counted leaves room.
func (f *filler) useUp() {
	for _, s := range f.slots {
		clear(s.refused)
	}
	tokens := f.spent
	for range maxTries {
		f.spent = tokens
		s, level := f.bestAffordable()
		if s == nil || f.outOfTime(noFill) {
			return
		}
		before := s.level
		f.show(s, level)
		if n := f.tokens(); n <= f.budget {
			tokens = n
			continue
		}
		f.show(s, before)
		s.refused[level] = true
	}
	f.spent = tokens
}

// bestAffordable is bestStep among what may still fit.
func (f *filler) bestAffordable() (*slot, int) {
	for {
		s, level := f.bestStep()
		if s == nil || f.allowed(s, level) {
			return s, level
		}
		s.refused[level] = true
	}
}

// takeBack undoes the step with the least value per token. Required items go last, and the open file at the
// very end.
func (f *filler) takeBack() {
	var worst *slot
	least, to := math.Inf(1), -1
	for _, s := range f.slots {
		if s.level <= s.least {
			continue
		}
		below := max(s.cheaper(), s.least)
		price := s.price()
		if below >= 0 {
			price -= s.forms[below].price
		}
		ratio := (s.value(s.level) - s.value(below)) / float64(max(1, price))
		if ratio <= least { // the later, so that the best candidate goes last
			worst, least, to = s, ratio, below
		}
	}
	if i := slices.IndexFunc(f.slots, func(s *slot) bool { return s.least > 0 }); worst == nil && i >= 0 {
		f.slots[i].least = 0 // a line that names it stays
		f.takeBack()
		return
	}
	if worst == nil {
		worst = f.dispensable()
	}
	f.show(worst, to)
}

// dispensable returns the slot to drop when only required ones are left.
func (f *filler) dispensable() (last *slot) {
	var open *slot
	for _, s := range f.slots {
		switch {
		case s.level < 0:
		case s.kind == KindCode && s.path == f.task.File:
			open = s
		default:
			last = s
		}
	}
	if last == nil {
		return open
	}
	return last
}

// cheaper returns the next lower form with a lower price, -1 if there is none.
func (s *slot) cheaper() int {
	for i := s.level - 1; i >= 0; i-- {
		if s.forms[i].price < s.price() {
			return i
		}
	}
	return -1
}
