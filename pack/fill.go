package pack

import "iter"

// slot is a candidate with the form that it is shown in.
type slot struct {
	*candidate
	value   float64 // what the full form is worth
	level   int     // index into forms, -1 for not shown
	refused []bool  // forms that did not fit
}

// ahead is how many better forms a step looks at, besides the best one.
const ahead = 6

func (s *slot) shown() *form { return &s.forms[s.level] }

// next are the forms that a step may lead to.
func (s *slot) next() iter.Seq[int] {
	return func(yield func(int) bool) {
		last := len(s.forms) - 1
		for i := s.level + 1; i <= min(s.level+ahead, last); i++ {
			if !yield(i) {
				return
			}
		}
		if last > s.level+ahead {
			yield(last)
		}
	}
}

// most is what the slot is worth in full.
func (s *slot) most() float64 {
	if s.kind == KindCode {
		return s.value * s.worth
	}
	return s.value
}

func (s *slot) price() int {
	if s.level < 0 {
		return 0
	}
	return s.shown().price
}

func (s *slot) gain() float64 {
	if s.level < 0 {
		return 0
	}
	return s.shown().gain
}

// filler spends the budget. It chooses by estimated prices; fit then counts.
type filler struct {
	slots    []*slot // entries, then files, each best first
	budget   int
	estimate func(string) int
	spent    int
	share    map[Form]int // spent on signatures and on lines
	limit    map[Form]int
}

// entryWeight is what an entry counts beside a file of equal score: it says why,
// which no file does. fileWeight makes the value of a file, which is made of chances,
// comparable to that of an entry, which is made of scores.
const (
	entryWeight = 1.5
	fileWeight  = 1.5
)

// rankHalf is the rank at which an entry is worth half of what its score says. A
// score compares with the best candidate; the chance to be what the task needs
// falls faster than that. The forms of files say themselves what they are worth.
const rankHalf = 4

// separator is the price of the blank line between two blocks.
const separator = 1

func newFiller(candidates []*candidate, estimate func(string) int, budget int) *filler {
	f := &filler{budget: budget, estimate: estimate, share: map[Form]int{}, limit: map[Form]int{
		FormSkeleton: skeletonShare(budget),
		FormOutline:  outlineShare(budget),
	}}
	entries := 0
	for _, c := range candidates {
		value := fileWeight
		if c.kind == KindEntry {
			value = entryWeight * c.score * c.score / (1 + float64(entries)/rankHalf)
			entries++
		}
		f.slots = append(f.slots, &slot{candidate: c, value: value, level: -1, refused: make([]bool, len(c.forms))})
		for i := range c.forms {
			if c.forms[i].price == 0 {
				c.forms[i].price = estimate(c.forms[i].drawn().block)
			}
			c.forms[i].price += separator
		}
	}
	for _, heading := range []string{knowledge, codePart, alsoPart} {
		f.spent += min(budget/8, estimate(heading)+2)
	}
	return f
}

// outlineShare is the most that bare paths may cost: enough for the names that come
// to mind, since what is likelier is shown better (a tenth, up to 400 tokens, and a 25th
// are alike in the package comment's measures).
func outlineShare(budget int) int { return min(max(budget/25, 40), 160) }

// skeletonShare is the most that signatures may cost: nothing up to 1,000 tokens,
// a quarter from 2,000 on.
func skeletonShare(budget int) int {
	share := 0.25 * max(0, min(1, float64(budget-1000)/1000))
	return int(share * float64(budget))
}

// fill takes the best step until none is left. A form that does not fit is
// refused, so that a cheaper step of the same or another item gets its chance.
func (f *filler) fill() {
	for {
		s, level := f.bestStep()
		if s == nil {
			break
		}
		if f.allowed(s, level) {
			f.show(s, level)
		} else {
			s.refused[level] = true
		}
	}
	for range maxRepairs {
		if !f.repair() {
			break
		}
	}
	f.tail()
}

// bestStep finds the step that adds the most value for a token.
func (f *filler) bestStep() (best *slot, level int) {
	most := 0.0
	for _, s := range f.slots {
		for i := range s.next() {
			if s.refused[i] {
				continue
			}
			if r := s.ratio(i); r > most {
				most, best, level = r, s, i
			}
		}
	}
	return best, level
}

// ratio is the value that a token buys by showing form i instead of the present
// one.
func (s *slot) ratio(i int) float64 {
	more := s.value * (s.forms[i].gain - s.gain())
	return more / float64(max(1, s.forms[i].price-s.price()))
}

func (f *filler) allowed(s *slot, level int) bool {
	next := s.forms[level]
	return f.roomFor(next) && f.spent+next.price-s.price() <= f.budget
}

// roomFor checks the share of the forms that have one.
func (f *filler) roomFor(next form) bool {
	limit, bounded := f.limit[next.form]
	return !bounded || f.share[next.form]+next.price <= limit
}

// show changes a slot's form and the accounts; level -1 takes it out.
func (f *filler) show(s *slot, level int) {
	if s.level >= 0 {
		f.share[s.shown().form] -= s.price()
	}
	f.spent -= s.price()
	s.level = level
	f.spent += s.price()
	if s.level >= 0 {
		f.share[s.shown().form] += s.price()
	}
}

// tail offers the line form again to what was left out: the lines of what was
// shown better in the end do not count any more.
func (f *filler) tail() {
	for _, s := range f.slots {
		if s.level < 0 && f.allowed(s, 0) {
			f.show(s, 0)
		}
	}
}
