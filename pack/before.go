package pack

import (
	"slices"
	"strings"
)

// keptShare is the part of a budget in which the blocks of [Task.Before] stay as they
// are, from the first on, as long as their texts are unchanged: the beginning of the
// text is the same, so that a model's prompt cache holds. The rest is chosen anew. A
// block that crosses the share is kept too if there is a sixth of the budget behind it.
const keptShare = 0.6

const mostKept = 5.0 / 6

// priorBlock is a block of a finished pack.
type priorBlock struct {
	Item
	written
	lines [][2]int // that it shows word for word
	state string   // what it was made of
}

// priorBlock describes a shown slot for the pack after this one.
func (b *maker) priorBlock(s *slot) priorBlock {
	if s.kept != nil {
		l := *s.kept
		l.Score, l.Reason, l.Pinned = s.chance, s.reason(), s.pinned
		return l
	}
	f := b.drawn(s.shown())
	state := "" // unknown: the pack after this one does not keep it
	if !b.past() {
		state = b.stateOf(s.kind, s.path)
	}
	item := Item{Kind: s.kind, Path: s.path, Title: f.shows.title, Symbols: f.shows.symbols, Form: f.form, Lines: f.linesShown(),
		Tokens: b.count(f.text), Score: s.chance, Reason: s.reason(), Marks: s.marks, Pinned: s.pinned}
	return priorBlock{item, b.written(s), f.shows.lines, state}
}

// stateOf tells whether an item would still read the same: its text and the warnings
// beside it. It is "" if there is none.
func (b *maker) stateOf(kind Kind, path string) string {
	if kind == KindEntry {
		if e, ok := b.in.Tree.Entry(path); ok {
			return e.Hash + strings.Join(b.warnings(e).marks, "\n")
		}
		return ""
	}
	if now := b.read(path); now.err == nil {
		return now.hash()
	}
	return ""
}

// keepers are the blocks of the pack before that stay.
func (b *maker) keepers() (out []*priorBlock) {
	p := b.task.Before
	if p == nil {
		return nil
	}
	b.ahead(func(yield func(string) bool) {
		for _, l := range p.laid {
			if l.Kind == KindEntry && !yield(l.Path) {
				return
			}
		}
	})
	spent, budget := 0, float64(b.task.Budget)
	for i := range p.laid {
		l := &p.laid[i]
		if b.task.drops(l) {
			continue
		}
		if float64(spent) >= keptShare*budget || b.outOfTime(noBefore) {
			break
		}
		if spent += b.count(l.text) + separator; float64(spent) > mostKept*budget {
			break
		}
		if !b.task.wants(l.Kind) || l.Kind == KindCode && !b.wanted(l.Path) || l.state == "" || b.stateOf(l.Kind, l.Path) != l.state {
			break
		}
		out = append(out, l)
	}
	return out
}

// keptAs is the block that the pack before shows of an item, nil if none is kept.
func (b *maker) keptAs(kind Kind, path string) (found *priorBlock) {
	for _, l := range b.kept {
		if l.Kind == kind && l.Path == path {
			found = l
		}
	}
	return found
}

// keep puts what is kept in front of all else.
func (f *filler) keep(candidates []*candidate) {
	for _, l := range f.kept {
		c := &candidate{kind: l.Kind, path: l.Path, chance: l.Score, rank: -1, reasons: []reason{{"kept from the pack before", 1}}}
		for _, now := range candidates {
			if now.kind == l.Kind && now.path == l.Path {
				c.chance, c.entry, c.about, c.pinned = now.chance, now.entry, now.about, now.pinned
				c.reasons = append(c.reasons, now.reasons...)
			}
		}
		c.forms = []form{{form: l.Form, price: f.count(l.text) + separator}}
		s := &slot{candidate: c, level: -1, least: -1, wanted: -1, kept: l, refused: make([]bool, 1)}
		f.slots = append(f.slots, s)
		f.show(s, 0)
	}
}

// likeBefore tells, of what is shown, which goes on behind the kept blocks as the pack
// before does, and the place that it has there.
func (f *filler) likeBefore(shown []*slot) map[*slot]int {
	p := f.task.Before
	if p == nil || len(p.laid) == 0 {
		return nil
	}
	at := map[written]*slot{}
	for _, s := range shown {
		at[f.written(s)] = s
	}
	out := map[*slot]int{}
	for i, l := range p.laid[min(len(f.kept), len(p.laid)):] {
		s := at[l.written]
		if s == nil {
			break
		}
		out[s] = i
	}
	return out
}

// drops reports whether a block of the pack before does not stay: its item was excluded, or was pinned since and may be
// shown better.
func (t Task) drops(l *priorBlock) bool {
	return slices.Contains(t.Without, l.Path) || slices.Contains(t.Pinned, l.Path) && !l.Pinned
}
