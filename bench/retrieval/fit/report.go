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

// besideMost is the constant of that name in domain.go.
const besideMost = 2

// pieceWeight is what a sample of pieces, or the project's own tree, counts against a
// whole set: three sizes count as one set.
const pieceWeight = 1.0 / 3

// foreignWeight is what the foreign queries of a sample count against its own where
// it is fitted how often a first hit is right: most questions are a tree's own.
const foreignWeight = 0.3

// unlabelledWeight is what a set counts there whose labels are incomplete.
const unlabelledWeight = 0.3

// cuts are the values of domainCut that are shown, wanted what is aimed at.
var cuts = []float64{-0.9, -0.6, -0.5, -0.4, -0.3, -0.2, -0.1, 0, 0.3}

// domain fits the verdict on what is in the domain.
func (all cases) domain(out io.Writer, examples string) {
	signs := func(c one) []float64 {
		return []float64{c.evidence.Held, float64(min(besideMost, c.evidence.Beside)), c.evidence.Theme}
	}
	w := all.fit(signs, func(c one) bool { return c.own }, all.domainWeights(), both).rounded()
	fmt.Fprintf(out, "\ndomain.go: base %.1f, held %.1f, beside %.1f, theme %.1f\n", w[0], w[1], w[2], w[3])
	crossed := [2]weights{}
	for h := range crossed {
		crossed[h] = all.fit(signs, func(c one) bool { return c.own }, all.domainWeights(), 1-h)
	}
	sum := make([]float64, len(all))
	for i, c := range all {
		sum[i] = crossed[c.half].odds(signs(c))
		if c.evidence.Named {
			sum[i] = math.Inf(1)
		}
	}
	fmt.Fprintf(
		out,
		"\nOwn queries refused / foreign ones let through, now and, each half fitted on the other, by the cut; and own ones "+
			"refused where 90 and 95 %% of the foreign ones are.\n\n")
	fmt.Fprintf(out, "| sample | own | foreign | now |")
	for _, cut := range cuts {
		fmt.Fprintf(out, " %.1f |", cut)
	}
	fmt.Fprintf(out, " at 90 %% | at 95 %% |\n|---|---|---|---|%s---|---|\n", strings.Repeat("---|", len(cuts)))
	for _, name := range all.samples() {
		var own, far []float64
		var refused, passed float64
		for i, c := range all {
			switch {
			case c.sample != name:
			case c.own:
				own = append(own, sum[i])
				refused += number(c.refused)
			default:
				far = append(far, sum[i])
				passed += number(!c.refused)
			}
		}
		fmt.Fprintf(out, "| %s | %d | %d | %.3f/%.3f |", name, len(own), len(far), refused/float64(len(own)), passed/float64(len(far)))
		for _, cut := range cuts {
			fmt.Fprintf(out, " %.3f/%.3f |", below(own, cut), 1-below(far, cut))
		}
		slices.Sort(far)
		fmt.Fprintf(out, " %.3f | %.3f |\n", below(own, quantile(far, 0.90)), below(own, quantile(far, 0.95)))
	}
	for i, c := range all {
		if c.sample == examples && c.own == c.refused {
			fmt.Fprintf(out, "%s %.1f %s: %v\n", map[bool]string{true: "refused", false: "passed"}[c.own], sum[i], c.text, c.evidence)
		}
	}
}

// domainWeights make every sample count alike, its own and its foreign queries too.
func (all cases) domainWeights() []float64 {
	return all.weigh(func(c one) float64 { return 1 })
}

// confidence fits how sure a first hit is.
func (all cases) confidence(out io.Writer) {
	signs := func(c one) []float64 { return suretySigns(c.hits[0].Sure) }
	found := slices.DeleteFunc(slices.Clone(all), func(c one) bool { return len(c.hits) == 0 })
	weight := found.weigh(func(c one) float64 {
		w := 1.0
		if !c.own {
			w = foreignWeight
		}
		if name, _, _ := strings.Cut(c.sample, "/"); unlabelled[name] {
			w *= unlabelledWeight
		}
		return w
	})
	right := func(c one) bool { return c.right[0] }
	w := found.fit(signs, right, weight, both).rounded()
	fmt.Fprintf(out, "\ncalibrate.go: base %.1f, words %.1f, match %.1f, lead %.1f, gap %.1f, title %.1f, domain %.1f, size %.1f\n",
		w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7])
	crossed := [2]weights{}
	for h := range crossed {
		crossed[h] = found.fit(signs, right, weight, 1-h)
	}
	fmt.Fprintf(
		out,
		"\nFirst hits at 0.85 and more: share of the own queries, of these right, share of the foreign ones; now and, each half "+
			"fitted on the other, by what is taken off the base.\n\n| sample | first hits right | now |")
	margins := []float64{0, 0.2, 0.4}
	for _, m := range margins {
		fmt.Fprintf(out, " %.1f |", m)
	}
	fmt.Fprintf(out, "\n|---|---|---|%s\n", strings.Repeat("---|", len(margins)))
	for _, name := range all.samples() {
		n, first := 0.0, 0.0
		for _, c := range all {
			if c.sample == name && c.own {
				n++
				first += number(len(c.right) > 0 && c.right[0])
			}
		}
		fmt.Fprintf(out, "| %s | %.3f |", name, first/n)
		column := func(score func(c one) float64) {
			var own, direct, right, far, wrong float64
			for _, c := range found {
				sure := score(c) >= 0.85
				switch {
				case c.sample != name:
				case c.own:
					own++
					direct += number(sure)
					right += number(sure && c.right[0])
				default:
					far++
					wrong += number(sure)
				}
			}
			fmt.Fprintf(out, " %.3f %.3f %.3f |", direct/n, right/max(1, direct), wrong/max(1, far))
		}
		column(func(c one) float64 { return c.hits[0].Score })
		for _, m := range margins {
			column(func(c one) float64 { return 1 / (1 + math.Exp(m-crossed[c.half].odds(signs(c)))) })
		}
		fmt.Fprintln(out)
	}
}

func suretySigns(s retrieval.Surety) []float64 {
	return []float64{s.Words, s.Match, s.Lead, s.Gap, s.Title, s.Domain, s.Size}
}

// both is the half that is all.
const both = -1

// fit is a regression over the cases of a half.
func (all cases) fit(signs func(one) []float64, is func(one) bool, weight []float64, half int) weights {
	var seen []observation
	for i, c := range all {
		if half == both || c.half == half {
			seen = append(seen, observation{signs(c), is(c), weight[i]})
		}
	}
	return regress(seen)
}

// weigh gives every case its part of its sample's weight.
func (all cases) weigh(factor func(one) float64) []float64 {
	type kind struct {
		sample string
		own    bool
	}
	count := map[kind]float64{}
	for _, c := range all {
		count[kind{c.sample, c.own}]++
	}
	out := make([]float64, len(all))
	for i, c := range all {
		out[i] = 1000 * factor(c) / count[kind{c.sample, c.own}]
		if !strings.HasSuffix(c.sample, "/whole") && !strings.HasSuffix(c.sample, "/scoped") || strings.HasPrefix(c.sample, "own") {
			out[i] *= pieceWeight
		}
	}
	return out
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

// quantile is the value that a share of sorted values lies under.
func quantile(sorted []float64, share float64) float64 {
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
