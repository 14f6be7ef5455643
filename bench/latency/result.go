package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// result is one run as it is kept. Durations are in milliseconds.
type result struct {
	Date    string `json:"date"`
	Machine string `json:"machine"` // what matters for speed; no names
	Cores   int    `json:"cores"`
	Go      string `json:"go"`             // of this program, and of the server if it was built here
	Load    string `json:"load,omitempty"` // average of a minute, before and after; other work makes the wall clock slower

	Documents string  `json:"documents"` // the set's name
	Entries   int     `json:"entries"`
	MiB       float64 `json:"mib"`
	Relations int     `json:"relations"` // made up, up to three for each entry

	// Starts of the server; the first one finds no caches.
	Initialize []float64 `json:"spawnToInitialize"`
	FirstHover []float64 `json:"spawnToFirstHover"`
	FirstQuery []float64 `json:"spawnToFirstQuery"`
	HoverCPU   []float64 `json:"cpuUntilFirstHover"` // seconds, with shutting down
	QueryCPU   []float64 `json:"cpuUntilFirstQuery"`

	Kinds      []*kind  `json:"kinds"`
	CPUSeconds float64  `json:"cpuSeconds"` // of the long session
	PeakMiB    float64  `json:"peakMiB"`
	Targets    []target `json:"targets"`

	lastCPU time.Duration
}

// kind is one kind of request.
type kind struct {
	Name  string    `json:"name"`
	N     int       `json:"n"`
	Wrong int       `json:"wrong"` // answers that were empty or not the right ones
	P50   float64   `json:"p50"`
	P95   float64   `json:"p95"`
	P99   float64   `json:"p99"`
	Max   float64   `json:"max"`
	CPU   float64   `json:"cpu"` // the server's processor time for each request
	All   []float64 `json:"-"`

	used time.Duration
}

// target is what a figure is held to.
type target struct {
	Name  string  `json:"name"`
	Limit float64 `json:"limit"`
	Got   float64 `json:"got"`
	Met   bool    `json:"met"`
}

func newResult(b *bench) *result {
	return &result{
		Date: time.Now().UTC().Format("2006-01-02"), Machine: runtime.GOOS + "/" + runtime.GOARCH + processor(),
		Cores: runtime.NumCPU(), Go: runtime.Version(), Load: load(),
		Documents: filepath.Base(filepath.Dir(b.docs)), Entries: len(b.documents),
		MiB: float64(b.bytes) / (1 << 20), Relations: b.relations,
	}
}

// processor names the processor where the system tells.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return ", " + strings.TrimSpace(value)
		}
	}
	return ""
}

// load is how busy the machine was in the last minute, "" if not known.
func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// started records one start; first hover and first question take turns.
func (r *result) started(initialized, answered time.Duration, used usage) {
	r.Initialize = append(r.Initialize, ms(initialized))
	if len(r.FirstHover) == len(r.FirstQuery) {
		r.FirstHover, r.HoverCPU = append(r.FirstHover, ms(answered)), append(r.HoverCPU, used.cpu.Seconds())
		return
	}
	r.FirstQuery, r.QueryCPU = append(r.FirstQuery, ms(answered)), append(r.QueryCPU, used.cpu.Seconds())
}

func (r *result) kind(name string) *kind {
	for _, k := range r.Kinds {
		if k.Name == name {
			return k
		}
	}
	k := &kind{Name: name}
	r.Kinds = append(r.Kinds, k)
	return k
}

// took records one answer.
func (r *result) took(name string, d time.Duration, right bool) {
	k := r.kind(name)
	k.N++
	k.All = append(k.All, ms(d))
	if !right {
		k.Wrong++
	}
}

// used books the processor time since the last booking to a kind.
func (r *result) used(name string, c *client) {
	if now, ok := c.CPU(); ok {
		r.kind(name).used += now - r.lastCPU
		r.lastCPU = now
	}
}

// finish computes the percentiles and compares with the targets.
func (r *result) finish() {
	r.Load += " to " + load()
	for _, k := range r.Kinds {
		slices.Sort(k.All)
		k.P50, k.P95, k.P99, k.Max = percentile(k.All, 50), percentile(k.All, 95), percentile(k.All, 99), percentile(k.All, 100)
		k.CPU = ms(k.used)
		if k.N > 0 {
			k.CPU /= float64(k.N)
		}
	}
	r.Targets = []target{
		{Name: "hover on a relation, p95", Limit: 5, Got: r.kind("hover on a relation").P95},
		{Name: "definition, p95", Limit: 2, Got: r.kind("definition").P95},
		{Name: "first hover after spawn, median", Limit: 2500, Got: median(r.FirstHover)},
		{Name: "first brv.query after spawn, median", Limit: 2500, Got: median(r.FirstQuery)},
	}
	for i, t := range r.Targets {
		r.Targets[i].Met = t.Got <= t.Limit
	}
}

// percentile is the smallest value that p percent of the sorted values do not
// exceed.
func percentile(sorted []float64, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*p+99)/100-1)]
}

func (r *result) passed() bool {
	for _, k := range r.Kinds {
		if k.Wrong > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(r.Targets, func(t target) bool { return !t.Met })
}

// table is the result for people.
func (r *result) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %d cores · %s · load %s\n", r.Date, r.Machine, r.Cores, r.Go, r.Load)
	fmt.Fprintf(&b, "%d entries of %s, %.1f MiB, %d made-up relations\n\n", r.Entries, r.Documents, r.MiB, r.Relations)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "after spawn, ms\tstarts\tno caches\tfastest\tmedian\tslowest\tcpu s\t")
	for _, s := range []struct {
		name     string
		all, cpu []float64
	}{{"initialize", r.Initialize, nil}, {"first hover", r.FirstHover, r.HoverCPU}, {"first brv.query", r.FirstQuery, r.QueryCPU}} {
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%s\t\n", s.name, len(s.all), s.all[0], slices.Min(s.all), median(s.all), slices.Max(s.all), seconds(s.cpu))
	}
	w.Flush()
	b.WriteString("\n")
	fmt.Fprintln(w, "answer, ms\tn\twrong\tp50\tp95\tp99\tmax\tcpu ms each\t")
	for _, k := range r.Kinds {
		if k.N == 0 {
			fmt.Fprintf(w, "%s\t\t\t\t\t\t\t%.0f in all\t\n", k.Name, k.CPU)
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", k.Name, k.N, k.Wrong, k.P50, k.P95, k.P99, k.Max, k.CPU)
	}
	w.Flush()
	fmt.Fprintf(&b, "\nlong session: %.1f s of processor time, %.0f MiB resident at most\n", r.CPUSeconds, r.PeakMiB)
	for _, t := range r.Targets {
		verdict := "met"
		if !t.Met {
			verdict = "MISSED"
		}
		fmt.Fprintf(&b, "target %s ≤ %g ms: %.2f ms, %s\n", t.Name, t.Limit, t.Got, verdict)
	}
	return b.String()
}

func median(values []float64) float64 { return percentile(slices.Sorted(slices.Values(values)), 50) }

func seconds(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", median(values))
}

// keep writes the result as JSON and as a table.
func (r *result) keep(dir string) error {
	name := filepath.Join(dir, fmt.Sprintf("latency-%s-%d-%s", r.Documents, r.Entries, r.Date))
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(name+".json", append(data, '\n'), 0o666); err != nil {
		return err
	}
	return os.WriteFile(name+".txt", []byte(r.table()), 0o666)
}
