package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/workspace"
	"github.com/brv-lsp/brv-lsp/workspace/inject"
)

// told sums up how much of commits their texts show.
type told struct {
	n, silent, tokens, over int
	files, lines            float64
	times                   []time.Duration
}

func (t *told) add(text string, i *instance, took time.Duration) {
	t.n++
	t.times = append(t.times, took)
	n := tokens.Count(text)
	t.tokens += n
	if n > inject.DefaultCap {
		t.over++
	}
	if text == "" {
		t.silent++
	}
	if i == nil {
		return
	}
	files, changes, lines := 0.0, 0, 0.0
	shown := shownLines(text)
	for _, f := range i.Files {
		if strings.Contains(text, f) {
			files++
		}
		for _, c := range i.Lines[f] {
			changes++
			held := 0
			for line := c[0]; line <= c[1]; line++ {
				if slices.ContainsFunc(shown[f], func(s [2]int) bool { return s[0] <= line && line <= s[1] }) {
					held++
				}
			}
			lines += float64(held) / float64(c[1]-c[0]+1)
		}
	}
	t.files += files / float64(len(i.Files))
	t.lines += lines / float64(max(1, changes))
}

func (t *told) row(name string) string {
	slices.Sort(t.times)
	n := float64(max(1, t.n))
	at := func(p float64) float64 { return float64(t.times[int(p*float64(len(t.times)-1))].Microseconds()) / 1000 }
	return fmt.Sprintf("| %s | %d | %.0f %% | %.0f %% | %.0f %% | %.0f | %d | %.0f, %.0f |\n", name, t.n,
		100*float64(t.silent)/n, 100*t.files/n, 100*t.lines/n, float64(t.tokens)/n, t.over, at(.5), at(.95))
}

var heading = regexp.MustCompile("(?m)^### `+ ?(.*?):([0-9]+-[0-9]+(?:,[0-9]+-[0-9]+)*) ?`+$")

// shownLines are the lines of files that a text shows, as its headings say.
func shownLines(text string) map[string][][2]int {
	out := map[string][][2]int{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		for r := range strings.SplitSeq(m[2], ",") {
			from, to, _ := strings.Cut(r, "-")
			a, _ := strconv.Atoi(from)
			b, _ := strconv.Atoi(to)
			out[m[1]] = append(out[m[1]], [2]int{a, b})
		}
	}
	return out
}

// outlined is an outline with the whole path of each file, as one a line names it behind its folder.
func outlined(text string) string {
	var b strings.Builder
	folder := ""
	for line := range strings.Lines(text) {
		name := strings.TrimRight(line, "\n")
		switch bare := strings.TrimLeft(name, " "); {
		case len(bare) == len(name):
			folder = strings.TrimSuffix(name, "/")
			b.WriteString(name + "\n")
		case len(name)-len(bare) == 2:
			b.WriteString(path.Join(folder, bare) + "\n")
		}
	}
	return b.String()
}

// list is as many paths as fit.
func list(code *codebase.RepoMap) string {
	var b strings.Builder
	for _, c := range code.Chunks() {
		b.WriteString(c.Path + "\n")
	}
	counter, _ := tokens.Named("")
	text, _ := counter.Prefix(b.String(), inject.DefaultCap)
	return text
}

func measure(ctx context.Context, o options, all map[string][]instance) error {
	r := rand.New(rand.NewPCG(26, 11))
	hook, tree, outline, elsewhere, none := &told{}, &told{}, &told{}, &told{}, &told{}
	where := ""
	ask := func(w *workspace.Workspace, t *told, text string, i *instance) error {
		began := time.Now()
		said, err := inject.Prompt(ctx, w.View(), inject.OpenSession("", "", ""), text, inject.DefaultCap, 0)
		t.add(said, i, time.Since(began))
		return err
	}
	for _, repo := range slices.Sorted(maps.Keys(all)) {
		own := &told{}
		for n, i := range all[repo][o.skip:min(o.skip+o.per, len(all[repo]))] {
			err := at(ctx, o, repo, i.Base, func(w *workspace.Workspace) error {
				code := w.View().Code()
				tree.add(list(code), &i, 0)
				outline.add(outlined(code.Outline(codebase.Query{}, inject.DefaultCap)), &i, 0)
				if err := ask(w, hook, i.Query, &i); err != nil {
					return err
				}
				if err := ask(w, own, i.Query, &i); err != nil || n > 0 {
					return err
				}
				others, nothing := wrong(all, repo, 5, r)
				for _, p := range others {
					if err := ask(w, elsewhere, p, nil); err != nil {
						return err
					}
				}
				for _, p := range nothing {
					if err := ask(w, none, p, nil); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("%s %s: %w", repo, i.Base, err)
			}
		}
		where += own.row(repo)
		fmt.Fprintln(os.Stderr, repo)
	}
	head := "| | prompts | silent | files named | lines shown | tokens, mean | over the cap | ms, p50 and p95 |\n" +
		"|---|---|---|---|---|---|---|---|\n"
	report := fmt.Sprintf("Told for a prompt: commit messages at their parents, %d of each repository from number %d on, "+
		"at most %d tokens, without a context tree.\n\n", o.per, o.skip, inject.DefaultCap) + head +
		hook.row("told for the message") + tree.row("list of files") + outline.row("map by importance") +
		elsewhere.row("prompts about other repositories") + none.row("prompts about no code") + "\nBy repository:\n\n" + head + where
	fmt.Print(report)
	if o.runs == "" {
		return nil
	}
	return os.WriteFile(o.runs, []byte(report), 0o644)
}
