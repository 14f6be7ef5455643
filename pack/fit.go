package pack

import "math"

// maxTries bounds the counts that go into using up the last tokens.
const maxTries = 16

// counter counts texts in runs, each run once: a try changes one of them.
type counter struct {
	count func(string) int
	known map[string]int
}

// of is the tokens of what is chosen, as the sum of its runs. An encoding that joins
// nothing across a line end and the sign behind it, as ours, gives the same for the
// whole text.
func (c counter) of(chosen []*slot) (sum int) {
	for _, run := range runs(chosen) {
		n, ok := c.known[run]
		if !ok {
			n = c.count(run)
			c.known[run] = n
		}
		sum += n
	}
	return sum
}

// fit counts the real text, takes back what is too much, and uses up what the
// estimates left over. The text that it returns is counted as a whole.
func (f *filler) fit(count func(string) int) (text string, tokens int) {
	c := counter{count, map[string]int{}}
	for f.spent = c.of(f.chosen()); f.spent > f.budget; f.spent = c.of(f.chosen()) {
		f.takeBack()
	}
	f.useUp(c)
	for {
		text = render(f.chosen())
		if tokens = count(text); tokens <= f.budget {
			return text, tokens
		}
		f.takeBack()
	}
}

// useUp takes steps for as long as what is counted leaves room.
func (f *filler) useUp(c counter) {
	for _, s := range f.slots {
		clear(s.refused)
	}
	tokens := f.spent
	for range maxTries {
		f.spent = tokens
		s, level := f.bestAffordable()
		if s == nil {
			return
		}
		before := s.level
		f.show(s, level)
		if n := c.of(f.chosen()); n <= f.budget {
			tokens = n
			continue
		}
		f.show(s, before)
		s.refused[level] = true
	}
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

// takeBack undoes the step that was worth least for its tokens.
func (f *filler) takeBack() {
	var worst *slot
	least, to := math.Inf(1), -1
	for _, s := range f.slots {
		if s.level < 0 {
			continue
		}
		below := s.cheaper()
		now, before := *s.shown(), form{}
		if below >= 0 {
			before = s.forms[below]
		}
		ratio := s.value * (now.gain - before.gain) / float64(max(1, now.price-before.price))
		if ratio <= least { // the later, so that the best candidate goes last
			worst, least, to = s, ratio, below
		}
	}
	f.show(worst, to)
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

func (f *filler) chosen() []*slot {
	var out []*slot
	for _, s := range f.slots {
		if s.level >= 0 {
			out = append(out, s)
		}
	}
	return out
}
