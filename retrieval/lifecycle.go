package retrieval

import (
	"math"
	"time"

	"github.com/brv-lsp/brv-lsp/tree/format"
)

// Used as the order of hits, the compound score of the specification hides relevance: in the reference system
// the right entry came first in 58 % of the questions of a fresh tree and in 31–44 % after some use. Here it
// is a factor close to 1: an entry's compound score divided by that of an ordinary one (importance 50, just
// updated, draft), both at full relevance, to the power of lifecycleExponent. The ratio lies between
// 0.6/0.875 and 1.15/0.875, the factor between 0.963 and 1.028. So signals decide between hits whose
// relevance is within 7 %, and never between others.
const (
	weightRelevance  = 0.60
	weightImportance = 0.25
	weightRecency    = 0.15

	lifecycleExponent = 0.1

	ordinary = weightRelevance + weightImportance*0.5 + weightRecency
)

// compound is the specification's score of a relevance between 0 and 1.
func compound(relevance float64, s format.Signals) float64 {
	importance, recency := min(1, max(0, s.Importance/100)), min(1, max(0, s.Recency))
	return (weightRelevance*relevance + weightImportance*importance + weightRecency*recency) * s.Maturity.Boost()
}

// lifecycle is the factor by which an entry's signals move its score.
func lifecycle(s format.Signals) float64 {
	return math.Pow(compound(1, s)/ordinary, lifecycleExponent)
}

// currentSignals are an entry's signals at the given time, or as stored if the time is zero. An entry without
// counted signals is treated as ordinary until it is used, and use never lowers it: only signals that were
// counted or stated decay.
func (x *Index) currentSignals(e *format.Entry, now time.Time) format.Signals {
	counted, _ := x.snap.Counted(e.Path)
	switch {
	case !now.IsZero():
		s := x.snap.Signals(e.Path, now)
		if !counted.Has {
			s.Importance, s.Recency = max(s.Importance, format.NewSignals().Importance), 1
		}
		return s
	case counted.Has:
		return counted
	}
	return format.NewSignals()
}
