package tree

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// history counts event by event, as if each use were written into the entry.
type history struct {
	importance float64
	maturity   format.Maturity
	access     int
	last       time.Time
}

func (h *history) at(now time.Time) {
	h.importance *= math.Pow(0.995, now.Sub(h.last).Hours()/24)
	h.maturity = format.Tier(h.maturity, h.importance)
	h.last = now
}

func (h *history) gain(v float64) {
	h.importance = min(100, h.importance+v)
	h.maturity = format.Tier(h.maturity, h.importance)
}

func (h *history) differs(s format.Signals) bool {
	return math.Abs(h.importance-s.Importance) > 1e-9 || h.maturity != s.Maturity || h.access != s.AccessCount
}

// TestUsageEqualsCountingEventByEvent credits, reads, folds and curates in random
// order and at random times.
func TestUsageEqualsCountingEventByEvent(t *testing.T) {
	for seed := range int64(200) {
		rnd := rand.New(rand.NewSource(seed))
		start := format.Signals{Importance: float64(rnd.Intn(101)), Maturity: []format.Maturity{format.Draft, format.Validated,
			format.Core}[rnd.Intn(3)], AccessCount: rnd.Intn(5), Has: true}
		now := year2026
		e := &format.Entry{Path: "a/b/c.md", Signals: start, UpdatedAt: now}
		if start.Importance == 0 {
			e.Signals.Importance, start.Importance = 1, 1 // an unstated zero counts as 50
		}
		h := history{start.Importance, format.Tier(start.Maturity, start.Importance), start.AccessCount, now}
		var u Usage
		for i := range 100 {
			now = now.Add(time.Duration(rnd.ExpFloat64() * float64(rnd.Intn(3)) * 10 * 24 * float64(time.Hour)))
			h.at(now)
			switch what := rnd.Intn(10); {
			case what < 5:
				n := 1 + rnd.Intn(4)
				u = Credit(e, u, n, now)
				for range n {
					h.gain(format.UseBonus)
				}
				h.access += n
			case what < 7:
				before := signals(e, u, now)
				s := signals(e, u, now)
				if what == 6 {
					s = s.Updated()
					h.gain(5)
				}
				e, u = &format.Entry{Path: e.Path, Signals: s, UpdatedAt: now}, Usage{}
				if got := signals(e, u, now); what == 5 && (math.Abs(got.Importance-before.Importance) > 1e-9 ||
					got.Maturity != before.Maturity || got.AccessCount != before.AccessCount) {
					t.Fatalf("seed %d, event %d: folded %+v, before %+v", seed, i, got, before)
				}
			}
			if got := signals(e, u, now); h.differs(got) {
				t.Fatalf("seed %d, event %d: %+v, counted event by event %+v", seed, i, got, h)
			}
			if all := format.Stated(e).At(e.UpdatedAt, now).Importance + u.Bonus*format.Decay(u.At, now); all > 100+1e-9 {
				t.Fatalf("seed %d, event %d: importance %v", seed, i, all)
			}
		}
	}
}

// TestReadingChangesNothing: the tier at the end is the same however often it was
// looked at, though a fold writes it down.
func TestReadingChangesNothing(t *testing.T) {
	e := &format.Entry{Signals: format.Signals{Importance: 64, Maturity: format.Draft, Has: true}, UpdatedAt: year2026}
	u := Credit(e, Usage{}, 1, after(0)) // validated at 67
	for d := 1.0; d < 130; d++ {         // falls to 35 on day 130
		if got := signals(e, u, after(d)); got.Maturity != format.Validated {
			t.Fatalf("day %v: %+v", d, got)
		}
	}
	if got := signals(e, Credit(e, u, 1, after(125)), after(126)); got.Maturity != format.Validated {
		t.Errorf("hysteresis was lost at a use: %+v", got)
	}
	if got := signals(e, Credit(e, u, 1, after(140)), after(140)); got.Maturity != format.Draft {
		t.Errorf("a use promoted what had fallen under 35: %+v", got)
	}
}

func TestUsageOnOddClocks(t *testing.T) {
	for updatedAt, updated := range clocks {
		for first, a := range clocks {
			for second, b := range clocks {
				e := &format.Entry{Signals: format.Signals{Importance: 98, Maturity: format.Core, Has: true}, UpdatedAt: updated}
				u := Credit(e, Credit(e, Usage{}, 3, a), 3, b)
				s := signals(e, u, a)
				if !(u.Bonus >= 0 && u.Bonus <= 100) || !(s.Importance >= 0 && s.Importance <= 100) ||
					!(s.Recency >= 0 && s.Recency <= 1) || u.Access != 6 {
					t.Errorf("updated %s, used %s and %s: %+v %+v", updatedAt, first, second, u, s)
				}
				if data := EncodeUsage(map[string]Usage{"a": u}); data == nil {
					t.Errorf("updated %s, used %s and %s: not written: %+v", updatedAt, first, second, u)
				}
			}
		}
	}
}

