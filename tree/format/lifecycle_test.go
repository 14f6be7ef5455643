package format

import (
	"math"
	"testing"
	"time"
)

var year2026 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(days float64) time.Time {
	return year2026.Add(time.Duration(days * 24 * float64(time.Hour)))
}

func TestTierHasHysteresis(t *testing.T) {
	for _, c := range []struct {
		from       Maturity
		importance float64
		want       Maturity
	}{
		{Draft, 0, Draft}, {Draft, 64.999, Draft}, {Draft, 65, Validated}, {Draft, 84.999, Validated}, {Draft, 85, Core},
		{Draft, 100, Core},
		{Validated, 34.999, Draft}, {Validated, 35, Validated}, {Validated, 64, Validated}, {Validated, 84.999, Validated},
		{Validated, 85, Core},
		{Core, 100, Core}, {Core, 60, Core}, {Core, 59.999, Validated}, {Core, 35, Validated}, {Core, 34.999, Draft}, {Core, 0, Draft},
		{"", 50, Draft}, {"", 70, Validated}, {"unheard of", 90, Core},
	} {
		if got := Tier(c.from, c.importance); got != c.want {
			t.Errorf("%q at %v: %s, want %s", c.from, c.importance, got, c.want)
		}
	}
}

func TestTierIsMonotoneAndSettled(t *testing.T) {
	rank := map[Maturity]int{Draft: 0, Validated: 1, Core: 2}
	for _, m := range []Maturity{Draft, Validated, Core} {
		last := 0
		for v := 0.0; v <= 100; v += 0.25 {
			got := Tier(m, v)
			if rank[got] < last {
				t.Errorf("%s at %v is %s, less than at a lower importance", m, v, got)
			}
			if again := Tier(got, v); again != got {
				t.Errorf("%s at %v is %s, looked at again %s", m, v, got, again)
			}
			last = rank[got]
		}
	}
}

func TestBoost(t *testing.T) {
	for m, want := range map[Maturity]float64{Draft: 1, Validated: 1.08, Core: 1.15, "": 1, "x": 1} {
		if got := m.Boost(); got != want {
			t.Errorf("%q: %v, want %v", m, got, want)
		}
	}
}

func TestSignalsThroughYears(t *testing.T) {
	type step struct {
		days             float64 // since the step before
		uses, updates    int
		importance       float64
		maturity         Maturity
		access, curation int
	}
	for name, steps := range map[string][]step{
		"a fresh entry that is used becomes validated, then core": {
			{0, 0, 0, 50, Draft, 0, 0}, {0, 4, 0, 62, Draft, 4, 0}, {0, 1, 0, 65, Validated, 5, 0},
			{0, 6, 0, 83, Validated, 11, 0}, {0, 1, 0, 86, Core, 12, 0}, {0, 9, 0, 100, Core, 21, 0}, {0, 1000, 0, 100, Core, 1021, 0},
		},
		"a core entry nobody uses falls slowly": {
			{0, 17, 0, 100, Core, 17, 0}, {100, 0, 1, 65.577, Core, 17, 1}, {10, 0, 1, 67.371, Core, 17, 2},
			{30, 0, 1, 62.965, Validated, 17, 3},
			{150, 0, 1, 34.686, Draft, 17, 4},
		},
		"ten years later one use does not make it valuable": {
			{0, 5, 0, 65, Validated, 5, 0}, {3650, 1, 0, 3, Draft, 6, 0}, {0, 1, 0, 6, Draft, 7, 0},
		},
		"one use a day holds an entry at the top": {
			{0, 0, 1, 55, Draft, 0, 1}, {1, 10, 0, 84.725, Validated, 10, 1}, {1, 10, 0, 100, Core, 20, 1}, {1, 1, 0, 100, Core, 21, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSignals()
			for i, c := range steps {
				s = s.At(year2026, after(c.days)).Used(c.uses)
				for range c.updates {
					s = s.Updated()
				}
				if math.Abs(s.Importance-c.importance) > 0.001 || s.Maturity != c.maturity || s.AccessCount != c.access ||
					s.UpdateCount != c.curation {
					t.Errorf("step %d: %+v, want %+v", i, s, c)
				}
				if c.updates > 0 && s.Recency != 1 {
					t.Errorf("step %d: recency %v after an update", i, s.Recency)
				}
			}
		})
	}
}

