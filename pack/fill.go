package pack

import (
	"slices"

	"github.com/brv-lsp/brv-lsp/link"
)

// pinnedGain is the worth of each form of a pinned item up to the wanted one: more than all else that fits.
const pinnedGain = 1000

// slot is a candidate with the form that it is shown in.
type slot struct {
	*candidate
	level   int      // index into forms, -1 for not shown
	least   int      // the level that it does not fall under: 0 for what must be there
	wanted  int      // the level up to which a pinned item is preferred to all others
	sharing *slot    // the slot that has much of the same text
	refused []bool   // forms that did not fit
	paid    account  // the account that pays for the shown form
	names   []linked // of an entry: the code symbols in it
}

// linked is a symbol that an entry names, in the excerpts of a file.
type linked struct {
	file *slot
	n    int // how many of the excerpts are shown when it is
}

// applies reports whether search is sure of an entry, or what it names is shown with a body.
func (s *slot) applies() bool {
	return s.sure >= Certainty || slices.ContainsFunc(s.names, func(l linked) bool {
		return l.file.level >= 0 && (l.file.shown().form == FormFull || l.file.shown().n >= l.n)
	})
}

// ahead is the number of better forms that a step considers, besides the best one.
const ahead = 6

func (s *slot) shown() *form { return &s.forms[s.level] }

// next lists the forms behind i that a step may choose: a few, and the best one.
func (s *slot) next(i int) int {
	if i < s.level+ahead {
		return i + 1
	}
	return max(i+1, len(s.forms)-1)
}

func (s *slot) price() int {
	if s.level < 0 {
		return 0
	}
	return s.shown().price
}

// value returns the value of a form here: it is lower if its text is shown already.
func (s *slot) value(level int) float64 {
	if level < 0 {
		return 0
	}
	v := s.forms[level].gain + pinnedGain*float64(min(level+1, s.wanted+1))
	if s.sharing != nil && s.sharing.level >= 0 && s.sharing.shown().form == FormFull {
		v *= 1 - s.shared
	}
	return v
}

// filler spends the budget. It chooses by estimated prices; fit then counts.
type filler struct {
	*maker
	slots  []*slot // entries, then files, each best first
	budget int
	least  float64 // value for a token below which nothing is added
	spent  int
	share  map[account]int // spent on what is bounded
	limit  map[account]int
}

// account is a part of the budget with a limit.
type account uint8

const (
	unbounded account = iota
	signatures
	bareLines
	unsure
)

// account returns what a form is paid from.
func (s *slot) account(level int) account {
	switch f := s.forms[level].form; {
	case f == FormSkeleton:
		return signatures
	case s.kind == KindEntry && !s.applies():
		return unsure
	case f == FormOutline:
		return bareLines
	}
	return unbounded
}

// separator is the price of the blank line between two blocks.
const separator = 1

func newFiller(b *maker, candidates []*candidate) *filler {
	f := &filler{maker: b, budget: b.task.Budget, share: map[account]int{}, limit: map[account]int{
		signatures: skeletonShare(b.task.Budget),
		bareLines:  outlineShare(b.task.Budget),
		unsure:     unsureShare(b.task.Budget, candidates),
	}}
	if b.task.Ends {
		f.least = leastValue
	}
	for _, heading := range headings {
		f.spent += min(f.budget/8, b.in.Estimate(heading)+2)
	}
	of := map[*candidate]*slot{}
	for _, c := range candidates {
		if len(c.forms) > 1 && b.outOfTime(noFill) {
			c.forms = c.forms[:1]
		}
		s := &slot{candidate: c, level: -1, least: -1, wanted: -1, refused: make([]bool, len(c.forms)), sharing: of[c.sharing]}
		of[c] = s
		f.slots = append(f.slots, s)
		for i := range c.forms {
			if c.forms[i].price == 0 {
				c.forms[i].price = b.price(&c.forms[i])
			}
			c.forms[i].price += separator
		}
		if c.pinned {
			s.wanted = c.pinnedForm(b.task.Budget / 2)
		}
		if c.governs && c.behind == nil {
			s.wanted = c.pinnedForm(b.task.Budget * 3 / 4)
		}
	}
	f.link()
	return f
}

