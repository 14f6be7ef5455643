package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
)

// figure is a number by which two runs are compared, one per instance. Larger is better. ok is false for an
// instance that does not have the figure.
type figure struct {
	name string
	of   func(record) (value float64, ok bool)
}

func figures() []figure {
	out := []figure{
		{"MRR", func(r record) (float64, bool) { f := first(r.Ranks[engineOurs]); return reciprocal(f), true }},
	}
	for d, depth := range depths {
		out = append(out, figure{fmt.Sprintf("hit@%d", depth), func(r record) (float64, bool) {
			return qualityOf([]record{r}, engineOurs).Hit[d], true
		}})
	}
	for _, budget := range budgets {
		out = append(out,
			figure{fmt.Sprintf("lines in %d tokens", budget), func(r record) (float64, bool) {
				return sharesOf([]record{r}, engineOurs, budget).Lines, true
			}},
			figure{fmt.Sprintf("functions in %d tokens", budget), func(r record) (float64, bool) {
				s := sharesOf([]record{r}, engineOurs, budget)
				return s.Full, s.asked > 0
			}})
	}
	for _, engine := range []string{editingAlone, editingTask} {
		out = append(out, figure{"others by " + engine + ", MRR", func(r record) (float64, bool) {
			c := companyOf([]record{r}, engine)
			return c.MRR, c.Opened > 0
		}})
	}
	return out
}

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// shownLosses is how many lost instances are named.
const shownLosses = 5

// compare pairs the instances of two runs.
func compare(a, b []record) []difference {
	before := map[string]record{}
	for _, r := range a {
		before[r.ID] = r
	}
	var out []difference
	for _, f := range figures() {
		out = append(out, differ(f, before, b))
	}
	return out
}

// loss is how much worse an instance became.
type loss struct {
	id string
	by float64
}

// differ compares one figure.
func differ(f figure, before map[string]record, after []record) difference {
	d := difference{Figure: f.name}
	var changes []float64
	var losses []loss
	for _, r := range after {
		old, ok := before[r.ID]
		x, ok1 := f.of(old)
		y, ok2 := f.of(r)
		if !ok || !ok1 || !ok2 {
			continue
		}
		d.A += x
		d.B += y
		changes = append(changes, y-x)
		switch {
		case y > x:
			d.Wins++
		case y < x:
			losses = append(losses, loss{r.ID, x - y})
		}
	}
	d.Pairs, d.Losses = len(changes), len(losses)
	d.A /= float64(max(1, d.Pairs))
	d.B /= float64(max(1, d.Pairs))
	d.P = signTest(d.Wins, d.Losses)
	d.Low, d.High = interval(changes)
	slices.SortFunc(losses, func(a, b loss) int { return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.id, b.id)) })
	for _, l := range losses[:min(shownLosses, len(losses))] {
		d.IDs = append(d.IDs, l.id)
	}
	return d
}

// resamples is how often the bootstrap draws (Efron and Tibshirani 1993, section 13.3:
// 1,000 for percentiles).
const resamples = 2000

// interval holds the mean of 95 % of resamples; equal inputs draw equal samples.
func interval(changes []float64) (low, high float64) {
	if len(changes) == 0 {
		return 0, 0
	}
	random := rand.New(rand.NewPCG(1, 1))
	means := make([]float64, resamples)
	for i := range means {
		for range changes {
			means[i] += changes[random.IntN(len(changes))]
		}
		means[i] /= float64(len(changes))
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000-1]
}

// readRuns reads a runs file. Of several lines with one id the last counts.
func readRuns(file string) ([]record, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []record
	at := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 16*maxLine)
	for n := 1; lines.Scan(); n++ {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if i, twice := at[r.ID]; twice {
			out[i] = r
			continue
		}
		at[r.ID] = len(out)
		out = append(out, r)
	}
	return out, lines.Err()
}
