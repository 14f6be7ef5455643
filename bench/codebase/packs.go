package main

// What a pack shows of the files that a commit changed.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/bench/shown"
	"github.com/brv-lsp/brv-lsp/codebase"
	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// budgets are the sizes of packs, in tokens (o200k_base).
var budgets = []int{2000, 4000, 8000}

// packed describes how much one pack shows of an instance's gold files.
type packed struct {
	Engine string `json:"engine"`
	Budget int    `json:"budget"`
	Tokens int    `json:"tokens"`
	Shown  []bool `json:"shown"` // of each gold file, at least one signature

	lines
	Functions int `json:"functions"` // whose lines change, methods too
	Full      int `json:"full"`      // of these, with all lines that change
	Whole     int `json:"whole"`     // of these, with their whole body

	spent
	Wrong string `json:"wrong,omitempty"` // what it says to show of a gold file and does not
}

// gold is a gold file with what of it a pack should show.
type gold struct {
	path      string
	lines     []string          // its text; nil if it is not in the map
	changed   [][2]int          // the lines that change
	names     []string          // of its symbols
	around    []string          // of each change, the name of the smallest symbol around it; "" if there is none
	functions []span            // functions and methods whose lines change
	spans     map[span][][2]int // of each, the lines in it that change
}

// span is a first and a last line, 1-based.
type span [2]int

func (s span) holds(o [2]int) bool { return s[0] <= o[0] && o[1] <= s[1] }

// goldOf reads a gold file and finds its functions and methods that change, those inside
// another one included.
func goldOf(code *codebase.RepoMap, path string, changed [][2]int) (gold, error) {
	g := gold{path: path, changed: changed, around: make([]string, len(changed)), spans: map[span][][2]int{}}
	c, ok := code.Chunk(path)
	if !ok {
		return g, nil
	}
	text, err := code.Read(path)
	if err != nil {
		return g, err
	}
	g.lines = strings.Split(shown.Clean(text), "\n")
	sizes := make([]int, len(changed))
	for i := range c.Symbols() {
		s := &c.Symbols()[i]
		g.names = append(g.names, s.Name)
		at := linesOf(text, s.Range)
		var inside [][2]int
		for n, l := range changed {
			if at.holds(l) && (sizes[n] == 0 || s.Range.Len() < sizes[n]) {
				g.around[n], sizes[n] = s.Name, s.Range.Len()
			}
			if first, last := max(l[0], at[0]), min(l[1], at[1]); first <= last {
				inside = append(inside, [2]int{first, last})
			}
		}
		function := s.Kind == syntax.Function || s.Kind == syntax.Method
		if _, twice := g.spans[at]; function && len(inside) > 0 && !twice {
			g.functions = append(g.functions, at)
			g.spans[at] = inside
		}
	}
	return g, nil
}

func linesOf(text string, at syntax.Span) span {
	first := 1 + strings.Count(text[:at.Start], "\n")
	return span{first, first + strings.Count(strings.TrimRight(text[at.Start:at.End], "\n"), "\n")}
}

// showsSignature reports whether a block holds the name of a symbol of the file; of a
// file without symbols, whether it shows any line.
func (g gold) showsSignature(b shown.Block) bool {
	if len(g.names) == 0 {
		return strings.TrimSpace(strings.ReplaceAll(b.Text, elision, "")) != ""
	}
	held := wordsOf(b.Text)
	return slices.ContainsFunc(g.names, func(name string) bool { return holdsName(held, name) })
}

// wordsOf are the words of a text, as they are written.
func wordsOf(text string) map[string]bool {
	held := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inName(r) }) {
		held[w] = true
	}
	return held
}

// holdsName reports whether words hold each part of a name, as "a.b" and "#c" have them.
func holdsName(held map[string]bool, name string) bool {
	parts := strings.FieldsFunc(name, func(r rune) bool { return !inName(r) })
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p string) bool { return !held[p] })
}

// elision stands for left out lines.
const elision = "⋮"

// misfit returns an error message if a block does not show the lines that its heading names, else "".
func (g gold) misfit(b shown.Block) string {
	for _, r := range b.Lines {
		if r[0] < 1 || r[1] > len(g.lines) || r[0] > r[1] {
			return fmt.Sprintf("%s has no lines %d-%d", g.path, r[0], r[1])
		}
		if want := strings.TrimRight(strings.Join(g.lines[r[0]-1:r[1]], "\n"), "\n"); !strings.Contains(b.Text, want) {
			return fmt.Sprintf("%s: lines %d-%d are named and not shown", g.path, r[0], r[1])
		}
	}
	return ""
}

// showsAll reports whether a block holds all of some lines.
func showsAll(b shown.Block, of ...[2]int) bool {
	return !slices.ContainsFunc(of, func(l [2]int) bool {
		return !slices.ContainsFunc(b.Lines, func(r [2]int) bool { return span(r).holds(l) })
	})
}

// lookAt judges a pack's text, whose tokens were counted.
func lookAt(text string, counted int, engine string, budget int, golds []gold, docs docComments) packed {
	blocks, names := shown.Read(text)
	return judge(blocks, names, packed{Engine: engine, Budget: budget, Tokens: counted}, golds, docs)
}

// judge judges what a pack shows.
func judge(blocks []shown.Block, names []string, p packed, golds []gold, docs docComments) packed {
	for _, g := range golds {
		var b shown.Block
		in := false
		for _, one := range blocks {
			if one.Path == g.path {
				in = true
				b.Lines, b.Text = append(b.Lines, one.Lines...), b.Text+one.Text+"\n"
				p.Wrong = cmp.Or(p.Wrong, g.misfit(one))
			}
		}
		p.Shown = append(p.Shown, in && g.showsSignature(b))
		p.lines.add(g, b, in, slices.Contains(names, g.path))
		p.Functions += len(g.functions)
		for _, f := range g.functions {
			if showsAll(b, g.spans[f]...) {
				p.Full++
			}
			if showsAll(b, f) {
				p.Whole++
			}
		}
	}
	p.lines.mean()
	p.spent = spentOn(blocks, docs)
	return p
}

// inName reports whether a character stands inside identifiers.
func inName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '$' }
