package retrieval

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

var baseBest = map[string][4]float64{
	"cacm":            {.086, .206, .288, .702},
	"cookbook-docs":   {.455, .742, .857, .891},
	"locomo-session":  {.643, .893, .944, .793},
	"locomo-facts":    {.566, .805, .880, .705},
	"cosqa":           {.250, .476, .576, .346},
	"devdocs-anchors": {.599, .839, .887, .702},
	"win32-24k":       {.697, .798, .853, .746},
}
var setWeight = map[string]float64{"cacm": .3, "cookbook-docs": .4, "locomo-session": 1, "locomo-facts": .7, "cosqa": 1, "devdocs-anchors": 1.2, "win32-24k": 1}

func objective(t testing.TB, ds []*dset, tu Tuned) float64 {
	tuned = tu
	u := 0.0
	for _, d := range ds {
		m := d.measure()
		for i, b := range baseBest[d.name] {
			g := m[i] - b
			if g < 0 {
				g *= 3
			}
			u += setWeight[d.name] * g
		}
	}
	return u
}

func TestOpt(t *testing.T) {
	if os.Getenv("OPT") == "" {
		t.Skip()
	}
	dir := os.Getenv("DATA")
	var ds []*dset
	for _, s := range strings.Fields("cacm cookbook-docs locomo-session locomo-facts cosqa devdocs-anchors win32-24k") {
		ds = append(ds, load(t, dir, s))
	}
	cur := tuned
	json.Unmarshal([]byte(os.Getenv("START")), &cur)
	type knob struct {
		name string
		p    func(*Tuned) *float64
	}
	knobs := []knob{
		{"Pass", func(t *Tuned) *float64 { return &t.Pass }},
		{"Title", func(t *Tuned) *float64 { return &t.Title }},
		{"Head", func(t *Tuned) *float64 { return &t.Head }},
		{"Bbody", func(t *Tuned) *float64 { return &t.B[fieldBody] }},
		{"Btitle", func(t *Tuned) *float64 { return &t.B[fieldTitle] }},
		{"Pair", func(t *Tuned) *float64 { return &t.Pair }},
		{"K1", func(t *Tuned) *float64 { return &t.K1 }},
		{"Whead", func(t *Tuned) *float64 { return &t.Weight[fieldHeadings] }},
		{"Wtitle", func(t *Tuned) *float64 { return &t.Weight[fieldTitle] }},
		{"Wpath", func(t *Tuned) *float64 { return &t.Weight[fieldPath] }},
		{"Comp", func(t *Tuned) *float64 { return &t.Comp }},
		{"Part", func(t *Tuned) *float64 { return &t.Part }},
		{"Whole", func(t *Tuned) *float64 { return &t.Whole }},
		{"Coord", func(t *Tuned) *float64 { return &t.Coord }},
	}
	best := objective(t, ds, cur)
	fmt.Printf("start %.4f\n", best)
	for round := range 2 {
		for _, k := range knobs {
			for _, f := range []float64{1.35, 1 / 1.35} {
				for {
					n := cur
					p := k.p(&n)
					if *p == 0 {
						if f < 1 {
							break
						}
						*p = 0.1
					} else {
						*p = *p * f
					}
					if k.name[0] == 'B' {
						*p = math.Min(*p, 1)
					}
					o := objective(t, ds, n)
					if o <= best+0.001 {
						break
					}
					best, cur = o, n
					fmt.Printf("%d %s -> %.3f : %.4f\n", round, k.name, *p, o)
				}
			}
		}
		b, _ := json.Marshal(cur)
		fmt.Printf("round %d: %.4f %s\n", round, best, b)
	}
}

func (d *dset) measure() [4]float64 {
	var out [4]float64
	n := 0.0
	for _, q := range d.queries {
		if id := 0; d.name == "win32-24k" && func() bool { fmt.Sscanf(q.ID, "w%d", &id); return id%4 > 1 }() {
			continue
		}
		rel := d.rel[q.ID]
		if len(rel) == 0 {
			continue
		}
		n++
		first := 0
		for i, p := range d.x.devSearch(q.Text) {
			if rel[d.id[p]] {
				k := float64(len(rel))
				if i < 1 {
					out[0] += 1 / k
				}
				if i < 5 {
					out[1] += 1 / k
				}
				out[2] += 1 / k
				if first == 0 {
					first = i + 1
				}
			}
		}
		if first > 0 {
			out[3] += 1 / float64(first)
		}
	}
	for i := range out {
		out[i] /= n
	}
	return out
}
