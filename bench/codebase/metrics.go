package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/brv-lsp/brv-lsp/bench/process"
)

// depths are the ranks down to which rankings are rated.
var depths = [4]int{1, 3, 5, 10}

// quality is how well an engine ranks some instances. All files of the map are ranked,
// tests too, though no gold file is one.
type quality struct {
	Queries int        `json:"queries"`
	Hit     [4]float64 `json:"hit"` // share with at least one gold file down to a depth
	MRR     float64    `json:"mrr"` // mean of one over the rank of the first gold file; 0 where none is ranked
	All     [4]float64 `json:"acc"` // share with all gold files down to a depth (Acc@k of LocAgent, arXiv 2503.09089, section 4)
}

func qualityOf(records []record, engine string) quality {
	var q quality
	for _, r := range records {
		ranks, ok := r.Ranks[engine]
		if !ok {
			continue
		}
		q.Queries++
		first := first(ranks)
		if first > 0 {
			q.MRR += 1 / float64(first)
		}
		for d, depth := range depths {
			if first > 0 && first <= depth {
				q.Hit[d]++
			}
			if !slices.ContainsFunc(ranks, func(rank int) bool { return rank == 0 || rank > depth }) {
				q.All[d]++
			}
		}
	}
	n := float64(max(1, q.Queries))
	q.MRR /= n
	for d := range depths {
		q.Hit[d] /= n
		q.All[d] /= n
	}
	return q
}

// first is the best rank; 0 if nothing is ranked.
func first(ranks []int) int {
	best := 0
	for _, r := range ranks {
		if r > 0 && (best == 0 || r < best) {
			best = r
		}
	}
	return best
}

// shares summarises how much of some instances is shown by an engine's packs of one budget. All fields but
// the counts are means over the instances.
type shares struct {
	Queries int     `json:"queries"`
	Tokens  float64 `json:"tokens"`
	Over    int     `json:"over"`  // packs that exceed the budget
	Lines   float64 `json:"lines"` // share of the changed lines; of a change of several runs the mean of theirs
	Any     float64 `json:"any"`   // share of the changes with a line shown
	All     float64 `json:"all"`   // share of the changes with all lines shown
	Lost    lost    `json:"lost"`
	Named   float64 `json:"named"` // share of the gold files with at least a signature

	Full  float64 `json:"full"`  // share of the gold functions with all changed lines shown, of the instances that have any
	Whole float64 `json:"whole"` // and with the whole body
	asked int     // instances with gold functions

	Files    float64 `json:"files"` // with a block
	Sections float64 `json:"sections"`
	Small    float64 `json:"small"`    // share of all sections with few lines
	Tests    float64 `json:"tests"`    // share of all tokens in tests,
	Examples float64 `json:"examples"` // examples,
	Vendored float64 `json:"vendored"` // vendored code,
	Docs     float64 `json:"docs"`     // documentation comments
}

func sharesOf(records []record, engine string, budget int) shares {
	var s shares
	small := 0
	for _, r := range records {
		for _, p := range r.Packs {
			if p.Engine == engine && p.Budget == budget {
				s.add(p)
				small += p.Small
			}
		}
	}
	s.Small = float64(small) / max(1, s.Sections)
	for _, v := range []*float64{&s.Tests, &s.Examples, &s.Vendored, &s.Docs} {
		*v /= max(1, s.Tokens)
	}
	for _, v := range []*float64{&s.Tokens, &s.Lines, &s.Any, &s.All, &s.Lost.Absent, &s.Lost.Named, &s.Lost.Signature,
		&s.Lost.Others, &s.Lost.Loose, &s.Named, &s.Files, &s.Sections} {
		*v /= float64(max(1, s.Queries))
	}
	s.Full /= float64(max(1, s.asked))
	s.Whole /= float64(max(1, s.asked))
	return s
}

// add sums up one pack.
func (s *shares) add(p packed) {
	s.Queries++
	s.Tokens += float64(p.Tokens)
	if p.Tokens > p.Budget {
		s.Over++
	}
	s.Lines += p.Lines
	s.Any += p.Any
	s.All += p.All
	s.Lost.Absent += p.Lost.Absent
	s.Lost.Named += p.Lost.Named
	s.Lost.Signature += p.Lost.Signature
	s.Lost.Others += p.Lost.Others
	s.Lost.Loose += p.Lost.Loose
	s.Named += float64(count(p.Shown)) / float64(max(1, len(p.Shown)))
	if p.Functions > 0 {
		s.asked++
		s.Full += float64(p.Full) / float64(p.Functions)
		s.Whole += float64(p.Whole) / float64(p.Functions)
	}
	s.Files += float64(p.Files)
	s.Sections += float64(p.Sections)
	s.Tests += float64(p.Tests)
	s.Examples += float64(p.Examples)
	s.Vendored += float64(p.Vendored)
	s.Docs += float64(p.Docs)
}

