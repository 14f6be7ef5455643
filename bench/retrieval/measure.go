package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/retrieval"
)

// depth is the rank down to which results are looked at.
const depth = 10

// Row is the figures of one set and scope.
type Row struct {
	Set     string `json:"set"`
	Scope   string `json:"scope"` // global or scoped
	Queries int    `json:"queries"`

	R1   float64 `json:"r1"`
	R5   float64 `json:"r5"`
	R10  float64 `json:"r10"`
	MRR  float64 `json:"mrr10"`
	NDCG float64 `json:"ndcg10"`

	Direct      float64 `json:"direct"`      // share of queries answered directly
	DirectRight float64 `json:"directRight"` // … whose first hit is relevant
	FalseReject float64 `json:"falseReject"` // share of the set's own queries called out of domain
	FalseAccept float64 `json:"falseAccept"` // share of foreign queries not called out of domain
	Foreign     int     `json:"foreign"`     // number of those

	P50 float64 `json:"p50Ms"`
	P99 float64 `json:"p99Ms"`
}

// measure asks every query once.
func measure(index *retrieval.Index, set *dataset, queries []query, scoped bool) (Row, error) {
	row := Row{Scope: "global", Queries: len(queries)}
	var times []float64
	right := 0.0
	for _, q := range queries {
		ask := retrieval.Query{Text: q.Text, Limit: depth}
		if scoped {
			row.Scope, ask.Scope = "scoped", q.Scope
		}
		start := time.Now()
		a, err := index.Answer(context.Background(), ask)
		if err != nil {
			return row, fmt.Errorf("%s: %w", q.ID, err)
		}
		times = append(times, ms(time.Since(start)))
		first := row.add(a.Hits, set.ids, set.relevant[q.ID])
		if a.OutOfDomain {
			row.FalseReject++
		}
		if a.Tier == retrieval.TierDirect {
			row.Direct++
			if first {
				right++
			}
		}
	}
	row.DirectRight = right / max(1, row.Direct)
	n := float64(max(1, len(queries)))
	for _, v := range []*float64{&row.R1, &row.R5, &row.R10, &row.MRR, &row.NDCG, &row.Direct, &row.FalseReject} {
		*v /= n
	}
	slices.Sort(times)
	row.P50, row.P99 = times[len(times)/2], times[len(times)*99/100]
	return row, nil
}

// add counts one query's hits and reports whether the first is relevant.
func (row *Row) add(hits []retrieval.Hit, ids map[string]string, relevant map[string]bool) bool {
	found, gain, ideal := 0.0, 0.0, 0.0
	total := float64(len(relevant))
	first := false
	for i := range min(depth, len(relevant)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, h := range hits[:min(depth, len(hits))] {
		if !relevant[ids[h.Path]] {
			continue
		}
		if found == 0 {
			row.MRR += 1 / float64(i+1)
		}
		found++
		gain += 1 / math.Log2(float64(i)+2)
		if i == 0 {
			first = true
			row.R1 += 1 / total
		}
		if i < 5 {
			row.R5 += 1 / total
		}
		row.R10 += 1 / total
	}
	row.NDCG += gain / ideal
	return first
}

// accepted is the share of foreign queries that are not called out of domain, over
// all the scopes: a scope is a small tree of its own.
func accepted(index *retrieval.Index, foreign []query, scopes []string) (float64, int, error) {
	n := 0.0
	for _, scope := range scopes {
		for _, q := range foreign {
			res, err := index.Search(context.Background(), retrieval.Query{Text: q.Text, Limit: 1, Scope: scope})
			if err != nil {
				return 0, 0, err
			}
			if !res.OutOfDomain {
				n++
			}
		}
	}
	asked := len(foreign) * len(scopes)
	return n / float64(max(1, asked)), asked, nil
}

// markdown renders the report's tables.
func (rep *Report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d CPUs\n\n", rep.Go, rep.CPUs)
	b.WriteString("| set | scope | queries | R@1 | R@5 | R@10 | MRR@10 | nDCG@10 | direct | of these right | false rejects | false accepts | p50 ms | p99 ms |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rep.Rows {
		accepts := fmt.Sprintf("%.3f", r.FalseAccept)
		if r.Foreign == 0 {
			accepts = ""
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %s | %.2f | %.2f |\n",
			r.Set, r.Scope, r.Queries, r.R1, r.R5, r.R10, r.MRR, r.NDCG, r.Direct, r.DirectRight, r.FalseReject, accepts, r.P50, r.P99)
	}
	b.WriteString("\n| set | entries | MB | parse ms | index ms | index cpu ms | one edit ms |\n|---|---|---|---|---|---|---|\n")
	for _, t := range rep.Trees {
		fmt.Fprintf(&b, "| %s | %d | %.1f | %.0f | %.0f | %.0f | %.1f |\n", t.Set, t.Documents, t.Megabytes, t.ParseMS, t.IndexMS, t.IndexCPU, t.UpdateMS)
	}
	return b.String()
}
