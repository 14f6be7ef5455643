package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Usage holds the counters of an entry: its signals at the last operation that changed it, and the uses since
// then. It is kept beside the tree, so that counting is not a change of the entry; see signals.go.
//
// Importance is the base's importance ([Snapshot.Counted]), decayed from its time, plus Bonus, decayed from
// At: decay is a factor, so the sum of two parts decays like the whole, and a credit needs no write to the
// entry. As long as clocks do not run backwards this equals counting event by event. The only exception is an
// entry without any time of its own: its stated part does not decay while its bonus does.
type Usage struct {
	Access   int             `json:"access,omitempty"`   // uses since Updated
	Bonus    float64         `json:"bonus,omitempty"`    // importance they gave, as of At
	Maturity format.Maturity `json:"maturity,omitempty"` // tier at At
	At       time.Time       `json:"at,omitzero"`
	KeptAt   time.Time       `json:"keptAt,omitzero"` // when someone decided to keep the entry though it is stale

	Updated   time.Time       `json:"updated,omitzero"` // when an operation last changed or confirmed the entry
	Signals   format.Signals  `json:"signals,omitzero"` // at that time; empty if nothing was counted
	ContentID string          `json:"said,omitempty"`   // identity of the entry's content at that time, see [format.Entry.ContentID]
	Stated    format.Maturity `json:"stated,omitempty"` // the tier that its text stated at that time

	Committed time.Time `json:"-"` // when git got the entry's present content; never stored
}

// usageShards is the number of files that the counters are divided into, so that one use rewrites a small
// file.
const usageShards = 256

// UsageFile is the path, inside the state folder, of the counters of an entry.
func UsageFile(entry string) string {
	sum := sha256.Sum256([]byte(entry))
	return fmt.Sprintf("usage/%02x.json", int(sum[0])%usageShards)
}

// DecodeUsage reads a file of counters; damage is an error, unknown keys are kept out.
func DecodeUsage(data []byte) (map[string]Usage, error) {
	var m map[string]Usage
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("use counts: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("use counts: the file has more than one JSON value")
	}
	if m == nil {
		return nil, errors.New("use counts: not a JSON object")
	}
	for p, u := range m {
		if err := u.check(); err != nil {
			return nil, fmt.Errorf("usage of %s: %w", p, err)
		}
	}
	return m, nil
}

// check returns an error if a value is out of the range that counting can produce.
func (u Usage) check() error {
	switch {
	case u.Access < 0 || u.Access > math.MaxInt32:
		return fmt.Errorf("access %d", u.Access)
	case !(u.Bonus >= 0 && u.Bonus <= format.TopImportance):
		return fmt.Errorf("bonus must be 0 to 100, not %v", u.Bonus)
	case !(u.Signals.Importance >= 0 && u.Signals.Importance <= format.TopImportance) ||
		!(u.Signals.Recency >= 0 && u.Signals.Recency <= 1):
		return fmt.Errorf("importance %v, recency %v", u.Signals.Importance, u.Signals.Recency)
	}
	for _, n := range []int{u.Signals.AccessCount, u.Signals.UpdateCount} {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("count %d", n)
		}
	}
	for _, m := range []format.Maturity{u.Maturity, u.Signals.Maturity, u.Stated} {
		if m != "" && !slices.Contains(format.Tiers, m) {
			return fmt.Errorf("maturity %q", m)
		}
	}
	for _, t := range []time.Time{u.At, u.KeptAt, u.Updated} {
		if y := t.UTC().Year(); y < 1 || y > 9999 {
			return fmt.Errorf("year %d", y)
		}
	}
	return nil
}

