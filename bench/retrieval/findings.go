package main

import "github.com/brv-lsp/brv-lsp/bench/process"

// The names of the engines of this process; those of the peers are in peers.go.
const (
	engineOurs      = "brv-lsp"
	engineYardstick = "bm25f"
)

// findings are the measurements of one engine on one set.
type findings struct {
	engine  string
	costs   costs
	passes  [][]outcome // for each pass of the set
	foreign [][]bool    // for each pass, which foreign questions were refused; nil for an engine that cannot refuse
}

// costs are the time and memory that an engine used on one set.
type costs struct {
	Index     spent
	HeapMB    float64 // that the index adds to the documents, after a collection
	RSSPeakMB float64 // resident memory of the process from indexing on, the documents included
	Edits     []spent // one edited entry each, until it can be searched
	Reopen    *spent  // of an index on disk; nil if there is none
	Again     repeated
}

// repeated are the answers that came out of a cache of answers.
type repeated struct{ Exact, Fuzzy []spent }

// warmUpCount is the number of titles that every engine is asked first, without measuring: a process that has
// just started still compiles its code or loads its pages. Questions of the set are not used for it.
const warmUpCount = 50

func warmUp(set *dataset) []string {
	out := []string{}
	for _, d := range set.docs {
		if d.Title != "" && len(out) < warmUpCount {
			out = append(out, d.Title)
		}
	}
	return out
}

// rows are the findings as the report shows them: a row for each pass, and for the set
// named quarter one more for each pass, with a quarter of its questions.
func (f findings) rows(set *dataset, quarter string) []Row {
	var out []Row
	for i, p := range set.passes() {
		row := f.row(set, p.scope, f.passes[i])
		if f.foreign != nil && len(f.foreign[i]) > 0 {
			row.ForeignRefused = new(float64)
			row.Foreign = len(f.foreign[i])
			*row.ForeignRefused = share(f.foreign[i])
		}
		out = append(out, row)
		if set.name != quarter {
			continue
		}
		var some []outcome
		for _, o := range f.passes[i] {
			if inQuarter(o.id) {
				some = append(some, o)
			}
		}
		if len(some) > 0 {
			part := f.row(set, p.scope, some)
			part.Set += " (a quarter of the queries)"
			part.ForeignRefused, part.Foreign = row.ForeignRefused, row.Foreign
			out = append(out, part)
		}
	}
	return out
}

func (f findings) row(set *dataset, scope string, outcomes []outcome) Row {
	row := Row{
		Set: set.name, Scope: scope, Engine: f.engine, Queries: len(outcomes), Documents: len(set.docs),
		quality: qualityOf(outcomes, set.relevant),
		IndexMS: f.costs.Index.Wall, IndexCPU: f.costs.Index.CPU, HeapMB: f.costs.HeapMB, RSSPeakMB: f.costs.RSSPeakMB,
		Edit: latencyOf(f.costs.Edits), Exact: latencyOf(f.costs.Again.Exact), Fuzzy: latencyOf(f.costs.Again.Fuzzy),
		Reopen: f.costs.Reopen,
	}
	var searched, answered []spent
	for _, o := range outcomes {
		searched = append(searched, o.searched)
		if f.engine == engineOurs {
			answered = append(answered, o.answered)
		}
	}
	row.latency, row.Answer = *latencyOf(searched), latencyOf(answered)
	return row
}

// share is how many of all are true.
func share(all []bool) float64 {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return float64(n) / float64(max(1, len(all)))
}

// latency is how long one question takes, in milliseconds.
type latency struct {
	P50     float64 `json:"p50_ms"` // wall time
	P95     float64 `json:"p95_ms"`
	P99     float64 `json:"p99_ms"`
	CPU50   float64 `json:"cpu_p50_ms"` // processor time, all cores together
	CPU95   float64 `json:"cpu_p95_ms"`
	CPU99   float64 `json:"cpu_p99_ms"`
	CPUMean float64 `json:"cpu_mean_ms"`
}

// latencyOf is nil where nothing was measured.
func latencyOf(all []spent) *latency {
	if len(all) == 0 {
		return nil
	}
	var wall, cpu []float64
	sum := 0.0
	for _, s := range all {
		wall, cpu, sum = append(wall, s.Wall), append(cpu, s.CPU), sum+s.CPU
	}
	return &latency{
		P50: process.Percentile(wall, 0.50), P95: process.Percentile(wall, 0.95), P99: process.Percentile(wall, 0.99),
		CPU50: process.Percentile(cpu, 0.50), CPU95: process.Percentile(cpu, 0.95), CPU99: process.Percentile(cpu, 0.99),
		CPUMean: sum / float64(len(all)),
	}
}
