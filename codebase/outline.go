package codebase

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/tokens"
	"github.com/brv-lsp/brv-lsp/internal/words"
)

// outlineItem is one line that an outline can show: a file, or one of its symbols.
type outlineItem struct {
	chunk  *Chunk
	symbol *syntax.Symbol // nil for the file itself
}

// symbolsPerRound shapes an outline: the first files get a few symbols first, then all files get their names, then
// more symbols follow.
const symbolsPerRound = 5

// leastLine is the cost of the shortest line in an outline. It bounds how many lines are prepared for a budget.
const leastLine = 3

// Outline draws the tree with its most important symbols in at most budget tokens (counted exactly). The budget
// decides what is shown by relevance to the query, or by importance without a query. Only then is the result
// ordered by path.
func (m *RepoMap) Outline(q Query, budget int) string {
	if budget <= 0 {
		return ""
	}
	items := m.outlineItems(q, budget/leastLine+1)
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

// outlineItems returns at most limit items, most valuable first.
func (m *RepoMap) outlineItems(q Query, limit int) []outlineItem {
	files := m.byWorth(q)
	files = files[:min(limit, len(files))]
	symbols := make([][]*syntax.Symbol, len(files))
	var items []outlineItem
	listed := 0
	list := func(to int) {
		for ; listed < min(to, len(files)); listed++ {
			items = append(items, outlineItem{files[listed], nil})
		}
	}
	show := func(from, to, round int) {
		for i := from; i < min(to, len(files)) && len(items) < limit; i++ {
			if symbols[i] == nil {
				symbols[i] = m.telling(files[i], q)
			}
			start := min(round*symbolsPerRound, len(symbols[i]))
			for _, s := range symbols[i][start:min(start+symbolsPerRound, len(symbols[i]))] {
				items = append(items, outlineItem{files[i], s})
			}
		}
	}
	// First the names of the first files, then their symbols, then the same for the next twice as many.
	for from, to := 0, 8; from < len(files) && len(items) < limit; from, to = to, to*2 {
		list(to)
		show(from, to, 0)
	}
	for round := 1; round < 4 && len(items) < limit; round++ {
		show(0, len(files), round)
	}
	return items[:min(limit, len(items))]
}

// byWorth orders the files: the files of the query first, then all others by importance.
func (m *RepoMap) byWorth(q Query) []*Chunk {
	files := slices.Clone(m.chunks)
	score := map[string]float64{}
	if !q.empty() {
		for _, r := range m.Rank(q) {
			score[r.Path] = r.Score
		}
		score[q.File] = 1
	}
	slices.SortStableFunc(files, func(a, b *Chunk) int {
		return cmp.Or(cmp.Compare(score[b.Path], score[a.Path]), cmp.Compare(m.Standing(b.Path), m.Standing(a.Path)),
			cmp.Compare(b.Importance, a.Importance))
	})
	return files
}

// telling returns a file's symbols for an outline: symbols of the query first, then exported ones and types, then
// the others in order of position.
func (m *RepoMap) telling(c *Chunk, q Query) []*syntax.Symbol {
	if q.Task != "" {
		out := make([]*syntax.Symbol, 0, c.rec.count)
		for _, r := range m.RankSymbols(q, c.Path) {
			if r.Symbol.Kind != Block && (r.Score > 0 || tells(r.Symbol)) {
				out = append(out, r.Symbol)
			}
		}
		return out
	}
	out := []*syntax.Symbol{}
	symbols := c.Symbols()
	for i := range symbols {
		if s := &symbols[i]; tells(s) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *syntax.Symbol) int { return cmp.Compare(symbolOrder(b), symbolOrder(a)) })
	return out
}

func tells(s *syntax.Symbol) bool { return s.Kind != syntax.Variable && s.Kind != syntax.Constant }

// symbolOrder orders symbols when there is no query.
func symbolOrder(s *syntax.Symbol) int {
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

// drawOutline draws items as a tree: folders in the order of their best file, files with the best first, symbols
// in order of position, and what was left out.
func (m *RepoMap) drawOutline(items []outlineItem) string {
	shown := map[*Chunk][]*syntax.Symbol{}
	place := map[string]int{} // index of each folder
	var files []*Chunk
	for _, it := range items {
		if it.symbol == nil {
			shown[it.chunk] = shown[it.chunk][:0:0]
			files = append(files, it.chunk)
			if _, ok := place[dirOf(it.chunk.Path)]; !ok {
				place[dirOf(it.chunk.Path)] = len(place) + 1
			}
		} else {
			shown[it.chunk] = append(shown[it.chunk], it.symbol)
		}
	}
	var b strings.Builder
	place[""] = 0 // files of the top folder come first, without a heading
	slices.SortStableFunc(files, func(a, b *Chunk) int { return cmp.Compare(place[dirOf(a.Path)], place[dirOf(b.Path)]) })
	folder := ""
	for _, c := range files {
		if dir := dirOf(c.Path); dir != folder {
			folder = dir
			fmt.Fprintf(&b, "%s/\n", dir)
		}
		drawFile(&b, c, shown[c])
	}
	if hidden := len(m.chunks) - len(shown); hidden > 0 {
		fmt.Fprintf(&b, "%s %s%s\n", elision, words.Counted(hidden, "more file", "more files"), asideOf(m, shown))
	}
	return b.String()
}

// asideOf returns how many of the hidden files do not belong to the subject of the project.
func asideOf(m *RepoMap, shown map[*Chunk][]*syntax.Symbol) string {
	count := map[string]int{}
	for _, c := range m.chunks {
		if _, ok := shown[c]; !ok {
			count[c.Aside()]++
		}
	}
	var parts []string
	for _, why := range []string{asideTests, asideMade, asideEmpty} {
		if n := count[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, why))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", of these " + strings.Join(parts, ", ")
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
	if len(symbols) > 0 && len(symbols) < c.rec.count {
		fmt.Fprintf(b, "%s  %s\n", indent, elision)
	}
}

// maxOutlineLine prevents one long signature from taking the place of several.
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
