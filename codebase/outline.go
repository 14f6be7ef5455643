package codebase

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// outlineItem is one line that an outline can show: a file, or a symbol of it.
type outlineItem struct {
	chunk  *Chunk
	symbol *syntax.Symbol // nil for the file itself
}

// symbolsPerFile and symbolRounds shape an outline: the most important files
// first get their first few symbols, then all files their names, then more.
const symbolsPerRound = 5

// Outline draws the tree with its important symbols in at most budget tokens
// (counted exactly). What matters most is shown first, wherever it stands: the
// budget cuts by importance, and only what is left is ordered by path.
func (m *RepoMap) Outline(budget int) string {
	items := m.outlineItems()
	fits := func(n int) bool { return tokens.Count(m.drawOutline(items[:n])) <= budget }
	n := sort.Search(len(items), func(n int) bool { return !fits(n + 1) })
	for n > 0 && !fits(n) { // counts are nearly, not strictly, monotonic
		n--
	}
	if n == 0 {
		return ""
	}
	return m.drawOutline(items[:n])
}

// outlineItems orders what can be shown by what it is worth.
func (m *RepoMap) outlineItems() []outlineItem {
	files := slices.Clone(m.chunks)
	slices.SortStableFunc(files, func(a, b *Chunk) int { return cmp.Compare(b.Importance, a.Importance) })
	symbols := make([][]*syntax.Symbol, len(files))
	for i, c := range files {
		symbols[i] = telling(c)
	}
	var items []outlineItem
	listed := 0
	list := func(to int) {
		for ; listed < min(to, len(files)); listed++ {
			items = append(items, outlineItem{files[listed], nil})
		}
	}
	show := func(from, to, round int) {
		for i := from; i < min(to, len(files)); i++ {
			start := min(round*symbolsPerRound, len(symbols[i]))
			for _, s := range symbols[i][start:min(start+symbolsPerRound, len(symbols[i]))] {
				items = append(items, outlineItem{files[i], s})
			}
		}
	}
	// Names of the first files, their symbols, then the next twice as many.
	for from, to := 0, 8; from < len(files); from, to = to, to*2 {
		list(to)
		show(from, to, 0)
	}
	for round := 1; round < 4; round++ {
		show(0, len(files), round)
	}
	return items
}

// telling returns a file's symbols for an outline: exported ones and types
// first, then in order of position.
func telling(c *Chunk) []*syntax.Symbol {
	var out []*syntax.Symbol
	for i := range c.Symbols {
		if s := &c.Symbols[i]; s.Kind != syntax.Variable && s.Kind != syntax.Constant {
			out = append(out, s)
		}
	}
	weight := func(s *syntax.Symbol) int {
		w := 0
		if s.Exported {
			w += 4
		}
		if s.Container == "" {
			w += 2
		}
		if s.Kind.IsType() {
			w++
		}
		return w
	}
	slices.SortStableFunc(out, func(a, b *syntax.Symbol) int { return cmp.Compare(weight(b), weight(a)) })
	return out
}

// drawOutline writes items as a tree: folders, their files, their symbols in
// order of position, and what was left out.
func (m *RepoMap) drawOutline(items []outlineItem) string {
	shown := map[*Chunk][]*syntax.Symbol{}
	for _, it := range items {
		if it.symbol == nil {
			shown[it.chunk] = shown[it.chunk][:0:0]
		} else {
			shown[it.chunk] = append(shown[it.chunk], it.symbol)
		}
	}
	var b strings.Builder
	folder, hidden := "", 0
	for _, c := range m.chunks {
		symbols, ok := shown[c]
		if !ok {
			hidden++
			continue
		}
		if dir := dirOf(c.Path); dir != folder {
			folder = dir
			fmt.Fprintf(&b, "%s/\n", orDot(dir))
		}
		drawFile(&b, c, symbols)
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "%s %d more files\n", elision, hidden)
	}
	return b.String()
}

func drawFile(b *strings.Builder, c *Chunk, symbols []*syntax.Symbol) {
	indent := ""
	if dirOf(c.Path) != "" {
		indent = "  "
	}
	fmt.Fprintf(b, "%s%s\n", indent, strings.TrimPrefix(c.Path[len(dirOf(c.Path)):], "/"))
	slices.SortFunc(symbols, func(x, y *syntax.Symbol) int { return cmp.Compare(x.NameAt.Start, y.NameAt.Start) })
	for _, s := range symbols {
		deeper := ""
		if s.Container != "" {
			deeper = "  "
		}
		fmt.Fprintf(b, "%s  %s%s\n", indent, deeper, outlineLine(s))
	}
	if len(symbols) > 0 && len(symbols) < len(c.Symbols) {
		fmt.Fprintf(b, "%s  %s\n", indent, elision)
	}
}

// maxOutlineLine keeps one long signature from taking the place of several.
const maxOutlineLine = 100

func outlineLine(s *syntax.Symbol) string {
	sig := s.Signature
	if sig == "" {
		sig = string(s.Kind) + " " + s.Name
	}
	if len(sig) <= maxOutlineLine {
		return sig
	}
	cut := maxOutlineLine
	for cut > 0 && sig[cut]&0xc0 == 0x80 {
		cut--
	}
	return sig[:cut] + "…"
}
