package format

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/internal/markdown"
)

// countedKeys are the frontmatter keys whose values are now counted outside of the entry.
var countedKeys = []string{"importance", "recency", "accessCount", "updateCount", "updatedAt"}

// Confirmed is the end of the day on which somebody confirmed the entry, as it says, or the time if
// it says one; zero if it says nothing.
func (e *Entry) Confirmed() time.Time {
	f, _ := e.LastField(ConfirmedKey)
	if day, err := time.Parse(time.DateOnly, f.Value()); err == nil {
		return day.Add(24*time.Hour - time.Millisecond)
	}
	t, _ := time.Parse(time.RFC3339, f.Value())
	return t
}

// ContentID identifies the content of an entry and who vouches for it. Relations, listed files, counted
// signals and authors are left out, so a rename that is followed in the entry does not change it. It is
// computed once for an entry, however many snapshots hold it.
func (e *Entry) ContentID() string {
	if e.identity == nil {
		return contentID(e)
	}
	if kept := e.identity.Load(); kept != nil {
		return *kept
	}
	now := contentID(e)
	e.identity.Store(&now)
	return now
}

func contentID(e *Entry) string {
	var b strings.Builder
	for _, f := range e.Fields {
		switch {
		case slices.Contains(countedKeys, f.Key), f.Key == ProvenanceKey:
		case f.Key == "related", f.Key == sourcesKey, strings.HasPrefix(f.Key, "consolidated_"):
		default:
			b.WriteString(f.At.Of(e.Text) + "\n")
		}
	}
	var left []markdown.Span
	for _, r := range e.Relations {
		left = append(left, r.At)
	}
	for _, f := range e.Files {
		left = append(left, f.At)
	}
	slices.SortFunc(left, func(a, b markdown.Span) int { return a.Start - b.Start })
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

// Tier is the tier that the entry's text states, "" if none.
func (e *Entry) Tier() Maturity {
	f, _ := e.LastField("maturity")
	if m := Maturity(strings.ToLower(f.Value())); slices.Contains(Tiers, m) {
		return m
	}
	return ""
}

// settle removes the signals that are counted outside of the entry from its text. A tier stays, since
// somebody may have set it by hand. A counted draft is removed, since an entry is a draft by default.
func (v *Reviser) settle() {
	drop := countedKeys
	if _, counted := v.E.LastField("importance"); counted && v.E.Tier() == Draft {
		drop = append(slices.Clone(drop), "maturity")
	}
	for _, key := range drop {
		for f, ok := v.E.LastField(key); ok && v.Field(v.E.RemoveField(f)); f, ok = v.E.LastField(key) {
		}
	}
}

// Uncounted is the entry without what is counted beside it.
func (e *Entry) Uncounted() *Entry {
	v := &Reviser{E: e}
	v.settle()
	return v.E
}

// Confirm is the edit by which the entry says that it is still true; see [ConfirmedKey]. The edit is
// empty where frontmatter cannot be edited safely; see [Entry.FieldEdit].
func (e *Entry) Confirm(now time.Time) markdown.Edit {
	confirmed := e.ConfirmedAt(now)
	if confirmed == e {
		return markdown.Edit{}
	}
	return markdown.TrimEdit(e.Text, markdown.Edit{At: markdown.Span{Start: 0, End: len(e.Text)}, New: confirmed.Approved(Somebody).Text})
}

// ConfirmedAt returns the confirmed entry. It states the day, or, if it states that day already, the time, so
// that others get the confirmation by git. If the key cannot be written, it returns the entry as it is.
func (e *Entry) ConfirmedAt(now time.Time) *Entry {
	said := now.UTC().Format(time.DateOnly)
	if f, ok := e.LastField(ConfirmedKey); ok && len(f.Value()) >= len(said) && f.Value()[:len(said)] == said {
		said = formatTime(now)
	}
	confirmed, _ := fieldEditor{e}.changed(fieldChange{key: ConfirmedKey, values: []string{said}})
	return confirmed
}

// AtLeast raises the entry to a tier that somebody gave, unless it already states a tier as high.
func (e *Entry) AtLeast(m Maturity) *Entry {
	if slices.Index(Tiers, m) <= slices.Index(Tiers, e.Tier()) {
		return e
	}
	raised, _ := fieldEditor{e}.changed(fieldChange{key: "maturity", values: []string{string(m)}})
	return raised
}

// Tiers are the tiers in their order.
var Tiers = []Maturity{Draft, Validated, Core}

// Promote is the edit by which someone vouches for the entry: it gets the tier, and is
// confirmed (see [Entry.Confirm]). The edit is empty where frontmatter cannot be edited safely.
func (e *Entry) Promote(to Maturity, now time.Time) markdown.Edit {
	confirmed := e.ConfirmedAt(now)
	if confirmed == e {
		return markdown.Edit{}
	}
	v := &Reviser{E: confirmed.Approved(Somebody)}
	if f, ok := v.E.LastField("updatedAt"); ok && f.Value() != "" { // the stated importance decays from then on
		v.Field(v.E.FieldEdit("updatedAt", formatTime(now)))
	}
	return v.grade(e, to)
}

// Demote is the edit that gives the entry a lower tier. It does not confirm the entry.
func (e *Entry) Demote(to Maturity) markdown.Edit { return (&Reviser{E: e}).grade(e, to) }

// grade is the edit that also sets the tier. If the text states an importance, it is changed to one at which
// the tier is stable; if importance is counted, the tier decides (see [Signals.Given]).
func (v *Reviser) grade(was *Entry, to Maturity) markdown.Edit {
	if f, ok := v.E.LastField("importance"); ok {
		if held := number(Stated(v.E).Given(to).Importance); held != f.Value() {
			v.Field(v.E.FieldEdit("importance", held))
		}
	}
	v.Field(v.E.FieldEdit("maturity", string(to)))
	if v.E.Signals.Maturity != to {
		return markdown.Edit{}
	}
	return markdown.TrimEdit(was.Text, markdown.Edit{At: markdown.Span{Start: 0, End: len(was.Text)}, New: v.E.Text})
}
