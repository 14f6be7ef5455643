package tree

import (
	"strconv"
	"time"
)

// Tiers are the tiers in their order.
var Tiers = []Maturity{Draft, Validated, Core}

// Promote is the edit by which someone vouches for the entry: it gets the tier, is
// confirmed (see [Entry.Confirm]), and its importance becomes at least that from which
// the tier is reached, or the next update would take the tier away again. The edit is
// empty where frontmatter cannot be edited safely.
func (e *Entry) Promote(to Maturity, now time.Time) Edit {
	v := &reviser{e: Parse(e.Path, e.confirmed(now, Usage{})).approved(somebody)}
	s := stated(v.e)
	s.Maturity, s.Importance = to, max(s.Importance, map[Maturity]float64{Validated: validatedFrom, Core: coreFrom}[to])
	v.signals(s)
	if v.e.Signals.Maturity != to {
		return Edit{}
	}
	return trimEdit(e.Text, Edit{Span{0, len(e.Text)}, v.e.Text})
}

// Demote is the edit that gives the entry a lower tier, and an importance under that
// from which it would be back at once. It says nothing of whether the entry is still
// true: updatedAt stays.
func (e *Entry) Demote(to Maturity) Edit {
	v := &reviser{e: e}
	top := map[Maturity]float64{Draft: startImportance, Validated: validatedFrom}[to]
	if s := stated(e); s.Importance > top {
		v.field(e.FieldEdit("importance", strconv.FormatFloat(top, 'f', -1, 64)))
	}
	v.field(v.e.FieldEdit("maturity", string(to)))
	if v.e.Signals.Maturity != to {
		return Edit{}
	}
	return trimEdit(e.Text, Edit{Span{0, len(e.Text)}, v.e.Text})
}
