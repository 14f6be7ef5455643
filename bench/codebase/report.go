package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// report is the whole run as one object.
type report struct {
	Go           string          `json:"go"`
	CPUs         int             `json:"cpus"`
	Ranking      []rankingRow    `json:"ranking"`
	Packs        []packRow       `json:"packs"`
	Editing      []editingRow    `json:"editing"`
	Repositories []repositoryRow `json:"repositories"`
	Unmapped     int             `json:"unmapped"`   // gold files that are not in the map
	Violations   int             `json:"violations"` // packs of the project above their budget
	Notes        []string        `json:"notes"`
}

type rankingRow struct {
	By     string `json:"by"`
	Name   string `json:"name"`
	Engine string `json:"engine"`
	quality
}

type packRow struct {
	By     string `json:"by"`
	Name   string `json:"name"`
	Engine string `json:"engine"`
	Budget int    `json:"budget"`
	shares
}

type editingRow struct {
	By     string `json:"by"`
	Name   string `json:"name"`
	Engine string `json:"engine"`
	company
}

// repositoryRow holds the costs of the project's engine on one repository.
type repositoryRow struct {
	Repo    string  `json:"repo"`
	Queries int     `json:"queries"`
	Files   int     `json:"files"`
	ScanMS  float64 `json:"scan_ms"`
	ScanCPU float64 `json:"scan_cpu_ms"`
	PeakMB  float64 `json:"peak_mb"`
	costs
}

// reportOf sums up what was measured.
func reportOf(results []result) report {
	r := report{Go: runtime.Version(), CPUs: runtime.NumCPU(), Notes: []string{}}
	var records []record
	for _, one := range results {
		records = append(records, one.Records...)
		r.Repositories = append(r.Repositories, repositoryRow{one.Repo, len(one.Records), one.Files, one.Scan.Wall, one.Scan.CPU,
			one.PeakMB, costsOf(one.Records)})
		for _, rec := range one.Records {
			r.Notes = append(r.Notes, wrongPacks(rec)...)
		}
		for _, n := range one.Notes {
			r.Notes = append(r.Notes, one.Repo+": "+n)
		}
	}
	r.Repositories = append(r.Repositories, repositoryRow{Repo: "all", Queries: len(records), costs: costsOf(records)})
	for _, g := range groupsOf(records) {
		for _, e := range enginesOf(records, func(x record) []string { return keys(x.Ranks) }, engineOurs, engineBM25, engineBM25Code) {
			r.Ranking = append(r.Ranking, rankingRow{g.By, g.Name, e, qualityOf(g.records, e)})
		}
		for _, budget := range budgets {
			for _, e := range enginesOf(records, packEngines, engineOurs, engineWindows) {
				if s := sharesOf(g.records, e, budget); s.Queries > 0 {
					r.Packs = append(r.Packs, packRow{g.By, g.Name, e, budget, s})
				}
			}
		}
		for _, e := range enginesOf(records, editingEngines, editingAlone, editingTask, taskAlone, importGraph, sameDirectory,
			hintedTask, unhintedTask) {
			if c := companyOf(g.records, e); c.Opened > 0 {
				r.Editing = append(r.Editing, editingRow{g.By, g.Name, e, c})
			}
		}
	}
	for _, x := range records {
		r.Unmapped += x.Unmapped
	}
	for _, budget := range budgets {
		r.Violations += sharesOf(records, engineOurs, budget).Over
	}
	return r
}

// wrongPacks are the project's packs that claim what they do not show.
func wrongPacks(r record) (out []string) {
	for _, p := range r.Packs {
		if p.Wrong != "" && p.Engine == engineOurs {
			out = append(out, fmt.Sprintf("%s, pack of %d tokens is wrong: %s", r.ID, p.Budget, p.Wrong))
		}
	}
	return out
}

func keys(m map[string][]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func packEngines(r record) (out []string) {
	for _, p := range r.Packs {
		out = append(out, p.Engine)
	}
	return out
}

func editingEngines(r record) (out []string) {
	for _, e := range r.Editing {
		out = append(out, e.Engine)
	}
	return out
}

// enginesOf keeps, of some engines, those that occur in the records.
func enginesOf(records []record, of func(record) []string, engines ...string) []string {
	return slices.DeleteFunc(engines, func(e string) bool {
		return !slices.ContainsFunc(records, func(r record) bool { return slices.Contains(of(r), e) })
	})
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

func percents(values ...float64) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = percent(v)
	}
	return out
}

// tables shows a report as markdown.
func (r report) tables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d CPUs\n\nPacks, in percent, by tokens: changed lines shown / changes with any / changes with all\n\n%s",
		r.Go, r.CPUs, r.packTable())
	fmt.Fprintf(&b, "\nWhere no line of a change is shown, in percent of the changes; functions with all changed lines, and whole; "+
		"files with a signature; what the tokens went to\n\n%s", r.detailTable())
	fmt.Fprintf(&b, "\nRanking, in percent\n\n%s", r.rankingTable())
	if len(r.Editing) > 0 {
		fmt.Fprintf(&b, "\nOne gold file open, the others sought; in percent\n\n%s", r.editingTable())
	}
	fmt.Fprintf(&b, "\nCosts of brv-lsp: wall / processor time in ms; a pair of pairs is p50, p95\n\n%s", r.costTable())
	fmt.Fprintf(&b, "\nPacks above their budget: %d. Gold files that are not in the map: %d.\n", r.Violations, r.Unmapped)
	for _, n := range r.Notes {
		b.WriteString("- " + n + "\n")
	}
	return b.String()
}

