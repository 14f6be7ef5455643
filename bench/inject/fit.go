package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// asked is a prompt with what the code says of it.
type asked struct {
	repo, kind string
	own        bool
	x          [5]float64 // 1 and the signs
}

// rounds are more than Newton's method needs here.
const rounds = 30

// fit fits the weights of the evidence, and says what passes in repositories left out.
func fit(ctx context.Context, o options, all map[string][]instance) error {
	r := rand.New(rand.NewPCG(1, 2))
	var rows []asked
	repos := slices.Sorted(maps.Keys(all))
	for _, repo := range repos {
		commits := all[repo]
		err := at(ctx, o, repo, commits[len(commits)-1].Base, func(w *workspace.Workspace) error {
			add := func(kind string, own bool, texts ...string) error {
				for _, text := range texts {
					e, err := codebase.EvidenceOf(ctx, w.View().Code(), text)
					if err != nil {
						return err
					}
					rows = append(rows, asked{repo, kind, own, [5]float64{1, e.Mention, e.Words, e.Theme, e.Part}})
				}
				return nil
			}
			for _, i := range commits {
				if err := add("own subjects", true, i.Subject); err != nil {
					return err
				}
				if err := add("own messages", true, i.Query); err != nil {
					return err
				}
			}
			others, none := wrong(all, repo, 12, r)
			if err := add("of other repositories", false, others...); err != nil {
				return err
			}
			return add("about no code", false, none...)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", repo, err)
		}
	}
	fmt.Printf("weights of 1, Mention, Words, Theme, Part: %.2f\n", logistic(rows))
	passed := map[string]map[float64]int{}
	total := map[string]int{}
	cuts := []float64{0.5, 0.75, 0.9, 1, 1.2}
	for _, repo := range repos {
		weights := logistic(slices.DeleteFunc(slices.Clone(rows), func(a asked) bool { return a.repo == repo }))
		for _, a := range rows {
			if a.repo != repo {
				continue
			}
			total[a.kind]++
			if passed[a.kind] == nil {
				passed[a.kind] = map[float64]int{}
			}
			for _, cut := range cuts {
				if dot(weights, a.x) >= cut {
					passed[a.kind][cut]++
				}
			}
		}
	}
	for _, cut := range cuts {
		fmt.Printf("from %.2f on pass", cut)
		for _, kind := range slices.Sorted(maps.Keys(total)) {
			fmt.Printf(", %s %.0f %%", kind, 100*float64(passed[kind][cut])/float64(total[kind]))
		}
		fmt.Println()
	}
	return nil
}

func dot(a, b [5]float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// logistic is a regression in which the prompts of both sides weigh the same, with a little ridge.
func logistic(rows []asked) (w [5]float64) {
	own := 0
	for _, a := range rows {
		if a.own {
			own++
		}
	}
	n := float64(len(rows))
	for range rounds {
		var g [5]float64
		var h [5][6]float64
		for _, a := range rows {
			y, weight := 0.0, n/2/(n-float64(own))
			if a.own {
				y, weight = 1, n/2/float64(own)
			}
			p := 1 / (1 + math.Exp(-dot(w, a.x)))
			for i := range g {
				g[i] += weight * (y - p) * a.x[i]
				for j := range g {
					h[i][j] += weight * p * (1 - p) * a.x[i] * a.x[j]
				}
			}
		}
		for i := range g {
			h[i][i] += .001 * n
			if i > 0 {
				g[i] -= .001 * n * w[i]
			}
			h[i][5] = g[i]
		}
		for i := range g { // Gauss and Jordan; the matrix is positive definite
			for k := range g {
				if k == i {
					continue
				}
				f := h[k][i] / h[i][i]
				for j := range h[k] {
					h[k][j] -= f * h[i][j]
				}
			}
		}
		for i := range w {
			w[i] += h[i][5] / h[i][i]
		}
	}
	return w
}
