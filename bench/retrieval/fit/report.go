package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/retrieval"
)

// The constants of these names in retrieval.
const (
	besideMost   = 2
	domainCut    = -0.6
	domainSure   = 2.5
	scoreCaution = 0.46
	directScore  = 0.85
	sureScore    = 0.93
	clearGap     = 0.08
)

// foreignWeight is the weight of a sample's foreign queries relative to its own ones in the regression that
// estimates how often a first hit is right. Most questions are a tree's own.
const foreignWeight = 0.3

// unlabelledWeight is the weight, in the same regression, of a set whose labels are incomplete.
const unlabelledWeight = 0.3

// cuts are the values of domainCut that are shown.
var cuts = []float64{-1.5, -1.2, -0.9, -0.6, -0.3, 0, 0.3}

// fitted are the weights of the two regressions.
type fitted struct{ domain, score weights }

// domainSigns and scoreSigns return the features of the two regressions.
func domainSigns(e retrieval.Evidence) []float64 {
	return []float64{e.Held, float64(min(besideMost, e.Neighbours)), e.Theme}
}

func scoreSigns(s retrieval.Surety) []float64 { return []float64{s.Held, s.Gap} }

// fit finds the weights on all families but one.
func (all cases) fit(without string) fitted {
	var domain, score []observation
	count := map[string]float64{}
	key := func(c one) string { return fmt.Sprint(c.sample, c.from == own) }
	for _, c := range all {
		count[key(c)]++
	}
	for _, c := range all {
		if c.family == without || len(c.result.Hits) == 0 {
			continue
		}
		weight := 1000 / count[key(c)]
		domain = append(domain, observation{domainSigns(c.result.Evidence), c.from == own, weight})
		if c.from != own {
			weight *= foreignWeight
		}
		if unlabelled[c.family] {
			weight *= unlabelledWeight
		}
		score = append(score, observation{scoreSigns(c.result.Hits[0].Sure), c.right, weight})
	}
	return fitted{regress(domain).rounded(), regress(score).rounded()}
}

// sum is the evidence for the domain.
func (f fitted) sum(c one) float64 {
	switch e := c.result.Evidence; {
	case len(c.result.Hits) == 0:
		return math.Inf(-1)
	case e.Named:
		return math.Inf(1)
	default:
		return f.domain.odds(domainSigns(e))
	}
}

// direct reports whether the first hit would be a direct answer.
func (f fitted) direct(c one) bool {
	e := c.result.Evidence
	sure := f.domain.odds(domainSigns(e)) >= domainSure || e.Named && e.Sure
	if len(c.result.Hits) == 0 || len(c.result.Unknown) > 0 || !sure || !e.About {
		return false
	}
	score := func(h retrieval.Hit) float64 {
		return 1 / (1 + math.Exp(scoreCaution-f.score.odds(scoreSigns(h.Sure))))
	}
	hits := c.result.Hits
	top := score(hits[0])
	return top >= directScore && (len(hits) == 1 || top >= sureScore || top-min(top, score(hits[1])) >= clearGap)
}

// isDirect is the rule of the package: only a direct answer has a section.
func isDirect(res retrieval.Result) bool { return len(res.Hits) > 0 && res.Hits[0].Section.End > 0 }

