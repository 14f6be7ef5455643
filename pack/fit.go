package pack

import "math"

// maxTries bounds the exact counts that go into using up the last tokens.
const maxTries = 16

// fit counts the real text, takes back what is too much, and uses up what the
// estimates left over.
func (f *filler) fit(count func(string) int) (text string, tokens int) {
	text = render(f.chosen())
	tokens = count(text)
	for tokens > f.budget {
		f.takeBack()
		text = render(f.chosen())
		tokens = count(text)
	}
	for _, s := range f.slots {
		clear(s.refused)
	}
	for range maxTries {
		f.spent = tokens
		s, level := f.bestAffordable()
		if s == nil {
			break
		}
		before := s.level
		f.show(s, level)
		more := render(f.chosen())
		if n := count(more); n <= f.budget {
			text, tokens = more, n
			continue
		}
		f.show(s, before)
		s.refused[level] = true
	}
	return text, tokens
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
