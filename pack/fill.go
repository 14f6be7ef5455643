package pack

// slot is a candidate with the form that it is shown in.
type slot struct {
	*candidate
	value   float64 // what the full form is worth
	level   int     // index into forms, -1 for not shown
	refused []bool  // forms that did not fit
}

func (s *slot) shown() *form { return &s.forms[s.level] }

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
// which no file does.
const entryWeight = 1.5

// rankHalf is the rank at which an item is worth half of what its score says. A
// score compares with the best candidate; the chance to be what the task needs
// falls faster than that.
const rankHalf = 4

// separator is the price of the blank line between two blocks.
const separator = 1

func newFiller(candidates []*candidate, estimate func(string) int, budget int) *filler {
	f := &filler{budget: budget, estimate: estimate, share: map[Form]int{}, limit: map[Form]int{
		FormSkeleton: skeletonShare(budget),
		FormOutline:  min(max(budget/10, 40), 400),
	}}
	rank := map[Kind]int{}
	for _, c := range candidates {
		value := c.score * c.score / (1 + float64(rank[c.kind])/rankHalf)
		rank[c.kind]++
		if c.kind == KindEntry {
			value *= entryWeight
		}
		f.slots = append(f.slots, &slot{candidate: c, value: value, level: -1, refused: make([]bool, len(c.forms))})
		for i := range c.forms {
			c.forms[i].price = separator + estimate(c.forms[i].block)
		}
	}
	for _, heading := range []string{knowledge, codePart, alsoPart} {
		f.spent += min(budget/8, estimate(heading)+2)
	}
	return f
}

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
		for i := s.level + 1; i < len(s.forms); i++ {
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