// report prints the weights and what they do.
func (all cases) report(out io.Writer, examples string) {
	w := all.fit("")
	fmt.Fprintf(out, "domain.go: base %.1f, held %.1f, beside %.1f, theme %.1f\n", w.domain[0], w.domain[1], w.domain[2], w.domain[3])
	fmt.Fprintf(out, "calibrate.go: base %.1f, held %.1f, gap %.1f\n\n", w.score[0], w.score[1], w.score[2])
	left := map[string]fitted{}
	for _, c := range all {
		if _, ok := left[c.family]; !ok {
			left[c.family] = all.fit(c.family)
		}
	}
	fmt.Fprint(out, "Now / with the weights of all other families. The ranking's own constants are the same in both.\n\n"+
		"| sample | own | refused | direct | of these right | ood-queries | refused | other sets' | refused | foreign direct | everyday refused | direct | nDCG@10 |\n"+
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range all.samples() {
		var t tally
		for _, c := range all {
			if c.sample == name {
				t.add(c, left[c.family])
			}
		}
		fmt.Fprintf(out, "| %s | %s |\n", name, strings.Join(t.cells(), " | "))
	}
	fmt.Fprintf(out, "\nOwn queries refused / foreign ones let through, left out, by the cut.\n\n| sample |")
	for _, cut := range cuts {
		fmt.Fprintf(out, " %.1f |", cut)
	}
	fmt.Fprintf(out, "\n|---|%s\n", strings.Repeat("---|", len(cuts)))
	for _, name := range all.samples() {
		var sums [2][]float64
		for _, c := range all {
			if c.sample == name {
				kind := min(1, int(c.from))
				sums[kind] = append(sums[kind], left[c.family].sum(c))
			}
		}
		fmt.Fprintf(out, "| %s |", name)
		for _, cut := range cuts {
			fmt.Fprintf(out, " %.3f/%.3f |", below(sums[0], cut), 1-below(sums[1], cut))
		}
		fmt.Fprintln(out)
	}
	for _, c := range all {
		if c.sample == examples && (c.from == own) == c.result.OutOfDomain {
			verdict := map[bool]string{true: "refused", false: "passed"}[c.result.OutOfDomain]
			fmt.Fprintf(out, "%s: %s: %v\n", verdict, c.text, c.result.Evidence)
		}
	}
}

// tally counts the queries of a sample; pairs are now and left out.
type tally struct {
	asked         [4]float64 // by origin
	refused       [4][2]float64
	direct, right [2]float64    // of the own ones
	wrong         [4][2]float64 // direct answers to foreign ones
	ndcg          float64
}

func (t *tally) add(c one, f fitted) {
	t.asked[c.from]++
	t.ndcg += c.ndcg
	refused := [2]bool{c.result.OutOfDomain || len(c.result.Hits) == 0, f.sum(c) < domainCut}
	direct := [2]bool{isDirect(c.result), f.direct(c)}
	for i := range 2 {
		t.refused[c.from][i] += number(refused[i])
		if c.from != own {
			t.wrong[c.from][i] += number(direct[i])
			continue
		}
		t.direct[i] += number(direct[i])
		t.right[i] += number(direct[i] && c.right)
	}
}

// cells are the columns of the table.
func (t *tally) cells() []string {
	pair := func(n [2]float64, of, ofLeft float64) string {
		if of == 0 || ofLeft == 0 {
			return "–"
		}
		return fmt.Sprintf("%.3f / %.3f", n[0]/of, n[1]/ofLeft)
	}
	share := func(o origin) string { return pair(t.refused[o], t.asked[o], t.asked[o]) }
	foreign, wrong := t.asked[ood]+t.asked[cross], t.wrong[ood]
	for i, n := range t.wrong[cross] {
		wrong[i] += n
	}
	return []string{
		fmt.Sprint(t.asked[own]), share(own),
		fmt.Sprintf("%.0f / %.0f", t.direct[0], t.direct[1]), pair(t.right, t.direct[0], t.direct[1]),
		fmt.Sprint(t.asked[ood]), share(ood), fmt.Sprint(t.asked[cross]), share(cross),
		pair(wrong, foreign, foreign), share(everyday), pair(t.wrong[everyday], t.asked[everyday], t.asked[everyday]),
		fmt.Sprintf("%.3f", t.ndcg/t.asked[own]),
	}
}

// samples are the names of the samples, whole sets first.
func (all cases) samples() []string {
	var out []string
	for _, c := range all {
		if !slices.Contains(out, c.sample) {
			out = append(out, c.sample)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(kindOrder(a), kindOrder(b)) })
	return out
}

func kindOrder(sample string) int {
	_, kind, _ := strings.Cut(sample, "/")
	return slices.Index([]string{"whole", "scoped"}, kind) & 3
}

// below is the share of values under a cut.
func below(all []float64, cut float64) float64 {
	n := 0.0
	for _, v := range all {
		n += number(v < cut)
	}
	return n / float64(max(1, len(all)))
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
