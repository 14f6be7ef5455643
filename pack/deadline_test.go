package pack

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// ticking is a clock that goes on by a step each time it is read.
func ticking(step time.Duration) (clock func() time.Time, start time.Time) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	start = now
	return func() time.Time {
		now = now.Add(step)
		return now
	}, start
}

// However early the deadline, there is an answer that says what it lacks.
func TestDeadlineCutsStagesOff(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	seen := map[string]bool{}
	for _, within := range []time.Duration{0, time.Second, 3 * time.Second, 6 * time.Second, 20 * time.Second, 70 * time.Second,
		200 * time.Second} {
		clock, start := ticking(time.Second)
		in.Clock = clock
		task := Task{Text: "fix parse of the snapshot", Budget: 3000, File: "format/parse.go", Offset: 900, Deadline: start.Add(within)}
		p := keeps(t, in, task)
		if !slices.ContainsFunc(p.Items, func(i Item) bool { return i.Path == "format/parse.go" }) {
			t.Errorf("%v: the open file is missing in %v", within, p.Items)
		}
		if len(p.Degraded) == 0 {
			t.Errorf("%v: nothing was left out", within)
		}
		for _, d := range p.Degraded {
			seen[d] = true
		}
	}
	for _, want := range []string{noEntries, noRanking, noForms, noBodies, noFill} {
		if !seen[want] {
			t.Errorf("no deadline leaves out: %s", want)
		}
	}
}

func TestFarDeadlineChangesNothing(t *testing.T) {
	in := inputs(t, filepath.Join("..", "tree"), ownEntries)
	task := Task{Text: "fix parse of the snapshot", Budget: 3000, Offset: -1}
	want := keeps(t, in, task)
	clock, start := ticking(0)
	in.Clock, task.Deadline = clock, start.Add(time.Hour)
	if p := keeps(t, in, task); p.Text != want.Text || len(p.Degraded) > 0 {
		t.Errorf("degraded: %v", p.Degraded)
	}
}
