package tree

import (
	"strings"
	"time"
)

// Confirm is the edit by which the entry says that it is still true: its updatedAt
// becomes now, and signals that it states become what they have decayed to, since they
// decay from updatedAt. The edit is empty where frontmatter cannot be edited safely; see
// [Entry.FieldEdit].
func (e *Entry) Confirm(now time.Time) Edit {
	text := e.confirmed(now, Usage{})
	if text != e.Text {
		text = Parse(e.Path, text).approved(somebody).Text
	}
	if text == e.Text {
		return Edit{}
	}
	return trimEdit(e.Text, Edit{Span{0, len(e.Text)}, text})
}

// confirmed is the text of the confirmed entry, with uses folded into its signals. An
// entry without signals gets none unless it was used.
func (e *Entry) confirmed(now time.Time, u Usage) string {
	v := &reviser{e: e}
	f, _ := e.lastField("updatedAt")
	if !v.field(e.FieldEdit("updatedAt", timeLike(f.value(), now))) {
		return e.Text
	}
	if e.Signals.Has || u.Access > 0 {
		signals := foldUsage(e, u, now)
		signals.Recency = 1
		v.signals(signals)
	}
	return v.e.Text
}

// timeLike writes a time as another is written: with or without parts of a second, and
// in its offset from UTC. A mere date has no time of day to go on with: it is written
// as entries write times.
func timeLike(old string, t time.Time) string {
	like, err := time.Parse(time.RFC3339, old)
	if err != nil {
		return formatTime(t)
	}
	layout := time.RFC3339
	if strings.Contains(old, ".") {
		layout = "2006-01-02T15:04:05.000Z07:00"
	}
	_, offset := like.Zone()
	return t.In(time.FixedZone("", offset)).Format(layout)
}