// link finds, for each entry that search is not sure of, the symbols that it names among the excerpts of files.
func (f *filler) link() {
	files := map[string]*slot{}
	for _, s := range f.slots {
		if s.kind == KindCode && len(s.excerpts) > 0 {
			files[s.path] = s
		}
	}
	for _, s := range f.slots {
		if s.kind != KindEntry || s.sure >= Certainty {
			continue
		}
		for _, r := range f.in.Links.Of(s.path) {
			if file := files[r.Path]; file != nil && r.Symbol != "" {
				if n := f.excerptOf(file, r); n >= 0 {
					s.names = append(s.names, linked{file, n + 1})
				}
			}
		}
	}
}

// excerptOf is the first of a file's excerpts that holds a symbol, -1 if none does.
func (f *filler) excerptOf(file *slot, r link.CodeRef) int {
	c, _ := f.in.Code.Chunk(r.Path)
	for _, s := range c.Symbols() {
		if s.Name == r.Symbol && s.Container == r.Container {
			return slices.IndexFunc(file.excerpts, func(x excerpt) bool { return x.span.Contains(s.NameAt) })
		}
	}
	return -1
}

// outlineShare is the limit for bare paths: enough for the most likely names, since likelier files are shown
// in better forms (a tenth, up to 400 tokens, and a 25th are alike in the package comment's measures).
func outlineShare(budget int) int { return min(max(budget/25, 40), 160) }

// Certainty is the score from which search is sure enough of an entry for it to compete with code for the
// whole budget: of first hits with a lower score in joint tasks half are needed, of second ones with a higher
// score two thirds. Entries found only by links are below it, unless a symbol that they name is shown with
// its body.
const Certainty = 0.1

// maxUnsure is the limit, in tokens, for entries of which search is not sure: further ones are about the code
// and not about the task. In joint tasks at 8,192 tokens the limit costs .1 % of the needed entries, and
// raises the files with shown lines from 81.1 to 85.3 %; in 80 commits of gin beside 15 entries it raises the
// shown lines at 8,000 tokens from 79.4 to 81.8 %.
const maxUnsure = 1400

// unsureShare is the limit for entries of which search is not sure and whose code is not shown, if there is
// code: nothing up to 2,000 tokens, a third from 4,000 on, up to maxUnsure. Of the entries of joint tasks at
// 4,096 tokens, a limit of an eighth shows some 6 % less, and a limit of nothing 20 % less.
func unsureShare(budget int, candidates []*candidate) int {
	if !slices.ContainsFunc(candidates, func(c *candidate) bool { return c.kind == KindCode }) {
		return budget
	}
	return min(skeletonShare(budget)*4/3, maxUnsure)
}

// skeletonShare is the limit for signatures: nothing up to 2,000 tokens, a quarter from 4,000 on. In a small
// budget the changed lines are worth more.
func skeletonShare(budget int) int {
	share := 0.25 * max(0, min(1, float64(budget-2000)/2000))
	return int(share * float64(budget))
}

// leastValue is the value per token below which a pack ends: 250 tokens that are needed in one of twenty
// cases. Of 0, 1, 2 and 4 ten-thousandths it has the best F1 of lines at 4,000 and 8,000 tokens on 20 tasks
// of ContextBench (go run ./bench/contextbench), and is chosen with one repository left out in 11 and 8 of 12
// cases. The difference is within noise.
const leastValue = 0.0002

// fill takes the best steps, and gives the remaining tokens to entries of which search is not sure. A form
// that does not fit is refused, so that a cheaper step of the same or another item gets its chance.
func (f *filler) fill() {
	f.first()
	f.steps()
	for range maxRepairs {
		if f.outOfTime(noFill) || !f.repair() {
			break
		}
	}
	f.limit[unsure] = f.budget // of what nothing else took
	for _, s := range f.slots {
		clear(s.refused)
	}
	f.steps()
	f.tail()
}