func (r report) rankingTable() string {
	t := newTable("by", "", "engine", "queries", "hit@1", "hit@3", "hit@5", "hit@10", "MRR", "Acc@1", "Acc@3", "Acc@5", "Acc@10")
	for _, x := range r.Ranking {
		cells := append([]string{x.By, x.Name, x.Engine, fmt.Sprint(x.Queries)}, percents(x.Hit[:]...)...)
		cells = append(cells, percent(x.MRR))
		t.row(append(cells, percents(x.All[:]...)...)...)
	}
	return t.text.String()
}

// packTable has a row for each group and engine, and a column for each budget.
func (r report) packTable() string {
	heads := []string{"by", "", "engine", "queries"}
	for _, b := range budgets {
		heads = append(heads, fmt.Sprint(b))
	}
	t := newTable(heads...)
	seen := map[[3]string]bool{}
	for _, x := range r.Packs {
		k := [3]string{x.By, x.Name, x.Engine}
		if seen[k] {
			continue
		}
		seen[k] = true
		cells := []string{x.By, x.Name, x.Engine, fmt.Sprint(x.Queries)}
		for _, y := range r.Packs {
			if k == [3]string{y.By, y.Name, y.Engine} {
				cells = append(cells, strings.Join(percents(y.Lines, y.Any, y.All), " / "))
			}
		}
		t.row(cells...)
	}
	return t.text.String()
}

// detailTable tells more of the packs of all instances and of each language.
func (r report) detailTable() string {
	t := newTable("", "engine", "tokens", "mean", "over", "absent", "a name", "signature", "others", "in no symbol", "functions", "whole",
		"files named", "files", "sections", "≤ 4 lines", "tests", "examples", "vendored", "doc comments")
	for _, x := range r.Packs {
		if x.By != "all" && x.By != "language" {
			continue
		}
		l := x.Lost
		cells := []string{x.Name, x.Engine, fmt.Sprint(x.Budget), fmt.Sprintf("%.0f", x.Tokens), fmt.Sprint(x.Over)}
		cells = append(cells, percents(l.Absent, l.Named, l.Signature, l.Others, l.Loose, x.Full, x.Whole, x.Named)...)
		cells = append(cells, fmt.Sprintf("%.1f", x.Files), fmt.Sprintf("%.1f", x.Sections))
		t.row(append(cells, percents(x.Small, x.Tests, x.Examples, x.Vendored, x.Docs)...)...)
	}
	return t.text.String()
}

func (r report) editingTable() string {
	t := newTable("by", "", "engine", "opened", "recall@5", "recall@10", "recall@20", "MRR")
	for _, x := range r.Editing {
		cells := append([]string{x.By, x.Name, x.Engine, fmt.Sprint(x.Opened)}, percents(x.Recall[:]...)...)
		t.row(append(cells, percent(x.MRR))...)
	}
	return t.text.String()
}

func (r report) costTable() string {
	heads := []string{"repository", "queries", "files", "first scan", "update", "rank"}
	for _, b := range budgets {
		heads = append(heads, fmt.Sprintf("pack %d", b))
	}
	t := newTable(append(heads, "peak MB")...)
	for _, x := range r.Repositories {
		cells := []string{x.Repo, fmt.Sprint(x.Queries), "", "", x.Update.String(), x.Rank.String()}
		if x.Files > 0 { // not the sum of all
			cells[2], cells[3] = fmt.Sprint(x.Files), fmt.Sprintf("%.0f / %.0f", x.ScanMS, x.ScanCPU)
		}
		for _, b := range budgets {
			cells = append(cells, x.Pack[fmt.Sprint(b)].String())
		}
		peak := ""
		if x.PeakMB > 0 {
			peak = fmt.Sprintf("%.0f", x.PeakMB)
		}
		t.row(append(cells, peak)...)
	}
	return t.text.String()
}

func (c cost) String() string {
	return fmt.Sprintf("%.3g / %.3g, %.3g / %.3g", c.P50, c.CPU50, c.P95, c.CPU95)
}

// comparison shows the differences of two runs.
func comparison(all []difference) string {
	t := newTable("figure", "pairs", "A", "B", "B − A, 95 %", "wins", "losses", "sign test p", "lost most")
	for _, d := range all {
		t.row(d.Figure, fmt.Sprint(d.Pairs), percent(d.A), percent(d.B), percent(d.Low)+" … "+percent(d.High),
			fmt.Sprint(d.Wins), fmt.Sprint(d.Losses), fmt.Sprintf("%.3f", d.P), strings.Join(d.IDs, " "))
	}
	return t.text.String()
}

// appendLines adds a line of JSON for each value that the results hold.
func appendLines[T any](file string, results []result, of func(result) []T) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(f)
	for _, r := range results {
		for _, v := range of(r) {
			if err := lines.Encode(v); err != nil {
				f.Close()
				return err
			}
		}
	}
	return f.Close()
}

func writeJSON(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }
