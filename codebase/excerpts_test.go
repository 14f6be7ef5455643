package codebase

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/jail/jailtest"
)

// longGo is a file with a short function, and one of 60 lines in blocks of six.
func longGo() string {
	var b strings.Builder
	b.WriteString("package a\n\n// Short is short.\nfunc Short() int { return 1 }\n\nfunc Long() {\n")
	for i := range 10 {
		word := "alpha"
		if i == 7 {
			word = "gateway"
		}
		fmt.Fprintf(&b, "\t%s%d := 1\n\tif true {\n\t\tuse(1)\n\t\tuse(2)\n\t}\n\n", word, i)
	}
	b.WriteString("}\n")
	return b.String()
}

func excerptsOf(t *testing.T, text, task string) []Excerpt {
	t.Helper()
	m := scan(t, jailtest.Folder(t, map[string]string{"a.go": text}))
	q := Query{Task: task, Offset: -1}
	return m.Excerpts(m.RankSymbols(q, "a.go"), q, "a.go", text, 0, 1)
}

func TestLongSymbolIsCutAndThePieceWithTheTasksWordsIsLikeliest(t *testing.T) {
	text := longGo()
	var best *Excerpt
	covered, heads := 0, 0
	for _, e := range excerptsOf(t, text, "the gateway7 is wrong") {
		if e.Symbol.Name != "Long" {
			if got := text[e.Span.Start:e.Span.End]; got != "package a\n\n// Short is short.\nfunc Short() int { return 1 }\n\n" {
				t.Errorf("the short one is %q", got)
			}
			continue
		}
		e := e
		covered += e.Span.Len()
		if e.Head {
			heads++
		}
		if best == nil || e.Chance() > best.Chance() {
			best = &e
		}
	}
	if long := len(text) - strings.Index(text, "func Long"); covered != long || heads != 1 {
		t.Errorf("pieces cover %d of %d bytes, %d are heads", covered, long, heads)
	}
	if got := text[best.Span.Start:best.Span.End]; !strings.Contains(got, "gateway7") || len(got) > covered/2 {
		t.Errorf("the best piece is\n%s", got)
	}
}

func TestExcerptsOfAClassAreItsMethodsAndWhatLiesBeside(t *testing.T) {
	text := "class A {\n  limit = 3\n  size = 4\n\n  /** Adds. */\n  add() {\n    return 1\n  }\n}\n"
	m := scan(t, jailtest.Folder(t, map[string]string{"a.ts": text}))
	q := Query{Task: "add", Offset: -1}
	seen := make([]int, len(text))
	for _, e := range m.Excerpts(m.RankSymbols(q, "a.ts"), q, "a.ts", text, 0, 1) {
		for i := e.Span.Start; i < e.Span.End; i++ {
			seen[i]++
		}
	}
	method := strings.Index(text, "  /** Adds")
	for i, n := range seen[:method+20] {
		if n != 1 {
			t.Fatalf("byte %d (%q) is in %d excerpts", i, text[i], n)
		}
	}
}

func TestPiecesAreWholeLinesAndCoverTheSpan(t *testing.T) {
	body := strings.Repeat("\tx()\n", 100)
	for name, text := range map[string]string{
		"no blank lines":   "func f() {\n" + body + "}\n",
		"blank lines only": "func f() {\n" + strings.Repeat("\n", 80) + "}",
		"no end of line":   "func f() {\n" + body + "}",
		"deep":             strings.Repeat("  {\n", 60) + strings.Repeat("  }\n", 60),
		"odd bytes":        strings.Repeat("\xff\r\n", 90),
	} {
		at := 0
		pieces := appendPieces(nil, text, syntax.Span{Start: 0, End: len(text)})
		for _, p := range pieces {
			if p.Start != at || p.End <= p.Start || p.End < len(text) && text[p.End-1] != '\n' {
				t.Errorf("%s: piece %v behind %d", name, p, at)
			}
			if n := strings.Count(text[p.Start:p.End], "\n"); name != "blank lines only" && n > longPiece+shortPiece {
				t.Errorf("%s: a piece of %d lines", name, n)
			}
			at = p.End
		}
		if at != len(text) {
			t.Errorf("%s: pieces end at %d of %d", name, at, len(text))
		}
	}
}