func TestAnEntryWithoutTimeKeepsItsStatedImportance(t *testing.T) {
	e := &format.Entry{Signals: format.Signals{Importance: 40, Has: true}}
	u := Credit(e, Usage{}, 1, after(0))
	if got := signals(e, u, after(0)).Importance; got != 43 {
		t.Errorf("used: %v, want 43", got)
	}
	if got := signals(e, u, after(5000)).Importance; math.Abs(got-40) > 0.001 {
		t.Errorf("years later: %v, want 40: only the use decays", got)
	}
}

func TestANewerEntryDecidesItsTier(t *testing.T) {
	u := Usage{Access: 1, Bonus: 3, Maturity: format.Draft, At: after(0)}
	e := &format.Entry{Signals: format.Signals{Importance: 50, Maturity: format.Validated, Has: true}, UpdatedAt: after(1)}
	if got := signals(e, u, after(2)).Maturity; got != format.Validated {
		t.Errorf("the entry came validated from elsewhere, read as %s", got)
	}
}

func TestUsageFile(t *testing.T) {
	form := regexp.MustCompile(`^usage/[0-9a-f]{2}\.json$`)
	seen := map[string]bool{}
	for i := range 5000 {
		p := UsageFile(fmt.Sprintf("a/b/%d.md", i))
		if !form.MatchString(p) {
			t.Fatal(p)
		}
		seen[p] = true
	}
	if len(seen) != usageShards {
		t.Errorf("5,000 entries fall into %d files, want %d", len(seen), usageShards)
	}
	if got := UsageFile("a/b/c.md"); got != "usage/53.json" {
		t.Errorf("a/b/c.md: %s", got)
	}
}

func TestEncodeUsage(t *testing.T) {
	m := map[string]Usage{
		"b/t/<x>.md":  {Access: 2, Bonus: 5.5, Maturity: format.Validated, At: year2026, KeptAt: after(1)},
		"a/t/kept.md": {KeptAt: year2026},
		"a/t/none.md": {},
		"a/t/nan.md":  {Bonus: math.NaN()},
	}
	want := `{
  "a/t/kept.md": {
    "keptAt": "2026-01-01T00:00:00Z"
  },
  "b/t/<x>.md": {
    "access": 2,
    "bonus": 5.5,
    "maturity": "validated",
    "at": "2026-01-01T00:00:00Z",
    "keptAt": "2026-01-02T00:00:00Z"
  }
}
`
	if diff := cmp.Diff(want, string(EncodeUsage(m))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := EncodeUsage(map[string]Usage{"a": {}}); got != nil {
		t.Errorf("nothing to tell: %q", got)
	}
}

func TestDecodeUsageRefusesDamage(t *testing.T) {
	for _, bad := range []string{
		"", "null", "[]", "7", "{", `{"a":`, `{} {}`, `{"a":{"access":-1}}`, `{"a":{"access":1e99}}`, `{"a":{"access":"1"}}`,
		`{"a":{"bonus":101}}`, `{"a":{"bonus":-0.5}}`,
		`{"a":{"maturity":"king"}}`, `{"a":{"at":"soon"}}`, `{"a":7}`, "\x00\x00", strings.Repeat("[", 100_000),
	} {
		if m, err := DecodeUsage([]byte(bad)); err == nil {
			t.Errorf("%.40q: read as %v", bad, m)
		}
	}
	m, err := DecodeUsage([]byte(`{"a/b/c.md":{"access":3,"bonus":4,"later":{"x":1}},"d":{}}`))
	if err != nil || m["a/b/c.md"].Access != 3 || m["a/b/c.md"].Bonus != 4 {
		t.Errorf("%v, %v", m, err)
	}
}

func FuzzUsage(f *testing.F) {
	f.Add([]byte(`{"a/b/c.md":{"access":3,"bonus":4.5,"maturity":"core","at":"2026-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"a":{"keptAt":"2026-01-01T00:00:00+23:59"},"b":{"at":"0001-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"\ud800":{"access":1},"":{"bonus":100}}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeUsage(data)
		if err != nil {
			return
		}
		written := EncodeUsage(m)
		for p, u := range m {
			s := signals(&format.Entry{Path: p}, Credit(&format.Entry{Path: p}, u, 1, year2026), year2026)
			if !(s.Importance >= 0 && s.Importance <= 100) {
				t.Fatalf("%q: %+v", p, s)
			}
			if (u == Usage{}) {
				delete(m, p)
			}
		}
		if len(m) == 0 {
			return
		}
		again, err := DecodeUsage(written)
		if err != nil {
			t.Fatalf("%q was written and cannot be read: %v", written, err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Fatalf("(-first +again)\n%s", diff)
		}
		if !json.Valid(written) {
			t.Fatalf("%q", written)
		}
	})
}

var year2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(days float64) time.Time {
	return year2026.Add(time.Duration(days * 24 * float64(time.Hour)))
}

var clocks = map[string]time.Time{
	"1970":          time.Unix(0, 0),
	"year 1":        {},
	"ten years on":  year2026.AddDate(10, 0, 0),
	"ten years ago": year2026.AddDate(-10, 0, 0),
	"frozen":        year2026,
	"year 9999":     time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
}