// EncodeUsage writes a file of counters, one sorted key an entry; nil for none.
// Usage that says nothing, or that could not be read again, is left out.
func EncodeUsage(m map[string]Usage) []byte {
	kept := maps.Clone(m)
	maps.DeleteFunc(kept, func(_ string, u Usage) bool { return u == Usage{} || u.check() != nil })
	if len(kept) == 0 {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(kept) != nil {
		return nil // cannot happen: check has seen every value that has no JSON
	}
	return b.Bytes()
}

// Credit is the usage after n more uses of an entry with those stated signals. Importance never exceeds 100.
// If the clock ran backwards, the bonus is kept, and decay continues from the new time.
func Credit(e *format.Entry, u Usage, n int, now time.Time) Usage {
	if n <= 0 {
		return u
	}
	now = now.Round(0).UTC() // no monotonic clock: it stands still while the machine sleeps
	s, since := base(e, u)
	from := s.At(since, now).Importance
	bonus := u.Bonus * format.Decay(u.At, now)
	tier := format.Tier(tierBase(e, u), format.Bounded(from+bonus, format.TopImportance))
	u.Access = format.SumCounts(u.Access, n)
	u.Bonus = format.Bounded(min(bonus+format.UseBonus*float64(n), format.TopImportance-from), format.TopImportance)
	u.Maturity = format.Tier(tier, from+u.Bonus)
	u.At = now
	return u
}

// tierBase is the tier from which the present one is computed. Between uses importance only falls, so it is
// enough to update the tier at each use: it is the tier counted at the last use, or the stated one if the
// entry was written since then, here or elsewhere.
func tierBase(e *format.Entry, u Usage) format.Maturity {
	s, since := base(e, u)
	if u.Maturity != "" && !since.After(u.At) && !retiered(e, u) {
		return u.Maturity
	}
	return format.Tier(s.Maturity, s.Importance)
}

// signals are the entry's present signals with all counted uses. Signals that were never counted have start
// values, so Has is true.
func signals(e *format.Entry, u Usage, now time.Time) format.Signals {
	s, since := base(e, u)
	s = s.At(since, now)
	s.Importance = format.Bounded(s.Importance+u.Bonus*format.Decay(u.At, now), format.TopImportance)
	s.Recency = format.Bounded(s.Recency, 1)
	s.Maturity = e.Settled(format.Tier(tierBase(e, u), s.Importance))
	s.AccessCount = format.SumCounts(s.AccessCount, u.Access)
	s.Has = true
	return s
}

// UsagePointer returns the counters of an entry, nil if there are none.
func UsagePointer(m map[string]Usage, entry string) *Usage {
	if u, ok := m[entry]; ok {
		return &u
	}
	return nil
}

// SameUsage reports whether two counters are equal; nil is none.
func SameUsage(a, b *Usage) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// UsageOf returns the value of a pointer, empty for nil.
func UsageOf(u *Usage) Usage {
	if u == nil {
		return Usage{}
	}
	return *u
}

// MergedSignals returns the signals of an entry into which another was merged: the higher
// importance and tier, the uses and updates of both.
func MergedSignals(a, b format.Signals) format.Signals {
	rank := map[format.Maturity]int{format.Draft: 0, format.Validated: 1, format.Core: 2}
	if rank[b.Maturity] > rank[a.Maturity] {
		a.Maturity = b.Maturity
	}
	a.Importance, a.Recency = math.Max(a.Importance, b.Importance), math.Max(a.Recency, b.Recency)
	a.AccessCount += b.AccessCount
	a.UpdateCount += b.UpdateCount
	return a
}

// BonusAt is the importance from uses, decayed to a moment.
func (u Usage) BonusAt(now time.Time) float64 { return u.Bonus * format.Decay(u.At, now) }

// base returns the signals, and their time, from which an entry's present ones are computed: those counted
// with the last operation, or those stated in the text if it is newer or nothing was counted. If git tells of
// a later change by others, importance is at least that of a new entry from then on.
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
		if u.ContentID == e.ContentID() {
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

// retiered reports whether somebody set another tier after the last count.
func retiered(e *format.Entry, u Usage) bool {
	m := e.Tier()
	return u.follows(e) && m != "" && m != u.Stated
}

// follows reports whether the entry's last change was an operation counted on this machine.
func (u Usage) follows(e *format.Entry) bool {
	return !u.Updated.IsZero() && !e.UpdatedAt.After(u.Updated)
}
