package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// report is the whole run as one object.
type report struct {
	Go      string   `json:"go"`
	CPUs    int      `json:"cpus"`
	From    []string `json:"from"` // names of the folders
	Sizes   []size   `json:"sizes"`
	Targets []target `json:"targets"`
}

// size holds the measurements of a tree of one size. Times are in milliseconds, memory in bytes.
type size struct {
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
	Mapped int   `json:"mapped"` // files in the map

	Baseline process.Spent `json:"baseline"` // tree-sitter alone
	Captures int           `json:"captures"`
	Scan     process.Spent `json:"scan"`
	Save     process.Spent `json:"save"`
	Start    process.Spent `json:"start"` // with what was kept

	FirstPack    process.Spent `json:"first_pack"`
	FirstPending int           `json:"first_pending"` // files without syntax then
	FirstItems   int           `json:"first_items"`

	Rank   kind `json:"rank"`
	Select kind `json:"select"` // with ranking
	Pack   kind `json:"pack"`   // with ranking
	Open   kind `json:"open"`   // ranking with a file open
	Load   kind `json:"load"`   // the first edit in a language
	Edit   kind `json:"edit"`   // a comment more
	Define kind `json:"define"` // a function more
	Moved  kind `json:"moved"`  // ranking after the cursor moved
	Key    kind `json:"key"`    // With, one more text of an open file
	New    kind `json:"new"`    // With, a file that is not on disk
	Walk   kind `json:"walk"`   // Update that finds no change

	ScanHeap  int64 `json:"scan_heap"`  // live after the first scan
	ScanPeak  int64 `json:"scan_peak"`  // resident at most, of the process without its parsers
	StartHeap int64 `json:"start_heap"` // live after the second start
	LastHeap  int64 `json:"last_heap"`  // live after all queries and edits
	StartPeak int64 `json:"start_peak"` // resident at most till then

	Fingerprint string `json:"fingerprint"`
	Same        string `json:"second_fingerprint"` // of the second start: must be equal
}

// target is a limit for a figure, with the measured value.
type target struct {
	Name  string  `json:"name"`
	Limit float64 `json:"limit"`
	Got   float64 `json:"got"`
	Met   bool    `json:"met"`
}

func newReport(from []string) *report {
	r := &report{Go: runtime.Version(), CPUs: runtime.NumCPU()}
	for _, dir := range from {
		r.From = append(r.From, filepath.Base(dir))
	}
	return r
}

// finish computes percentiles and compares with the targets.
func (r *report) finish() {
	for i := range r.Sizes {
		s := &r.Sizes[i]
		for _, k := range []*kind{&s.Rank, &s.Select, &s.Pack, &s.Open, &s.Load, &s.Edit, &s.Define, &s.Moved, &s.Key, &s.New, &s.Walk} {
			k.finish()
		}
	}
	for i := range r.Sizes {
		r.Targets = append(r.Targets, r.Sizes[i].targets()...)
	}
	if n := len(r.Sizes); n > 1 {
		a, b := &r.Sizes[0], &r.Sizes[n-1]
		// Beyond a linear growth of bytes: files of one tree are not those of the other.
		growth := ratio(b.Scan.CPU, a.Scan.CPU) / ratio(float64(b.Bytes), float64(a.Bytes))
		r.Targets = append(r.Targets, target{Name: fmt.Sprintf("scan of %d files beside %d, CPU a byte", b.Files, a.Files),
			Limit: 1.1, Got: growth})
	}
	for i := range r.Targets {
		r.Targets[i].Met = r.Targets[i].Got <= r.Targets[i].Limit
	}
}

const (
	million = 1e6 // bytes
	second  = 1e3 // ms
)

