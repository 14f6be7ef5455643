package pack

import (
	"cmp"
	"slices"
)

// Taking the best step each time can end with a good item outside because cheap
// ones filled the space before. A repair shows one form better and pays for it
// by showing others worse, where that is a gain.

// maxRepairs bounds the repairs of one pack; a handful is usual.
const maxRepairs = 64

// repair does the best exchange that it finds; false if there is none.
func (f *filler) repair() bool {
	var (
		best  *slot
		level int
		cuts  int
		most  = 1e-9 // gains below are rounding
	)
	offers := f.offers()
	for _, s := range f.slots {
		for i := s.next(s.level); i < len(s.forms); i = s.next(i) {
			if !f.roomFor(s, i) {
				continue
			}
			need := f.spent + s.forms[i].price - s.price() - f.budget
			if f.least > 0 && need <= 0 {
				continue // what is left was not worth its tokens
			}
			paid, lost, ok := pay(offers, s, need)
			if gain := s.value(i) - s.value(s.level) - lost; ok && gain > most {
				most, best, level, cuts = gain, s, i, paid
			}
		}
	}
	if best == nil {
		return false
	}
	for _, c := range offers[:cuts] {
		if c.slot != best {
			f.show(c.slot, c.level)
		}
	}
	f.show(best, level)
	return true
}

// cut is a slot shown in a cheaper form.
type cut struct {
	slot  *slot
	level int
	saves int
	costs float64 // value
}

// offers lists the next cut in each slot, the cheapest for its tokens first.
func (f *filler) offers() (offers []cut) {
	for _, s := range f.slots {
		if s.level <= s.least {
			continue
		}
		to := s.cheaper()
		if to < 0 || !f.roomFor(s, to) {
			to = s.least
		}
		c := cut{slot: s, level: to, saves: s.price(), costs: s.value(s.level) - s.value(to)}
		if to >= 0 {
			c.saves -= s.forms[to].price
		}
		offers = append(offers, c)
	}
	slices.SortStableFunc(offers, func(a, b cut) int {
		return cmp.Compare(a.costs*float64(b.saves), b.costs*float64(a.saves))
	})
	return offers
}

// pay tells how many of the offers, less what is in a slot itself, save at least need
// tokens, and what they cost.
func pay(offers []cut, not *slot, need int) (paid int, lost float64, ok bool) {
	for i := range offers {
		c := &offers[i]
		if need <= 0 {
			break
		}
		if c.slot == not {
			continue
		}
		paid = i + 1
		lost += c.costs
		need -= c.saves
	}
	return paid, lost, need <= 0
}
