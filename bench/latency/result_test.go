package main

import (
	"strings"
	"testing"
	"time"
)

func TestPercentileIsAValueThatWasMeasured(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	for _, c := range []struct {
		values []float64
		p      int
		want   float64
	}{{hundred, 50, 50}, {hundred, 95, 95}, {hundred, 100, 100}, {[]float64{1, 2, 3}, 50, 2}, {[]float64{7}, 99, 7}, {nil, 50, 0}} {
		if got := percentile(c.values, c.p); got != c.want {
			t.Errorf("percentile %d of %d values: %g, want %g", c.p, len(c.values), got, c.want)
		}
	}
}

func TestMissedTargetsAndWrongAnswersFail(t *testing.T) {
	run := func(hover time.Duration, right bool) *result {
		r := &result{}
		r.started(time.Millisecond, 2*time.Millisecond, usage{})
		r.started(time.Millisecond, 3*time.Millisecond, usage{})
		r.took("hover on a relation", hover, right)
		r.took("definition", time.Millisecond, true)
		r.finish()
		return r
	}
	if r := run(time.Millisecond, true); !r.passed() || r.FirstHover[0] != 2 || r.FirstQuery[0] != 3 {
		t.Errorf("a good run failed:\n%s", r.table())
	}
	if r := run(6*time.Millisecond, true); r.passed() || !strings.Contains(r.table(), "MISSED") {
		t.Errorf("a missed target passed:\n%s", r.table())
	}
	if run(time.Millisecond, false).passed() {
		t.Error("a wrong answer passed")
	}
}
