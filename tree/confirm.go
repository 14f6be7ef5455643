package tree

import (
	"slices"
	"time"
)

// Confirm is the edit by which the entry says that it is still true; see [ConfirmedKey]. The edit is
// empty where frontmatter cannot be edited safely; see [Entry.FieldEdit].
func (e *Entry) Confirm(now time.Time) Edit {
	confirmed := e.confirmed(now)
	if confirmed == e {
		return Edit{}
	}
	return trimEdit(e.Text, Edit{Span{0, len(e.Text)}, confirmed.approved(somebody).Text})
}

// confirmed is the confirmed entry: it states the day, or the time where it states that day already,
// so that whoever has the entry by git learns of it. It is the entry itself where that cannot be
// written.
func (e *Entry) confirmed(now time.Time) *Entry {
	said := now.UTC().Format(time.DateOnly)
	if f, ok := e.lastField(ConfirmedKey); ok && len(f.value()) >= len(said) && f.value()[:len(said)] == said {
		said = formatTime(now)
	}
	v := &reviser{e: e}
	v.field(e.FieldEdit(ConfirmedKey, said))
	return v.e
}

// atLeast is the entry with a tier that somebody gave, unless it states as high a one.
func (e *Entry) atLeast(m Maturity) *Entry {
	if slices.Index(Tiers, m) <= slices.Index(Tiers, e.tier()) {
		return e
	}
	v := &reviser{e: e}
	v.field(e.FieldEdit("maturity", string(m)))
	return v.e
}
