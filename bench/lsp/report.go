package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// report is one run as it is kept. Durations are in milliseconds.
type report struct {
	Date    string    `json:"date"`
	Machine string    `json:"machine"`
	Cores   int       `json:"cores"`
	Load    string    `json:"load"` // average of a minute, before and after; other work makes the wall clock slower
	Entries int       `json:"entries"`
	Servers []*server `json:"servers"`
	Targets []target  `json:"targets"`
}

// server holds the measurements of one server.
type server struct {
	Name    string   `json:"name"`
	Ours    bool     `json:"ours"`
	FirstMS float64  `json:"firstMs"` // until links and symbols were answered
	WarmMS  float64  `json:"warmMs"`  // from opening the first document until links are answered
	WarmCPU float64  `json:"warmCpuSeconds"`
	Kinds   []*taken `json:"kinds"`
	Typing  []typed  `json:"typing"`
	IdleCPU float64  `json:"idleCpu"` // share of a core without requests
	RestMiB float64  `json:"restMiB"` // in the end, proportional share (PSS) of all its processes
	PeakMiB float64  `json:"peakMiB"` // the most that was sampled
	// WrongAt are the requests that were answered wrongly, each once.
	WrongAt []string `json:"wrongAt,omitempty"`
}

// typed is the load while a document was typed in, requests included.
type typed struct {
	Into string  `json:"into"`
	CPU  float64 `json:"cpu"` // share of a core
}

// taken are the durations of one kind of request.
type taken struct {
	Name  string  `json:"name"`
	N     int     `json:"n"`
	Wrong int     `json:"wrong"` // answers that were empty or not the right ones
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
	// KeyP95 is of those that came directly behind a key.
	KeyP95 float64 `json:"behindKeyP95"`

	all, key []float64
}

// target is a limit for a figure, with the measured value.
type target struct {
	Name  string  `json:"name"`
	Limit float64 `json:"limit"`
	Got   float64 `json:"got"`
	Met   bool    `json:"met"`
}

func newReport(p *project) *report {
	return &report{
		Date: time.Now().UTC().Format("2006-01-02"), Machine: runtime.GOOS + "/" + runtime.GOARCH + processor(),
		Cores: runtime.NumCPU(), Load: load(), Entries: p.entries,
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

// took books one answer.
func (s *server) took(name string, ms float64, behindKey, right bool) {
	i := slices.IndexFunc(s.Kinds, func(t *taken) bool { return t.Name == name })
	if i < 0 {
		s.Kinds = append(s.Kinds, &taken{Name: name})
		i = len(s.Kinds) - 1
	}
	t := s.Kinds[i]
	t.N++
	t.all = append(t.all, ms)
	if behindKey {
		t.key = append(t.key, ms)
	}
	if !right {
		t.Wrong++
	}
}

// missed books what was asked where an answer was wrong.
func (s *server) missed(name string, params object) {
	text, _ := json.Marshal(params) // of strings and numbers
	if asked := name + " " + string(text); !slices.Contains(s.WrongAt, asked) {
		s.WrongAt = append(s.WrongAt, asked)
	}
}

func (s *server) sample(u process.Usage) { s.PeakMiB = max(s.PeakMiB, float64(u.PSS)/(1<<20)) }

// limits are the most milliseconds that nineteen of twenty answers of brv-lsp may take while
// somebody types, and what it may use.
var limits = []struct {
	kind  string
	limit float64
}{
	{"didChange", 1}, {"hover on a relation", 5}, {"hover on a symbol", 30}, {"definition", 2}, {"documentLink, typed in", 2},
	{"references", 10},
	{"completion, typed in", 15}, {"workspace/symbol", 20}, {"codeAction", 10}, {"cancel to answer", 5},
	{"initialize, from the start of the process", 30},
}

// The most that brv-lsp may use.
const (
	maxPeakMiB = 250
	maxIdleCPU = 0.001 // of a core: one tick of the system's clock in ten seconds is a thousandth
)

// finish computes the percentiles and compares with the targets.
func (r *report) finish() {
	r.Load += " to " + load()
	for _, s := range r.Servers {
		for _, t := range s.Kinds {
			t.P50, t.P95, t.P99 = process.Percentile(t.all, .5), process.Percentile(t.all, .95), process.Percentile(t.all, .99)
			t.Max, t.KeyP95 = slices.Max(t.all), process.Percentile(t.key, .95)
		}
		if !s.Ours {
			continue
		}
		for _, l := range limits {
			if i := slices.IndexFunc(s.Kinds, func(t *taken) bool { return t.Name == l.kind }); i >= 0 {
				r.hold(l.kind+", p95", l.limit, s.Kinds[i].P95)
			}
		}
		r.hold("MiB at most", maxPeakMiB, s.PeakMiB)
		r.hold("idle, share of a core", maxIdleCPU, s.IdleCPU)
	}
}

func (r *report) hold(name string, limit, got float64) {
	r.Targets = append(r.Targets, target{name, limit, got, got <= limit})
}

func (r *report) passed() bool {
	wrong := slices.ContainsFunc(r.Servers, func(s *server) bool {
		return s.Ours && slices.ContainsFunc(s.Kinds, func(t *taken) bool { return t.Wrong > 0 })
	})
	return !wrong && !slices.ContainsFunc(r.Targets, func(t target) bool { return !t.Met })
}

// table is the result for people.
func (r *report) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %d cores · load %s · %d entries\n", r.Date, r.Machine, r.Cores, r.Load, r.Entries)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range r.Servers {
		fmt.Fprintf(w, "\n%s, ms\tn\twrong\tp50\tp95\tp99\tmax\tp95 behind a key\t\n", s.Name)
		for _, t := range s.Kinds {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", t.Name, t.N, t.Wrong, t.P50, t.P95, t.P99, t.Max, t.KeyP95)
		}
		w.Flush()
		fmt.Fprintf(&b, "first right answers after %.0f ms, all read after %.0f (%.1f s of processor time)", s.FirstMS, s.WarmMS,
			s.WarmCPU)
		for _, t := range s.Typing {
			fmt.Fprintf(&b, " · typing into %s: %.0f %% of a core", t.Into, 100*t.CPU)
		}
		fmt.Fprintf(&b, " · idle: %.1f %% · %.0f MiB at rest, %.0f at most\n", 100*s.IdleCPU, s.RestMiB, s.PeakMiB)
		for _, asked := range s.WrongAt {
			fmt.Fprintf(&b, "wrong: %s\n", asked)
		}
	}
	b.WriteString("\n")
	for _, t := range r.Targets {
		verdict := "met"
		if !t.Met {
			verdict = "MISSED"
		}
		fmt.Fprintf(&b, "target %s ≤ %g: %.2f, %s\n", t.Name, t.Limit, t.Got, verdict)
	}
	return b.String()
}
