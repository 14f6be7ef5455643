package tree

import "time"

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
func (e *Entry) base(u Usage) (s Signals, from time.Time) {
	s, from = stated(e), e.UpdatedAt
	changed := e.Confirmed()
	switch {
	case u.follows(e):
		s, from = NewSignals(), u.Updated
		s.Has = false
		if u.Signals.Has {
			s = u.Signals
		}
		if e.retiered(u) {
			s = s.given(e.tier())
		}
		if u.Said == e.Said() {
			return s, from
		}
		changed = later(changed, u.Committed)
	case from.IsZero():
		from, changed = e.CreatedAt, later(changed, u.Committed)
	}
	if !changed.After(from) {
		return s, from
	}
	s = s.At(from, changed)
	s.Recency = 1
	if _, says := e.lastField("importance"); !says && changed.Equal(u.Committed) {
		s.Importance = max(s.Importance, stated(e).Importance)
	}
	return s, changed
}

// follows reports whether an operation of this machine was the last that counted the entry.
func (u Usage) follows(e *Entry) bool {
	return !u.Updated.IsZero() && !e.UpdatedAt.After(u.Updated)
}

// retiered reports whether somebody gave the entry another tier since it was counted.
func (e *Entry) retiered(u Usage) bool {
	m := e.tier()
	return u.follows(e) && m != "" && m != u.Stated
}

// Counted returns the signals of an entry as they were counted last, and when that was: of what an
// operation changed on this machine, or as the entry states them. Has is false, and all else
// empty, where nothing was counted yet; the time is then when the entry was created or, as far as
// git told, last changed. It is zero where none is known.
func (s *Snapshot) Counted(p string) (Signals, time.Time) {
	e, ok := s.Entry(p)
	if !ok {
		return Signals{}, time.Time{}
	}
	u := s.usageOf(p)
	signals, from := e.base(u)
	switch {
	case !signals.Has:
		return Signals{}, from
	case !u.follows(e):
		signals.Maturity = e.Signals.Maturity // none, where it states none
	}
	signals.Maturity = e.settled(signals.Maturity)
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
		return later(e.UpdatedAt, later(u.Updated, confirmed)), true
	default:
		return later(e.CreatedAt, later(u.Updated, confirmed)), false
	}
}

// counted is the usage of an entry that an operation has written: s are its signals, with all uses.
func (u Usage) counted(e *Entry, s Signals, now time.Time) *Usage {
	next := Usage{KeptAt: u.KeptAt, Updated: now, Said: e.Said(), Stated: e.tier()}
	if !u.KeptAt.IsZero() {
		next.At = u.At
	}
	if s.Has {
		next.Signals = s.rounded()
	}
	return &next
}

// usageOf is what was counted of an entry, with what git told of it.
func (s *Snapshot) usageOf(p string) Usage {
	u := s.usage[p]
	u.Committed = s.commits[p]
	return u
}