func count(all []bool) int {
	n := 0
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

// company is how well an engine finds gold files from another one.
type company struct {
	Opened int        `json:"opened"` // gold files that were opened
	Recall [3]float64 `json:"recall"` // mean share of the others, at editingDepths
	MRR    float64    `json:"mrr"`    // of the first other
}

func companyOf(records []record, engine string) company {
	var c company
	for _, r := range records {
		for _, e := range r.Editing {
			if e.Engine != engine {
				continue
			}
			c.Opened++
			c.MRR += e.MRR
			for d := range editingDepths {
				c.Recall[d] += e.Recall[d]
			}
		}
	}
	n := float64(max(1, c.Opened))
	c.MRR /= n
	for d := range editingDepths {
		c.Recall[d] /= n
	}
	return c
}

// cost sums up what one piece of work took, over instances, in milliseconds.
type cost struct {
	P50   float64 `json:"p50_ms"`
	P95   float64 `json:"p95_ms"`
	CPU50 float64 `json:"p50_cpu_ms"`
	CPU95 float64 `json:"p95_cpu_ms"`
}

func costOf(all []process.Spent) cost {
	wall, cpu := make([]float64, len(all)), make([]float64, len(all))
	for i, s := range all {
		wall[i], cpu[i] = s.Wall, s.CPU
	}
	return cost{process.Percentile(wall, .5), process.Percentile(wall, .95), process.Percentile(cpu, .5), process.Percentile(cpu, .95)}
}

// costs summarises the time that an engine needed for some instances.
type costs struct {
	Update cost            `json:"update"`
	Rank   cost            `json:"rank"`
	Pack   map[string]cost `json:"pack"` // by budget
}

func costsOf(records []record) costs {
	var updates, ranks []process.Spent
	packs := map[string][]process.Spent{}
	for _, r := range records {
		if r.Times.Update != nil {
			updates = append(updates, *r.Times.Update)
		}
		ranks = append(ranks, r.Times.Rank)
		for budget, s := range r.Times.Pack {
			packs[budget] = append(packs[budget], s)
		}
	}
	c := costs{Update: costOf(updates), Rank: costOf(ranks), Pack: map[string]cost{}}
	for budget, all := range packs {
		c.Pack[budget] = costOf(all)
	}
	return c
}

// group is some of the records, by what they have in common.
type group struct {
	By      string // all, language, mentions, repository
	Name    string
	records []record
}

// groupsOf splits records in each way, the whole first.
func groupsOf(records []record) []group {
	out := []group{{"all", "all", records}}
	for _, by := range []struct {
		name string
		of   func(record) string
	}{
		{"language", func(r record) string { return r.Lang }},
		{"mentions", func(r record) string { return r.Mentions }},
		{"repository", func(r record) string { return r.Repo }},
	} {
		parts := map[string][]record{}
		for _, r := range records {
			parts[by.of(r)] = append(parts[by.of(r)], r)
		}
		some := make([]group, 0, len(parts))
		for name, part := range parts {
			some = append(some, group{by.name, name, part})
		}
		slices.SortFunc(some, func(a, b group) int { return cmp.Compare(a.Name, b.Name) })
		out = append(out, some...)
	}
	return out
}

// difference compares two runs in one figure over the instances that both have.
type difference struct {
	Figure string   `json:"figure"`
	Pairs  int      `json:"pairs"`
	A      float64  `json:"a"` // mean
	B      float64  `json:"b"`
	Wins   int      `json:"wins"` // of B
	Losses int      `json:"losses"`
	P      float64  `json:"p"` // of the two-sided sign test, equal pairs left out
	Low    float64  `json:"low"`
	High   float64  `json:"high"` // Low to High: 95 % of bootstrapped mean differences B − A
	IDs    []string `json:"lost"` // some of the instances that B loses, worst first
}

// signTest is the chance of a split at least as uneven if wins and losses were equally
// likely.
func signTest(wins, losses int) float64 {
	n, k := wins+losses, min(wins, losses)
	sum := 0.0
	for i := 0; i <= k; i++ {
		sum += math.Exp(logChoose(n, i) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

func percent(v float64) string { return fmt.Sprintf("%.1f", 100*v) }
