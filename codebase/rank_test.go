package codebase

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/brv-lsp/brv-lsp/codebase/terms"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// TestRanking runs the archives rank_*.txtar: a tree, a file "tasks" with a task
// per line (after "path >" for the symbols of one file), and in "want" the first
// results with their reasons.
func TestRanking(t *testing.T) {
	paths, _ := filepath.Glob("testdata/rank_*.txtar")
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files := filesOf(a)
			tasks := files["tasks"]
			delete(files, "tasks")
			m := scan(t, jailtest.Folder(t, files))
			var b strings.Builder
			for task := range strings.Lines(tasks) {
				rankListing(&b, m, strings.TrimSpace(task))
			}
			golden(t, path, a, b.String())
		})
	}
}

func rankListing(b *strings.Builder, m *RepoMap, task string) {
	fmt.Fprintf(b, "# %s\n", task)
	if path, rest, ok := strings.Cut(task, " > "); ok {
		for _, r := range m.RankSymbols(Query{Task: rest, Offset: -1}, path) {
			fmt.Fprintf(b, "%.2f %s\n", r.Score, r.Symbol.Name)
		}
		return
	}
	for i, r := range m.Rank(Query{Task: task, Offset: -1}) {
		if i < 4 {
			fmt.Fprintf(b, "%.2f %s (%s)\n", r.Score, r.Path, r.Reason)
		}
	}
}

func TestIdentifiersGiveTheirPartsAndTheWhole(t *testing.T) {
	for text, want := range map[string][]string{
		"refreshToken":   {"refresh", "token", "refreshtoken"},
		"refresh_token":  {"refresh", "token", "refreshtoken"},
		"HTTPServer":     {"http", "server", "httpserver"},
		"base64":         {"base64"},
		"kebab-case x":   {"kebab", "case"},
		"parseÜberJSON":  {"pars", "über", "json", "parseüberjson"},
		"$_x":            nil,
		"MAX_AGE":        {"max", "age", "maxage"},
		"日本語 text":       {"日本語", "text"},
		"\xff\xfeab\xff": {"ab"},
	} {
		hashes := map[term]string{}
		for _, w := range want {
			hashes[terms.Name(w)] = w
		}
		n := 0
		terms.Scan(text, func(h term, _ int) {
			n++
			if _, ok := hashes[h]; !ok {
				t.Errorf("%q gives a term that is none of %v", text, want)
			}
		})
		if n != len(want) {
			t.Errorf("%q gives %d terms, want %v", text, n, want)
		}
	}
}

func TestTermsAreCountedBySegment(t *testing.T) {
	text := "package a\n\n// Doc of F.\nfunc F() { alpha() }\n\ntype T struct{ beta int }\n\nvar gamma = 1\n"
	m := scan(t, jailtest.Folder(t, map[string]string{"a.go": text}))
	v := &m.Chunks()[0].rec.vector
	for word, want := range map[string]int{"alpha": 0, "doc": 0, "beta": 1, "gamma": -1, "packag": -1} {
		at, ok := indexOf(v, terms.Name(word))
		if !ok {
			t.Fatalf("%s is not among the terms", word)
		}
		var in []int
		v.bySegment(at, func(segment, _ int) { in = append(in, int(v.segments[segment].symbol)) })
		if !slices.Equal(in, []int{want}) {
			t.Errorf("%s: in symbols %v, want %d", word, in, want)
		}
	}
	sum := 0
	for _, s := range v.segments {
		sum += int(s.length)
	}
	if sum != v.length {
		t.Errorf("segments hold %d of %d terms", sum, v.length)
	}
}

// FuzzTask checks that a task is read in bounds whatever it is.
func FuzzTask(f *testing.F) {
	f.Add("fix refreshToken in src/a.ts\nlong body")
	f.Add("a::b::c in app/(x)/[[...id]]/+page.ts:12 and File \"a/b.py\", line 99999999")
	f.Fuzz(func(t *testing.T, text string) {
		p := parseTask(text)
		for i := 1; i < len(p.terms); i++ {
			if p.terms[i-1].term >= p.terms[i].term {
				t.Fatal("terms are not sorted")
			}
		}
	})
}

// indexOf finds a term of a vector, which is sorted.
func indexOf(v *vector, t term) (int, bool) {
	return sort.Find(v.n, func(i int) int { return cmp.Compare(t, v.at(i)) })
}
