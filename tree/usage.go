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
)

// Usage is what was counted for an entry: its signals as of the last operation that changed
// it, and what came since. It lives beside the tree, so that counting is not a change of the
// entry; see signals.go.
//
// Importance is that of the base ([Snapshot.Counted]), decayed from its time, plus
// Bonus, decayed from At: decay is a factor, so the sum of two parts decays like
// the whole, and a credit needs no write to the entry. Between clocks that do not
// run backwards this equals counting event by event; only an entry without any
// time of its own differs, whose stated part does not decay while its bonus does.
type Usage struct {
	Access   int       `json:"access,omitempty"`   // uses since Updated
	Bonus    float64   `json:"bonus,omitempty"`    // importance they gave, as of At
	Maturity Maturity  `json:"maturity,omitempty"` // tier at At
	At       time.Time `json:"at,omitzero"`
	KeptAt   time.Time `json:"keptAt,omitzero"` // when someone decided to keep the entry though it is stale

	Updated time.Time `json:"updated,omitzero"` // when an operation last changed or confirmed the entry
	Signals Signals   `json:"signals,omitzero"` // as of then; empty where nothing was counted
	Said    string    `json:"said,omitempty"`   // what the entry said then, see [Entry.Said]
	Stated  Maturity  `json:"stated,omitempty"` // the tier that its text stated then

	Committed time.Time `json:"-"` // when git has what the entry says now; never kept
}

// LastUse is when an entry was last counted as used, zero if it never was.
func (s *Snapshot) LastUse(p string) time.Time { return s.usage[p].At }

// usageShards is into how many files the counters are divided, so that one use
// rewrites a small file.
const usageShards = 256

// usageFile is the path, inside the state folder, of the counters of an entry.
func usageFile(entry string) string {
	sum := sha256.Sum256([]byte(entry))
	return fmt.Sprintf("usage/%02x.json", int(sum[0])%usageShards)
}

// decodeUsage reads a file of counters; damage is an error, unknown keys are kept out.
func decodeUsage(data []byte) (map[string]Usage, error) {
	var m map[string]Usage
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("usage: more than one JSON value")
	}
	if m == nil {
		return nil, errors.New("usage: not a JSON object")
	}
	for p, u := range m {
		if err := u.check(); err != nil {
			return nil, fmt.Errorf("usage of %s: %w", p, err)
		}
	}
	return m, nil
}

// check says what no counting can have written.
func (u Usage) check() error {
	switch {
	case u.Access < 0 || u.Access > math.MaxInt32:
		return fmt.Errorf("access %d", u.Access)
	case !(u.Bonus >= 0 && u.Bonus <= topImportance):
		return fmt.Errorf("bonus %v is not between 0 and 100", u.Bonus)
	case !(u.Signals.Importance >= 0 && u.Signals.Importance <= topImportance) || !(u.Signals.Recency >= 0 && u.Signals.Recency <= 1):
		return fmt.Errorf("importance %v, recency %v", u.Signals.Importance, u.Signals.Recency)
	}
	for _, n := range []int{u.Signals.AccessCount, u.Signals.UpdateCount} {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("count %d", n)
		}
	}
	for _, m := range []Maturity{u.Maturity, u.Signals.Maturity, u.Stated} {
		if m != "" && !slices.Contains(Tiers, m) {
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

// encodeUsage writes a file of counters, one sorted key an entry; nil for none.
// Usage that says nothing, or that could not be read again, is left out.
func encodeUsage(m map[string]Usage) []byte {
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

// credit is the usage after n more uses of an entry with those stated signals.
// Importance never exceeds 100. A clock that ran backwards costs no bonus, and
// decay goes on from its new time.
func credit(e *Entry, u Usage, n int, now time.Time) Usage {
	if n <= 0 {
		return u
	}
	now = now.Round(0).UTC() // no monotonic clock: it stands still while the machine sleeps
	s, since := e.base(u)
	from := s.At(since, now).Importance
	bonus := u.Bonus * decay(u.At, now)
	tier := Tier(tierBase(e, u), bounded(from+bonus, topImportance))
	u.Access = sumCounts(u.Access, n)
	u.Bonus = bounded(min(bonus+useBonus*float64(n), topImportance-from), topImportance)
	u.Maturity = Tier(tier, from+u.Bonus)
	u.At = now
	return u
}

// tierBase is the tier from which the present one follows. Between uses
// importance only falls, so it is enough to look at the tier at each use: the one
// counted then, or the stated one where the entry was written since, here or
// elsewhere.
func tierBase(e *Entry, u Usage) Maturity {
	s, since := e.base(u)
	if u.Maturity != "" && !since.After(u.At) && !e.retiered(u) {
		return u.Maturity
	}
	return Tier(s.Maturity, s.Importance)
}

// signals are the entry's signals with all that was counted, as they stand now. What was
// never counted has its start value, so Has is true.
func signals(e *Entry, u Usage, now time.Time) Signals {
	s, since := e.base(u)
	s = s.At(since, now)
	s.Importance = bounded(s.Importance+u.Bonus*decay(u.At, now), topImportance)
	s.Recency = bounded(s.Recency, 1)
	s.Maturity = e.settled(Tier(tierBase(e, u), s.Importance))
	s.AccessCount = sumCounts(s.AccessCount, u.Access)
	s.Has = true
	return s
}

func usagePointer(m map[string]Usage, entry string) *Usage {
	if u, ok := m[entry]; ok {
		return &u
	}
	return nil
}

// Signals returns an entry's signals as they stand at a moment: what was counted
// last, or what its frontmatter states, decayed, with the uses since merged in.
func (s *Snapshot) Signals(p string, now time.Time) Signals {
	e, ok := s.Entry(p)
	if !ok {
		return NewSignals()
	}
	return signals(e, s.usageOf(p), now)
}

// Counters are those of all entries, by path; the caller must not change them.
func (s *Snapshot) Counters() map[string]Usage { return s.usage }

// Committed is when, as git tells, an entry began to say what it says; zero if that is not known.
func (s *Snapshot) Committed(p string) time.Time { return s.commits[p] }

// WithCommits is the snapshot with other times of commits, by path, or itself if they are the same.
func (s *Snapshot) WithCommits(at map[string]time.Time) *Snapshot {
	if maps.Equal(at, s.commits) {
		return s
	}
	n := *s
	n.commits = at
	return &n
}

// withUsage is the snapshot with other counters; everything else is shared.
func (s *Snapshot) withUsage(m map[string]Usage) *Snapshot {
	n := *s
	n.usage = m
	return &n
}

func sameUsage(a, b *Usage) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func usageOf(u *Usage) Usage {
	if u == nil {
		return Usage{}
	}
	return *u
}

// mergedSignals are those of an entry into which another was merged: the higher
// importance and tier, the uses and updates of both.
func mergedSignals(a, b Signals) Signals {
	rank := map[Maturity]int{Draft: 0, Validated: 1, Core: 2}
	if rank[b.Maturity] > rank[a.Maturity] {
		a.Maturity = b.Maturity
	}
	a.Importance, a.Recency = math.Max(a.Importance, b.Importance), math.Max(a.Recency, b.Recency)
	a.AccessCount += b.AccessCount
	a.UpdateCount += b.UpdateCount
	return a
}

// bonusAt is the importance that uses gave, decayed to a moment.
func (u Usage) bonusAt(now time.Time) float64 { return u.Bonus * decay(u.At, now) }
