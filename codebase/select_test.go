package codebase

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// shop is a small tree in which the strategies differ.
func shop(t *testing.T) *RepoMap {
	long := strings.Repeat("// filler text that costs tokens\n", 60)
	return scan(t, jailtest.Folder(t, map[string]string{
		"src/index.ts": "import { pay } from './pay/pay';\nimport { show } from './ui/show';\npay(); show();\n",
		"src/pay/pay.ts": "import { card } from './card';\nimport { Money } from '../types';\nexport function pay(): Money " +
			"{ return card(); }\n" + long,
		"src/pay/card.ts": "import { log } from '../utils/log';\n/** Charges a credit card. */\nexport function card() { " +
			"log('charge credit card'); }\n",
		"src/ui/show.ts":       "import { log } from '../utils/log';\nexport function show() { log('show'); }\n",
		"src/ui/button.ts":     "export class Button { click() {} }\n",
		"src/utils/log.ts":     "export function log(s: string) { console.log(s); }\n",
		"src/types.ts":         "export interface Money { amount: number }\n",
		"src/pay/card.test.ts": "import { card } from './card';\ntest('credit card charges', () => card());\n",
	}))
}

func pathsInOrder(chunks []*Chunk) (out []string) {
	for _, c := range chunks {
		out = append(out, c.Path)
	}
	return out
}

func TestStrategiesOrderDifferently(t *testing.T) {
	m := shop(t)
	for _, c := range []struct {
		req  SelectRequest
		want []string // the first ones
	}{
		{SelectRequest{Strategy: ImportanceFirst}, []string{"src/pay/card.ts", "src/index.ts"}},
		{SelectRequest{Strategy: RelevanceFirst, Query: Query{Task: "charge a credit card", Offset: -1}},
			[]string{"src/pay/card.ts"}},
		{SelectRequest{Strategy: BreadthFirst, Query: Query{Task: "charge a credit card", Offset: -1}},
			[]string{"src/pay/card.ts", "src/index.ts", "src/ui/show.ts", "src/utils/log.ts"}},
		{SelectRequest{Strategy: DepthFirst, Query: Query{Task: "charge a credit card", Offset: -1}},
			[]string{"src/pay/card.ts", "src/utils/log.ts"}},
		{SelectRequest{Strategy: DepthFirst}, []string{"src/index.ts"}},
		{SelectRequest{Strategy: RelevanceFirst, Query: Query{Task: "Money", Offset: -1}, IncludeTypes: true},
			[]string{"src/types.ts"}},
		{SelectRequest{Query: Query{Task: "unit test of credit card", Offset: -1}, IncludeTests: true},
			[]string{"src/pay/card.test.ts"}},
	} {
		got := pathsInOrder(m.Order(c.req))
		if len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) {
			t.Errorf("%s %q: %v, want first %v", c.req.Strategy, c.req.Task, got, c.want)
		}
	}
}

func TestAroundFollowsTheGraph(t *testing.T) {
	m := shop(t)
	for _, c := range []struct {
		from string
		dir  Direction
		want []string
	}{
		{"src/pay/card.ts", DependenciesOf, []string{"src/utils/log.ts"}},
		{"src/pay/card.ts", DependentsOf, []string{"src/pay/pay.ts", "src/pay/card.test.ts", "src/index.ts"}},
		{"src/ui/button.ts", BothWays, nil},
		{"missing.ts", BothWays, nil},
	} {
		var got []string
		for _, s := range m.Around([]string{c.from}, c.dir) {
			got = append(got, s.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s -want +got:\n%s", c.from, c.dir, diff)
		}
	}
}

func TestOutlineShowsTheImportantFilesFirst(t *testing.T) {
	m := shop(t)
	full := m.Outline(Query{}, 10_000)
	for _, want := range []string{"src/\n  types.ts", "\n  index.ts", "export function card()", "click()"} {
		if !strings.Contains(full, want) {
			t.Errorf("no %q in\n%s", want, full)
		}
	}
	for budget := range 120 {
		out := m.Outline(Query{}, budget)
		if n := tokens.Count(out); n > budget {
			t.Fatalf("budget %d: %d tokens", budget, n)
		}
		if out != "" && !strings.Contains(out, "card.ts") {
			t.Errorf("budget %d cuts the most important file first:\n%s", budget, out)
		}
		if strings.Contains(out, "index.ts") && !strings.Contains(out, "log.ts") {
			t.Errorf("budget %d prefers what only passes names on:\n%s", budget, out)
		}
	}
}

func TestSkeletonElidesBodies(t *testing.T) {
	src := `package a

import "fmt"

// Store keeps things.
// A second line.
type Store struct {
	x int
}

// Get returns one.
func (s *Store) Get() int {
	fmt.Println("body")
	return s.x
}
`
	m := scan(t, jailtest.Folder(t, map[string]string{"a.go": src}))
	c, _ := m.Chunk("a.go")
	want := `⋮
// Store keeps things.
type Store struct ⋮
// Get returns one.
func (s *Store) Get() int ⋮
`
	if diff := cmp.Diff(want, Skeleton(src, c.Symbols())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := Skeleton("short", c.Symbols()); strings.Contains(got, "Store") {
		t.Errorf("symbols of another text: %q", got)
	}
	py := "class A:\n    \"\"\"Doc.\"\"\"\n\n    def f(self):\n        return 1\n\n    def g(self): pass\n"
	m = scan(t, jailtest.Folder(t, map[string]string{"a.py": py}))
	c, _ = m.Chunk("a.py")
	want = "# Doc.\nclass A\n    def f(self) ⋮\n    def g(self) ⋮\n"
	if diff := cmp.Diff(want, Skeleton(py, c.Symbols())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func FuzzSkeleton(f *testing.F) {
	f.Add("package a\nfunc F() {}\n", 0, 5)
	m, err := Scan(
		f.Context(), jailtest.Folder(f, map[string]string{"a.go": "package a\n\n// D.\nfunc F() { x() }\n\ntype T struct{ a int }\n"}),
		Options{Parser: pool})
	if err != nil {
		f.Fatal(err)
	}
	c, _ := m.Chunk("a.go")
	f.Fuzz(func(t *testing.T, text string, _, _ int) { Skeleton(text, c.Symbols()) })
}