// targets are those for a tree of this size. What is promised for one size holds for
// smaller ones.
func (s *size) targets() (out []target) {
	add := func(most int, name string, limit, got float64) {
		if s.Files <= most && got > 0 { // 0: that step was not asked for
			out = append(out, target{Name: fmt.Sprintf("%d files: %s", s.Files, name), Limit: limit, Got: got})
		}
	}
	add(1<<62, "first scan, CPU beside tree-sitter alone", 1.25, ratio(s.Scan.CPU, s.Baseline.CPU))
	add(5000, "first pack, ms", 3*second, s.FirstPack.Wall)
	add(10000, "second start, ms", 1*second, s.Start.Wall)
	add(1<<62, "edit, ms of CPU p95", 20, s.Edit.CPU95)
	switch {
	case s.Files <= 5000:
		add(5000, "ranking and selection, ms of CPU p95", 60, s.Select.CPU95)
		add(5000, "ranking and pack, ms of CPU p95", 60, s.Pack.CPU95)
	default:
		add(20000, "ranking and selection, ms of CPU p95", 250, s.Select.CPU95)
		add(20000, "ranking and pack, ms of CPU p95", 250, s.Pack.CPU95)
	}
	add(20000, "live memory, MB", 300, float64(max(s.ScanHeap, s.StartHeap, s.LastHeap))/million)
	add(20000, "resident memory, MB at most", 300, float64(max(s.ScanPeak, s.StartPeak))/million)
	if s.Same != "" && s.Same != s.Fingerprint { // "": there was no second start
		out = append(out, target{Name: fmt.Sprintf("%d files: maps of the second start that differ", s.Files), Limit: 0, Got: 1})
	}
	return out
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// table shows the report as markdown: a column for each size.
func (r *report) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d CPUs; files of %s. Times in ms, wall / processor time.\n\n", r.Go, r.CPUs, strings.Join(r.From, ", "))
	row := func(name string, cell func(*size) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for i := range r.Sizes {
			fmt.Fprintf(&b, " %s |", cell(&r.Sizes[i]))
		}
		b.WriteString("\n")
	}
	row("files", func(s *size) string { return fmt.Sprint(s.Files) })
	b.WriteString("|---|" + strings.Repeat("---|", len(r.Sizes)) + "\n")
	spent := func(x process.Spent) string { return fmt.Sprintf("%.0f / %.0f", x.Wall, x.CPU) }
	answer := func(k kind) string {
		return fmt.Sprintf("%.1f / %.1f, %.1f / %.1f", k.P50, k.CPU50, k.P95, k.CPU95)
	}
	memory := func(n int64) string { return fmt.Sprintf("%.0f", float64(n)/million) }
	row("MB", func(s *size) string { return memory(s.Bytes) })
	row("tree-sitter alone", func(s *size) string { return spent(s.Baseline) })
	row("first scan", func(s *size) string { return spent(s.Scan) })
	row("… beside tree-sitter alone, CPU", func(s *size) string { return fmt.Sprintf("%.2f", ratio(s.Scan.CPU, s.Baseline.CPU)) })
	row("… CPU a file", func(s *size) string { return fmt.Sprintf("%.2f", s.Scan.CPU/float64(s.Files)) })
	row("keeping what was read", func(s *size) string { return spent(s.Save) })
	row("first pack", func(s *size) string { return spent(s.FirstPack) })
	row("… files without syntax then", func(s *size) string { return fmt.Sprint(s.FirstPending) })
	row("second start", func(s *size) string { return spent(s.Start) })
	row("rank, p50, p95", func(s *size) string { return answer(s.Rank) })
	row("rank with a file open, p50, p95", func(s *size) string { return answer(s.Open) })
	row("rank and select, p50, p95", func(s *size) string { return answer(s.Select) })
	row("rank and pack, p50, p95", func(s *size) string { return answer(s.Pack) })
	row("first edit in a language, p50, p95", func(s *size) string { return answer(s.Load) })
	row("edit, p50, p95", func(s *size) string { return answer(s.Edit) })
	row("edit with a new name, p50, p95", func(s *size) string { return answer(s.Define) })
	row("rank after the cursor moved, p50, p95", func(s *size) string { return answer(s.Moved) })
	row("keystroke, p50, p95", func(s *size) string { return answer(s.Key) })
	row("new unsaved file, p50, p95", func(s *size) string { return answer(s.New) })
	row("walk without change, p50, p95", func(s *size) string { return answer(s.Walk) })
	row("live MB after first scan, second start, queries and edits", func(s *size) string {
		return memory(s.ScanHeap) + ", " + memory(s.StartHeap) + ", " + memory(s.LastHeap)
	})
	row("resident MB at most, first scan, second start with queries and edits", func(s *size) string {
		return memory(s.ScanPeak) + ", " + memory(s.StartPeak)
	})
	b.WriteString("\n")
	for _, t := range r.Targets {
		verdict := "met"
		if !t.Met {
			verdict = "MISSED"
		}
		fmt.Fprintf(&b, "- %s ≤ %g: %.4g, %s\n", t.Name, t.Limit, t.Got, verdict)
	}
	return b.String()
}
