package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result is one run as it is kept.
type result struct {
	Date         string     `json:"date"`
	Machine      string     `json:"machine"`
	Cores        int        `json:"cores"`
	Go           string     `json:"go"`
	Repositories []*checked `json:"repositories"`
	Skipped      []string   `json:"skipped,omitempty"`
}

// checked holds the results for one repository.
type checked struct {
	Name              string    `json:"name"`
	Version           string    `json:"version"`
	Entries           int       `json:"entries"`
	Names             int       `json:"names"`             // that the own reading of the sources found defined
	FirstHoverSeconds float64   `json:"firstHoverSeconds"` // from the start of the process
	CodeHoverSeconds  float64   `json:"codeHoverSeconds"`  // the first hover in code, right behind
	ReadySeconds      float64   `json:"readySeconds"`      // from the start to the first pack, which waits for the code
	CPUSeconds        float64   `json:"cpuSeconds"`
	PeakMiB           float64   `json:"peakMiB"`
	Checks            []*tally  `json:"checks"`
	Unlinked          []string  `json:"unlinked"` // names in entries that are no definition, or too common or short for a link
	Packs             []packRow `json:"packs"`
}

// tally counts one kind of check.
type tally struct {
	Name  string   `json:"name"`
	N     int      `json:"n"`
	Wrong []string `json:"wrong"`
}

// count records one check; where and what describe it if it failed.
func (c *checked) count(name, where string, right bool, what string) {
	i := slices.IndexFunc(c.Checks, func(t *tally) bool { return t.Name == name })
	if i < 0 {
		i = len(c.Checks)
		c.Checks = append(c.Checks, &tally{Name: name, Wrong: []string{}})
	}
	c.Checks[i].N++
	if !right {
		c.Checks[i].Wrong = append(c.Checks[i].Wrong, where+": "+what)
	}
}

// packRow is how the tasks of a repository fared with one budget.
type packRow struct {
	Budget   int      `json:"budget"`
	N        int      `json:"n"`
	Entry    int      `json:"entry"` // packs that hold the labelled entry
	File     int      `json:"file"`  // packs that hold the labelled file
	Shown    int      `json:"shown"` // packs that show of the file more than a line that names it
	Both     int      `json:"both"`
	Tokens   int      `json:"tokens"` // mean
	Millis   float64  `json:"millis"` // mean time of an answer
	Missing  []string `json:"missing"`
	sum      int
	duration time.Duration
}

// add records one pack.
func (r *packRow) add(p packed, t task, took time.Duration) {
	entry, file, shown := false, false, false
	for _, item := range p.Items {
		entry = entry || item.Kind == "entry" && item.Path == t.entry
		if item.Kind != "entry" && item.Path == t.file {
			file, shown = true, shown || item.Form != "outline"
		}
	}
	// What an item list claims must stand in the text as well.
	entry = entry && strings.Contains(p.Text, t.entry)
	file = file && strings.Contains(p.Text, t.file)
	r.N++
	r.sum += p.Tokens
	r.duration += took
	if entry {
		r.Entry++
	} else {
		r.Missing = append(r.Missing, t.entry+" for "+t.text)
	}
	if file {
		r.File++
	} else {
		r.Missing = append(r.Missing, t.file+" for "+t.text)
	}
	if file && shown {
		r.Shown++
	}
	if entry && file {
		r.Both++
	}
}

func (r packRow) mean() packRow {
	r.Tokens = r.sum / max(1, r.N)
	r.Millis = float64(r.duration.Microseconds()) / 1000 / float64(max(1, r.N))
	return r
}

// passed reports whether every check held; how much packs hold is not a check.
func (r *result) passed() bool {
	for _, c := range r.Repositories {
		if slices.ContainsFunc(c.Checks, func(t *tally) bool { return len(t.Wrong) > 0 }) {
			return false
		}
	}
	return true
}

// wrongShown is how many failures of one kind the table spells out.
const wrongShown = 10

// table is the result for people.
func (r *result) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %d cores · %s\n", r.Date, r.Machine, r.Cores, r.Go)
	for _, c := range r.Repositories {
		c.write(&b)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "\n%s\n", s)
	}
	return b.String()
}

func (c *checked) write(b *strings.Builder) {
	fmt.Fprintf(
		b,
		"\n%s %s: %d entries, %d names defined; first hover %.2f s after the start, then one in code %.2f s, code read after %.1f "+
			"s; %.1f s of processor time, %.0f MiB at most\n\n", c.Name, c.Version, c.Entries, c.Names, c.FirstHoverSeconds,
		c.CodeHoverSeconds, c.ReadySeconds, c.CPUSeconds, c.PeakMiB)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, t := range c.Checks {
		fmt.Fprintf(w, "%s\t%d of %d right\n", t.Name, t.N-len(t.Wrong), t.N)
	}
	w.Flush()
	for _, t := range c.Checks {
		for i, wrong := range t.Wrong {
			if i == wrongShown {
				fmt.Fprintf(b, "  … and %d more\n", len(t.Wrong)-i)
				break
			}
			fmt.Fprintf(b, "  %s: %s\n", t.Name, wrong)
		}
	}
	b.WriteString("\n")
	fmt.Fprintln(w, "pack budget\ttasks\tentry inside\tfile inside\tmore than its outline\tboth\tmean tokens\tmean ms")
	for _, p := range c.Packs {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\n", p.Budget, p.N, p.Entry, p.File, p.Shown, p.Both, p.Tokens, p.Millis)
	}
	w.Flush()
}
