package tree

import (
	"math"
	"time"
)

// Constants of the lifecycle: paper, section 3.2.3 and Table 7.
const (
	importanceDecay = 0.995 // a day
	recencyDays     = 30.0  // time constant of recency
)

// At returns the signals as they stand at a moment: importance decayed and
// recency computed from the time of the last update. Without that time they
// stay as stated. Clocks that ran backwards count as no time passed.
func (s Signals) At(updated, now time.Time) Signals {
	if updated.IsZero() {
		return s
	}
	days := max(0, now.Sub(updated).Hours()/24)
	s.Importance *= math.Pow(importanceDecay, days)
	s.Recency = math.Exp(-days / recencyDays)
	return s
}
