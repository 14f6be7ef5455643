package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

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
