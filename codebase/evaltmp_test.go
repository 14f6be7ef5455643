package codebase

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

type evalQuery struct {
	Repo, Query, Mentions string
	Base                  string `json:"base_commit"`
	Files                 []string
}

func TestEvalTmp(t *testing.T) {
	spec := os.Getenv("EVAL")
	if spec == "" {
		t.Skip()
	}
	var sets []evalSet
	for _, s := range strings.Fields(spec) {
		name, git, _ := strings.Cut(s, "=")
		sets = append(sets, load(t, name, git))
	}
	out, err := os.Create(os.Getenv("EVALOUT"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	enc := json.NewEncoder(out)
	for _, set := range sets {
		for _, c := range set.cases {
			p := c.m.newPlan(c.q.Query)
			ideal := [3]float64{}
			for j, q := range p.terms {
				ideal[0] += q.weight * p.idf[j]
				ideal[1] += q.weight * p.pathIDF[j]
				ideal[2] += q.weight * p.defsIDF[j]
			}
			gold := setOf(c.q.Files...)
			var rows [][]float64
			for i, ch := range c.m.chunks {
				s := p.signals(ch, p.found[i])
				if s.body+s.path+s.defs+s.exact+s.mention == 0 && !gold[ch.Path] {
					continue
				}
				rows = append(rows, []float64{s.body, s.chunk, s.path, s.defs, s.exact, s.mention, float64(boolRank(ch.Type == Test)), float64(boolRank(gold[ch.Path])), float64(len(c.m.dependents[ch.Path]))})
			}
			enc.Encode(map[string]any{"repo": filepath.Base(set.name), "none": c.q.Mentions == "none", "words": p.words, "tests": p.tests, "ideal": ideal, "rows": rows, "gold": len(c.q.Files)})
		}
	}
}

type evalCase struct {
	m *RepoMap
	q evalQuery
}
type evalSet struct {
	name  string
	cases []evalCase
}

func measure(r []Ranked, gold []string) (out [5]float64) {
	isGold := setOf(gold...)
	found := 0
	for i, x := range r {
		if !isGold[x.Path] {
			continue
		}
		found++
		if found == 1 {
			out[4] = 1 / float64(i+1)
		}
		for k, at := range []int{1, 5, 10} {
			if i < at {
				out[k] += 1 / float64(len(gold))
			}
		}
		if i < 10 {
			out[3] = 1
		}
	}
	return out
}

func load(t *testing.T, name, git string) evalSet {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	set := evalSet{name: name}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	dir := t.TempDir()
	root := open(t, dir)
	var prev *RepoMap
	i := 0
	for sc.Scan() {
		var q evalQuery
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		if i++; i%2 == 0 && os.Getenv("EVALALL") == "" {
			continue
		}
		cmd := exec.Command("sh", "-c", fmt.Sprintf("rm -rf %s/* && git --git-dir %s archive %s | tar x -C %s", dir, git, q.Base, dir))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s: %s", q.Base, out)
			continue
		}
		var m *RepoMap
		if prev == nil {
			m = scan(t, root)
		} else if m, err = prev.Update(t.Context(), []string{"."}); err != nil {
			t.Fatal(err)
		}
		prev = m
		set.cases = append(set.cases, evalCase{m, q})
	}
	return set
}
