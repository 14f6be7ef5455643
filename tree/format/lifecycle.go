package format

import (
	"math"
	"strconv"
	"time"
)

// Constants of the lifecycle: paper, section 3.2.3 and Table 7; the start values
// are those of the specification, "Scoring Metadata".
const (
	startImportance = 50.0
	TopImportance   = 100.0
	UseBonus        = 3.0
	updateBonus     = 5.0

	importanceDecay = 0.995 // a day
	recencyDays     = 30.0  // time constant of recency

	validatedFrom, draftBelow = 65.0, 35.0 // draft ⇄ validated
	coreFrom, validatedBelow  = 85.0, 60.0 // validated ⇄ core
)

// NewSignals returns the signals of an entry that has just been written:
// importance 50, recency 1, draft, never used.
func NewSignals() Signals {
	return Signals{Importance: startImportance, Recency: 1, Maturity: Draft, Has: true}
}

// At returns the signals as they stand at a moment: importance decayed and
// recency computed from the time of the last update. Without that time they
// stay as stated. Clocks that ran backwards count as no time passed. The tier
// stays; [Tier] tells what it has become.
func (s Signals) At(updated, now time.Time) Signals {
	if updated.IsZero() {
		return s
	}
	s.Importance = Bounded(s.Importance*Decay(updated, now), TopImportance)
	s.Recency = math.Exp(-days(updated, now) / recencyDays)
	return s
}

// Used returns the signals after n uses at one moment: 3 of importance each, up
// to 100. None or fewer change nothing. Recency stays, it is about updates.
func (s Signals) Used(n int) Signals {
	if n <= 0 {
		return s
	}
	s.AccessCount = SumCounts(s.AccessCount, n)
	return s.gained(UseBonus * float64(n))
}

// Updated returns the signals after a curation of the entry: 5 of importance, up
// to 100, and fresh.
func (s Signals) Updated() Signals {
	s.UpdateCount = SumCounts(s.UpdateCount, 1)
	s.Recency = 1
	return s.gained(updateBonus)
}

// gained adds importance. It also updates the tier before that, since decay may have lowered it since it was
// written.
func (s Signals) gained(bonus float64) Signals {
	m := Tier(s.Maturity, s.Importance)
	s.Importance = Bounded(s.Importance+bonus, TopImportance)
	s.Maturity = Tier(m, s.Importance)
	s.Has = true
	return s
}

// Tier returns the new tier of an entry of tier m at an importance: draft → validated from 65 and back under
// 35, validated → core from 85 and back under 60, through both if the value allows. An unknown tier counts as
// draft.
func Tier(m Maturity, importance float64) Maturity {
	switch {
	case importance >= coreFrom:
		return Core
	case importance < draftBelow:
		return Draft
	case m == Core && importance >= validatedBelow:
		return Core
	case m == Core || m == Validated || importance >= validatedFrom:
		return Validated
	}
	return Draft
}

// Boost is the factor of a tier in the compound score (specification, "Maturity
// Lifecycle").
func (m Maturity) Boost() float64 {
	switch m {
	case Validated:
		return 1.08
	case Core:
		return 1.15
	}
	return 1
}

// Stated returns the signals in the entry's frontmatter, with the start values for those that are missing. A
// tier without an importance was set by a person.
func Stated(e *Entry) Signals {
	s, fresh := e.Signals, NewSignals()
	if s.Importance == 0 && !statesZero(e, "importance") {
		s.Importance = fresh.Importance
		if s.Maturity != "" {
			s = s.Given(s.Maturity)
		}
	}
	if s.Recency == 0 && !statesZero(e, "recency") {
		s.Recency = fresh.Recency
	}
	if s.Maturity == "" {
		s.Maturity = fresh.Maturity
	}
	return s
}

// statesZero reports whether a number that reads as zero was written so.
func statesZero(e *Entry, key string) bool {
	f, ok := e.Field(key)
	if !ok || f.List {
		return false
	}
	v, err := strconv.ParseFloat(f.Value(), 64)
	return err == nil && v == 0
}

// days is the time from one moment to another in days, 0 if it runs backwards.
func days(from, to time.Time) float64 { return max(0, to.Sub(from).Hours()/24) }

// Decay is the factor for importance between two moments.
func Decay(from, to time.Time) float64 { return math.Pow(importanceDecay, days(from, to)) }

// Bounded brings a value into [0, top]; what is no number becomes 0.
func Bounded(v, top float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, top)
}

// SumCounts adds counters and stops at the largest that every reader can hold.
func SumCounts(a, b int) int {
	a, b = min(max(a, 0), math.MaxInt32), min(max(b, 0), math.MaxInt32)
	return int(min(int64(a)+int64(b), math.MaxInt32))
}

// Given returns the signals of an entry that was given a tier by somebody. Its importance is raised or
// lowered into the range in which that tier is stable.
func (s Signals) Given(m Maturity) Signals {
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

// Later is the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Rounded are the signals as they are kept: to two decimals.
func (s Signals) Rounded() Signals {
	cut := func(v, top float64) float64 { return float64(int64(Bounded(v, top)*100+0.5)) / 100 }
	s.Importance, s.Recency = cut(s.Importance, TopImportance), cut(s.Recency, 1)
	return s
}