// Each line of code stands in one excerpt, in a symbol or not; none has too few lines.
func TestExcerptsCoverTheFile(t *testing.T) {
	short := "package a\n\nimport (\n\t\"fmt\"\n)\n\nconst a = 1\nconst b = 2\n\n// F is.\nfunc F() {}\n\nvar x = fmt.Sprint(1)\n\n" +
		"type T struct {\n\tA int\n}\n\nfunc (T) M() {\n\tF()\n\tF()\n\tF()\n\tF()\n}\n"
	for name, text := range map[string]string{
		"short": short, "long": longGo(), "one line": "package a\n", "no end": "package a\n\nvar b = 1",
	} {
		covered := make([]int, strings.Count(text, "\n")+1)
		all := excerptsOf(t, text, "print")
		for _, e := range all {
			from, n := strings.Count(text[:e.Span.Start], "\n"), len(slices.Collect(strings.Lines(text[e.Span.Start:e.Span.End])))
			if n < leastLines && len(all) > 1 {
				t.Errorf("%s: %q", name, text[e.Span.Start:e.Span.End])
			}
			for i := from; i < from+n; i++ {
				covered[i]++
			}
		}
		for i, line := range strings.Split(text, "\n") {
			if covered[i] > 1 || covered[i] == 0 && strings.Trim(line, "{}()") != "" && len(all) > 0 {
				t.Errorf("%s: line %d, %q, is in %d excerpts", name, i+1, line, covered[i])
			}
		}
	}
}

// What has no symbols is cut where its blocks are, and no line stands in two excerpts.
func TestExcerptsOfAFileWithoutSymbols(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "puts %d\nputs :name%d\nputs 'x'\n\n", i, i)
	}
	text := b.String()
	m := scan(t, jailtest.Folder(t, map[string]string{"a.rb": text}))
	q := Query{Task: "name7", Offset: -1}
	all := m.Excerpts(m.RankSymbols(q, "a.rb"), q, "a.rb", text, 0, 1)
	if len(all) < 5 {
		t.Errorf("%d excerpts of %d lines", len(all), strings.Count(text, "\n"))
	}
	slices.SortFunc(all, func(a, b Excerpt) int { return a.Span.Start - b.Span.Start })
	for i, e := range all {
		if i > 0 && e.Span.Start < all[i-1].Span.End {
			t.Errorf("%v and %v hold the same lines", all[i-1].Span, e.Span)
		}
	}
}

func TestChancesAreChances(t *testing.T) {
	text := longGo()
	for _, task := range []string{"", "Long", "fix gateway in a.go", strings.Repeat("use ", 300)} {
		for _, e := range excerptsOf(t, text, task) {
			if c := e.Chance(); !(c > 0 && c < 1) {
				t.Errorf("%q: %v has %v", task, e.Span, c)
			}
			for i, v := range e.Signals {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%q: signal %d of %v is %v", task, i, e.Span, v)
				}
			}
		}
	}
	before := 1.0
	for rank := range 50 {
		c := FileChance(rank, 1/float64(1+rank))
		if !(c > 0 && c < before) {
			t.Errorf("rank %d has %v behind %v", rank, c, before)
		}
		before = c
	}
}

// A file without symbols gives its blocks.
func TestFileWithoutSymbolsGivesBlocks(t *testing.T) {
	text := strings.Repeat("# only a comment\n\n", 50)
	m := scan(t, jailtest.Folder(t, map[string]string{filepath.Join("b.py"): text}))
	q := Query{Task: "comment", Offset: -1}
	if got := m.Excerpts(m.RankSymbols(q, "b.py"), q, "b.py", text, 0, 1); len(got) == 0 {
		t.Error("no excerpts")
	}
	if got := m.Excerpts(nil, q, "none.py", "", 0, 1); got != nil {
		t.Errorf("of no file: %v", got)
	}
}