func TestUsesAtOnceAreUsesOneByOne(t *testing.T) {
	for _, m := range []Maturity{Draft, Validated, Core} {
		for importance := 0.0; importance <= 100; importance += 2.5 {
			start := Signals{Importance: importance, Maturity: m}
			single := start
			for n := 1; n < 40; n++ {
				single = single.Used(1)
				if got := start.Used(n); got != single {
					t.Fatalf("%+v used %d times at once: %+v, one by one %+v", start, n, got, single)
				}
			}
		}
	}
	if got := NewSignals().Used(0); got != NewSignals() {
		t.Errorf("no use changed %+v", got)
	}
	if got := NewSignals().Used(-3); got != NewSignals() {
		t.Errorf("less than no use changed %+v", got)
	}
	if got := NewSignals().Used(math.MaxInt).Used(math.MaxInt).AccessCount; got != math.MaxInt32 {
		t.Errorf("access count %d", got)
	}
}

var clocks = map[string]time.Time{
	"1970":          time.Unix(0, 0),
	"year 1":        {},
	"ten years on":  year2026.AddDate(10, 0, 0),
	"ten years ago": year2026.AddDate(-10, 0, 0),
	"frozen":        year2026,
	"year 9999":     time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
}

func TestSignalsStayInBoundsOnAnyClock(t *testing.T) {
	for updatedAt, updated := range clocks {
		for nowAt, now := range clocks {
			for _, start := range []Signals{NewSignals(), {}, {Importance: 100, Recency: 1, Maturity: Core},
				{Importance: math.NaN(), Maturity: "x"}, {Importance: math.Inf(1)}, {Importance: -4}} {
				s := start.At(updated, now).Used(1).Updated()
				if !(s.Importance >= 0 && s.Importance <= 100) || !(s.Recency >= 0 && s.Recency <= 1) {
					t.Errorf("%+v updated %s, seen %s: %+v", start, updatedAt, nowAt, s)
				}
			}
		}
	}
}

func TestSignalsOnlyFallWithTime(t *testing.T) {
	s := Signals{Importance: 90, Recency: 1, Maturity: Core}
	last := s.At(year2026, after(-100))
	if last.Importance != 90 || last.Recency != 1 {
		t.Errorf("before the update: %+v", last)
	}
	for d := -30.0; d < 8000; d += 0.7 {
		now := s.At(year2026, after(d))
		if now.Importance > last.Importance || now.Recency > last.Recency {
			t.Fatalf("on day %v %+v rose from %+v", d, now, last)
		}
		last = now
	}
	if half := s.At(year2026, after(21)).Recency; math.Abs(half-0.5) > 0.01 {
		t.Errorf("recency after 21 days is %v, the specification says about a half", half)
	}
}

func TestWhatAnEntryDoesNotStateCountsAsNew(t *testing.T) {
	for text, want := range map[string]Signals{
		"no frontmatter":                             {Importance: 50, Recency: 1, Maturity: Draft},
		"---\nimportance: 0\n---\n":                  {Importance: 0, Recency: 1, Maturity: Draft, Has: true},
		"---\nimportance: 0.0\nrecency: 0\n---\n":    {Importance: 0, Recency: 0, Maturity: Draft, Has: true},
		"---\nimportance: lots\n---\n":               {Importance: 50, Recency: 1, Maturity: Draft},
		"---\nimportance: [0]\n---\n":                {Importance: 50, Recency: 1, Maturity: Draft},
		"---\nmaturity: core\n---\n":                 {Importance: 85, Recency: 1, Maturity: Core, Has: true},
		"---\nimportance: 70\naccessCount: 8\n---\n": {Importance: 70, Recency: 1, Maturity: Draft, AccessCount: 8, Has: true},
	} {
		if got := Stated(Parse("a/b/c.md", text)); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
