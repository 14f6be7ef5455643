package tree

import "time"

// Tiers are the tiers in their order.
var Tiers = []Maturity{Draft, Validated, Core}

// Promote is the edit by which someone vouches for the entry: it gets the tier, and is
// confirmed (see [Entry.Confirm]). The edit is empty where frontmatter cannot be edited safely.
func (e *Entry) Promote(to Maturity, now time.Time) Edit {
	confirmed := e.confirmed(now)
	if confirmed == e {
		return Edit{}
	}
	v := &reviser{e: confirmed.approved(somebody)}
	if f, ok := v.e.lastField("updatedAt"); ok && f.value() != "" { // what it states decays from then
		v.field(v.e.FieldEdit("updatedAt", formatTime(now)))
	}
	return v.e.grade(e, to)
}

// Demote is the edit that gives the entry a lower tier. It says nothing of whether the entry is
// still true.
func (e *Entry) Demote(to Maturity) Edit { return e.grade(e, to) }

// grade is the edit of a text that gives it a tier. Where the text states an importance, that
// becomes one at which the tier holds; where it is counted, the tier decides (see [Signals.given]).
func (e *Entry) grade(was *Entry, to Maturity) Edit {
	v := &reviser{e: e}
	if f, ok := e.lastField("importance"); ok {
		if held := number(stated(e).given(to).Importance); held != f.value() {
			v.field(e.FieldEdit("importance", held))
		}
	}
	v.field(v.e.FieldEdit("maturity", string(to)))
	if v.e.Signals.Maturity != to {
		return Edit{}
	}
	return trimEdit(was.Text, Edit{Span{0, len(was.Text)}, v.e.Text})
}
