package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"
)

// What is counted of an entry (its signals and when it last changed) is this machine's, and
// stands beside the tree in [Usage]: an entry in which every operation rewrites the same lines
// cannot be changed by two people without a conflict in git. What people say of it stays in the
// text: when it was created, that somebody confirmed it, and the tier that somebody gave it.
//
// An entry that states its signals itself, as older versions and other programs write it, is read
// as it says. The next operation that changes it takes these keys out and counts on from them.

// ConfirmedKey is the frontmatter key by which an entry says when somebody last found it to be
// still true. It is a day, so that two people who confirm an entry on one day write the same.
const ConfirmedKey = "confirmed"

// countedKeys are the frontmatter keys whose values are counted beside the entry.
var countedKeys = []string{"importance", "recency", "accessCount", "updateCount", "updatedAt"}

// Confirmed is the end of the day on which somebody confirmed the entry, as it says, or the time if
// it says one; zero if it says nothing.
func (e *Entry) Confirmed() time.Time {
	f, _ := e.lastField(ConfirmedKey)
	if day, err := time.Parse(time.DateOnly, f.value()); err == nil {
		return day.Add(24*time.Hour - time.Millisecond)
	}
	t, _ := time.Parse(time.RFC3339, f.value())
	return t
}

// Said identifies what an entry says, and who stands for it, without where it belongs: relations,
// listed files, what is counted, and who wrote it. A rename that is followed in it is no change.
// It is computed once for an entry, however many snapshots hold it.
func (e *Entry) Said() string {
	if e.said == nil {
		return e.readSaid()
	}
	if kept := e.said.Load(); kept != nil {
		return *kept
	}
	said := e.readSaid()
	e.said.Store(&said)
	return said
}

func (e *Entry) readSaid() string {
	var b strings.Builder
	for _, f := range e.Fields {
		switch {
		case slices.Contains(countedKeys, f.Key), f.Key == ProvenanceKey:
		case f.Key == "related", f.Key == sourcesKey, strings.HasPrefix(f.Key, "consolidated_"):
		default:
			b.WriteString(f.At.Of(e.Text) + "\n")
		}
	}
	var left []Span
	for _, r := range e.Relations {
		left = append(left, r.At)
	}
	for _, f := range e.Files {
		left = append(left, f.At)
	}
	slices.SortFunc(left, func(a, b Span) int { return a.Start - b.Start })
	at := e.Body.Start
	for _, s := range left {
		if s.Start >= at && s.End <= e.Body.End {
			b.WriteString(e.Text[at:s.Start])
			at = s.End
		}
	}
	b.WriteString(e.Text[at:e.Body.End])
	sum := sha256.Sum256([]byte(strings.TrimSpace(b.String())))
	return hex.EncodeToString(sum[:8])
}

// tier is the tier that the entry's text states, "" if none.
func (e *Entry) tier() Maturity {
	f, _ := e.lastField("maturity")
	if m := Maturity(strings.ToLower(f.value())); slices.Contains(Tiers, m) {
		return m
	}
	return ""
}

// given are the signals of an entry to which somebody gave a tier: as important as the tier needs,
// and no more than it bears, or it would not hold.
func (s Signals) given(m Maturity) Signals {
	switch s.Maturity = m; m {
	case Draft:
		s.Importance = min(s.Importance, startImportance)
	case Validated:
		s.Importance = validatedFrom
	case Core:
		s.Importance = max(s.Importance, coreFrom)
	}
	s.Has = true
	return s
}

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

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
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

// rounded are the signals as they are kept: to two decimals.
func (s Signals) rounded() Signals {
	cut := func(v, top float64) float64 { return float64(int64(clamp(v, top)*100+0.5)) / 100 }
	s.Importance, s.Recency = cut(s.Importance, topImportance), cut(s.Recency, 1)
	return s
}

// SetCommits tells the store since when, as git tells, the entries at these paths say what they say.
func (s *Store) SetCommits(at map[string]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.snapshot.Load()
	if maps.Equal(at, last.commits) {
		return
	}
	next := *last
	next.commits = at
	s.snapshot.Store(&next)
}

// usageOf is what was counted of an entry, with what git told of it.
func (s *Snapshot) usageOf(p string) Usage {
	u := s.usage[p]
	u.Committed = s.commits[p]
	return u
}

// settle takes out of the entry's text what is counted beside it. A tier stays, as somebody may
// have given it; but a counted draft is what entries are anyway.
func (v *reviser) settle() {
	drop := countedKeys
	if _, counted := v.e.lastField("importance"); counted && v.e.tier() == Draft {
		drop = append(slices.Clone(drop), "maturity")
	}
	for _, key := range drop {
		for f, ok := v.e.lastField(key); ok && v.field(v.e.RemoveField(f)); f, ok = v.e.lastField(key) {
		}
	}
}

// uncounted is the entry without what is counted beside it.
func (e *Entry) uncounted() *Entry {
	v := &reviser{e: e}
	v.settle()
	return v.e
}
