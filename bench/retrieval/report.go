package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Row is the report's row for one engine on one set, in one scope. A figure that the engine does not have is
// null.
type Row struct {
	Set       string `json:"set"`
	Scope     string `json:"scope"` // global, or scoped: each question in its own part of the set
	Engine    string `json:"engine"`
	Queries   int    `json:"queries"`
	Documents int    `json:"documents"`
	quality
	ForeignRefused *float64 `json:"ood_refused"` // share of the foreign questions that were called out of domain
	Foreign        int      `json:"ood_queries"` // how often such a question was asked
	latency                 // of ranking
	Answer         *latency `json:"answer"` // of the whole answer, ranking included

	IndexMS   float64  `json:"index_ms"`
	IndexCPU  float64  `json:"index_cpu_ms"`
	HeapMB    float64  `json:"heap_mb"`
	RSSPeakMB float64  `json:"rss_peak_mb"`
	Edit      *latency `json:"edit"`
	Reopen    *spent   `json:"reopen"`
	Exact     *latency `json:"tier0"` // of an answer given before
	Fuzzy     *latency `json:"tier1"` // of an answer to a question that means the same
}

// writeJSON writes a line for each row.
func writeJSON(w io.Writer, rows []Row) error {
	lines := json.NewEncoder(w)
	for _, r := range rows {
		if err := lines.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// table is markdown's.
type table struct{ text strings.Builder }

func newTable(heads ...string) *table {
	t := &table{}
	t.row(heads...)
	t.text.WriteString("|" + strings.Repeat("---|", len(heads)) + "\n")
	return t
}

func (t *table) row(cells ...string) { t.text.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

// numbers formats values in one way.
func numbers(format string, values ...float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf(format, v)
	}
	return out
}

// tables shows rows as markdown.
func tables(rows []Row) string {
	text := "Quality\n\n" + qualityTable(
		rows) +
		"\nCosts; the columns that end in cpu are processor time of all cores, those of questions and edits are p50 / p95 / p99\n\n" +
		costTable(rows)
	if beside := peerTable(rows); beside != "" {
		text += "\nBeside the others: processor time and memory of the other engine divided by ours\n\n" + beside
	}
	return text
}

func qualityTable(rows []Row) string {
	t := newTable("set", "scope", "engine", "queries", "R@1", "R@5", "R@10", "MRR@10", "nDCG@10", "refused", "foreign refused",
		"direct", "of these right")
	for _, r := range rows {
		cells := append([]string{r.Set, r.Scope, r.Engine, fmt.Sprint(r.Queries)}, numbers("%.3f", r.R1, r.R5, r.R10, r.MRR, r.NDCG,
			r.Refused)...)
		foreign, direct, right := "", "", ""
		if r.ForeignRefused != nil {
			foreign = fmt.Sprintf("%.3f", *r.ForeignRefused)
		}
		if r.Answer != nil {
			direct, right = fmt.Sprintf("%.3f", r.Direct), fmt.Sprintf("%.3f", r.DirectRight)
		}
		t.row(append(cells, foreign, direct, right)...)
	}
	return t.text.String()
}

func costTable(rows []Row) string {
	t := newTable("set", "scope", "engine", "documents", "search ms", "search cpu ms", "answer ms", "answer cpu ms", "index ms",
		"index cpu ms",
		"heap MB", "RSS peak MB", "edit ms", "edit cpu ms", "reopen ms", "tier 0 ms", "tier 1 ms")
	for _, r := range rows {
		cells := []string{r.Set, r.Scope, r.Engine, fmt.Sprint(r.Documents), r.wall(), r.cpu(), r.Answer.wall(), r.Answer.cpu()}
		cells = append(cells, numbers("%.0f", r.IndexMS, r.IndexCPU)...)
		cells = append(cells, numbers("%.1f", r.HeapMB, r.RSSPeakMB)...)
		reopen := ""
		if r.Reopen != nil {
			reopen = fmt.Sprintf("%.0f", r.Reopen.Wall)
		}
		t.row(append(cells, r.Edit.wall(), r.Edit.cpu(), reopen, r.Exact.wall(), r.Fuzzy.wall())...)
	}
	return t.text.String()
}

func (l *latency) wall() string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%.3g / %.3g / %.3g", l.P50, l.P95, l.P99)
}

func (l *latency) cpu() string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%.3g / %.3g / %.3g", l.CPU50, l.CPU95, l.CPU99)
}

// peerTable compares our rows with those of the others; "" if there are no others.
func peerTable(rows []Row) string {
	t := newTable("set", "scope", "beside", "MRR@10 ours", "theirs", "R@10 ours", "theirs", "search p50", "search p99", "answer p50",
		"index", "heap", "RSS peak")
	others := false
	for _, own := range rows {
		for _, r := range rows {
			if own.Engine != engineOurs || r.Engine == engineOurs || r.Set != own.Set || r.Scope != own.Scope {
				continue
			}
			others = true
			cells := append([]string{r.Set, r.Scope, r.Engine}, numbers("%.3f", own.MRR, r.MRR, own.R10, r.R10)...)
			t.row(append(cells, times(r.CPU50, own.CPU50), times(r.CPU99, own.CPU99), times(r.CPU50, own.Answer.CPU50),
				times(r.IndexCPU, own.IndexCPU), times(r.HeapMB, own.HeapMB), times(r.RSSPeakMB, own.RSSPeakMB))...)
		}
	}
	if !others {
		return ""
	}
	return t.text.String()
}

// times says how many times a is of b.
func times(a, b float64) string {
	if a <= 0 || b <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f ×", a/b)
}

// writeRankings writes each question's first hits, a file for each pass of an engine.
func writeRankings(dir string, set *dataset, f findings) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for i, p := range set.passes() {
		var b strings.Builder
		for _, o := range f.passes[i] {
			for at, h := range o.hits {
				fmt.Fprintf(&b, "%s\t%s\t%d\t%.6f\n", o.id, h.id, at+1, h.score)
			}
		}
		name := strings.Join([]string{set.name, p.scope, f.engine, "tsv"}, ".")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// inOrder sorts the rows of a set for reading: by scope as they were measured, the
// project's engine first.
func inOrder(rows []Row) []Row {
	place := map[string]int{}
	for _, r := range rows {
		if k := r.Set + "\t" + r.Scope; place[k] == 0 {
			place[k] = len(place) + 1
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b Row) int { return place[a.Set+"\t"+a.Scope] - place[b.Set+"\t"+b.Scope] })
	return out
}