// steps takes the best step until none is left.
func (f *filler) steps() {
	for !f.outOfTime(noFill) {
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
}

// first makes sure that the pack has the open file, the best candidate and pinned items: for a file its
// likeliest lines, if half of the budget is enough for them, else a line that names it. If there is room for
// only one of them, it is the open file.
func (f *filler) first() {
	var open, best *slot
	for _, s := range f.slots {
		if s.kind == KindCode && s.path == f.task.File && open == nil {
			open = s
		}
		if best == nil || s.chance > best.chance {
			best = s
		}
	}
	must := []*slot{open, best}
	for _, s := range f.slots {
		if s.pinned {
			must = append(must, s)
		}
	}
	for i, s := range must {
		if s != nil && s.level < 0 && f.spent+s.forms[0].price <= f.budget {
			level := 0
			if i < 2 {
				level = s.leastLines(f.budget / 2)
			}
			if !f.allowed(s, level) {
				level = 0
			}
			f.show(s, level)
			s.least = level
		}
	}
}

// leastLines is the first form of a file that shows lines, 0 if it costs too much.
func (s *slot) leastLines(most int) int {
	i := slices.IndexFunc(s.forms, func(f form) bool { return f.form == FormBody || f.form == FormFull && s.kind == KindCode })
	if i < 0 || s.forms[i].price > most {
		return 0
	}
	return i
}

// bestStep finds the step with the most additional value per token.
func (f *filler) bestStep() (best *slot, level int) {
	most := f.least
	for _, s := range f.slots {
		now, price := s.value(s.level), s.price()
		for i := s.next(s.level); i < len(s.forms); i = s.next(i) {
			if s.refused[i] {
				continue
			}
			if r := (s.value(i) - now) / float64(max(1, s.forms[i].price-price)); r > most {
				most, best, level = r, s, i
			}
		}
	}
	return best, level
}

// ended reports whether another form would fit into the rest of the budget, a tenth of it or more, but is not
// worth its tokens.
func (f *filler) ended() bool {
	if f.least == 0 || f.past() || 10*f.spent > 9*f.budget {
		return false
	}
	f.least = 0
	s, _ := f.bestAffordable()
	return s != nil
}

func (f *filler) allowed(s *slot, level int) bool {
	return f.roomFor(s, level) && f.spent+s.forms[level].price-s.price() <= f.budget
}

// roomFor checks the share of the forms that have one.
func (f *filler) roomFor(s *slot, level int) bool {
	limit, bounded := f.limit[s.account(level)]
	return !bounded || f.share[s.account(level)]+s.forms[level].price <= limit
}

// show changes a slot's form and the accounts; level -1 takes it out.
func (f *filler) show(s *slot, level int) {
	if s.level >= 0 {
		f.share[s.paid] -= s.price()
	}
	f.spent -= s.price()
	s.level = level
	f.spent += s.price()
	if s.level < 0 {
		return
	}
	s.paid = s.account(s.level)
	f.share[s.paid] += s.price()
	for _, e := range f.slots {
		if slices.ContainsFunc(e.names, func(l linked) bool { return l.file == s }) {
			clear(e.refused) // what it names may be shown now
		}
	}
}

// tail offers the line form again to slots that are not shown: the lines of items that got a better form are
// free again.
func (f *filler) tail() {
	for _, s := range f.slots {
		if s.level < 0 && f.allowed(s, 0) && s.value(0) >= f.least*float64(s.forms[0].price) {
			f.show(s, 0)
		}
	}
}

// pinnedForm is the best form of a pinned candidate at a price. For a file with pinned symbols it is the
// first one that shows them.
func (c *candidate) pinnedForm(price int) (level int) {
	symbols := 0
	for _, x := range c.excerpts {
		if x.pinned {
			symbols++
		}
	}
	for i, f := range c.forms {
		if f.price <= price {
			level = i
		}
		if symbols > 0 && f.form == FormBody && f.n == symbols {
			break
		}
	}
	return level
}
