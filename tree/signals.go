package tree

import (
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// What is counted of an entry (its signals and when it last changed) is this machine's, and
// stands beside the tree in [Usage]: an entry in which every operation rewrites the same lines
// cannot be changed by two people without a conflict in git. What people say of it stays in the
// text: when it was created, that somebody confirmed it, and the tier that somebody gave it.
//
// An entry that states its signals itself, as older versions and other programs write it, is read
// as it says. The next operation that changes it takes these keys out and counts on from them.

// base are the signals from which an entry's present ones follow, and since when: what was counted
// with the last operation, or what the text states where that is newer or nothing was counted.
// What others changed since then, as git tells, begins at no less than a new entry does.
func base(e *format.Entry, u Usage) (s format.Signals, from time.Time) {
	s, from = format.Stated(e), e.UpdatedAt
	changed := e.Confirmed()
	switch {
	case u.follows(e):
		s, from = format.NewSignals(), u.Updated
		s.Has = false
		if u.Signals.Has {
			s = u.Signals
		}
		if retiered(e, u) {
			s = s.Given(e.Tier())
		}
		if u.Said == e.Said() {
			return s, from
		}
		changed = format.Later(changed, u.Committed)
	case from.IsZero():
		from, changed = e.CreatedAt, format.Later(changed, u.Committed)
	}
	if !changed.After(from) {
		return s, from
	}
	s = s.At(from, changed)
	s.Recency = 1
	if _, says := e.LastField("importance"); !says && changed.Equal(u.Committed) {
		s.Importance = max(s.Importance, format.Stated(e).Importance)
	}
	return s, changed
}

// follows reports whether an operation of this machine was the last that counted the entry.
func (u Usage) follows(e *format.Entry) bool {
	return !u.Updated.IsZero() && !e.UpdatedAt.After(u.Updated)
}

// retiered reports whether somebody gave the entry another tier since it was counted.
func retiered(e *format.Entry, u Usage) bool {
	m := e.Tier()
	return u.follows(e) && m != "" && m != u.Stated
}

// Counted returns the signals of an entry as they were counted last, and when that was: of what an
// operation changed on this machine, or as the entry states them. Has is false, and all else
// empty, where nothing was counted yet; the time is then when the entry was created or, as far as
// git told, last changed. It is zero where none is known.
func (s *Snapshot) Counted(p string) (format.Signals, time.Time) {
	e, ok := s.Entry(p)
	if !ok {
		return format.Signals{}, time.Time{}
	}
	u := s.usageOf(p)
	signals, from := base(e, u)
	switch {
	case !signals.Has:
		return format.Signals{}, from
	case !u.follows(e):
		signals.Maturity = e.Signals.Maturity // none, where it states none
	}
	signals.Maturity = e.Settled(signals.Maturity)
	return signals, from
}

// Changed is when an operation of this machine last changed or confirmed an entry, or when the
// entry states that it was changed; exact is false where what the entry says is not what that
// operation left, or there was none: then git may know better, and the time is the latest that is
// known without it.
func (s *Snapshot) Changed(p string) (at time.Time, exact bool) {
	e, ok := s.Entry(p)
	if !ok {
		return time.Time{}, false
	}
	u := s.usage[p]
	switch confirmed := e.Confirmed(); {
	case u.Updated.After(e.UpdatedAt) && u.Said == e.Said():
		return u.Updated, true
	case !e.UpdatedAt.IsZero():
		return format.Later(e.UpdatedAt, format.Later(u.Updated, confirmed)), true
	default:
		return format.Later(e.CreatedAt, format.Later(u.Updated, confirmed)), false
	}
}

// Counted is the usage of an entry that an operation has written: s are its signals, with all uses.
func (u Usage) Counted(e *format.Entry, s format.Signals, now time.Time) *Usage {
	next := Usage{KeptAt: u.KeptAt, Updated: now, Said: e.Said(), Stated: e.Tier()}
	if !u.KeptAt.IsZero() {
		next.At = u.At
	}
	if s.Has {
		next.Signals = s.Rounded()
	}
	return &next
}

// usageOf is what was counted of an entry, with what git told of it.
func (s *Snapshot) usageOf(p string) Usage {
	u := s.usage[p]
	u.Committed = s.commits[p]
	return u
}
