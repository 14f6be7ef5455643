package shown

// The yardstick of packs is a short script: it takes windows of forty lines, ranked by the words that they
// share with the task, up to the same number of tokens. It shares nothing with the project but the counting
// of tokens.

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/internal/tokens"
)

// The windows and the files that they are cut from.
const (
	windowLines = 40
	windowStep  = 20
	windowFiles = 30      // best files
	maxWindows  = 400     // best windows of these
	windowText  = 600_000 // characters of a file that are read
	windowMean  = 3000    // words of a file, for BM25
)

var (
	windowCode = regexp.MustCompile(`\.(py|go|rs|c|h|ts|tsx|js|jsx|mjs|cjs|svelte|java|kt|cc|cpp|cxx|hh|hpp|ex|exs|rb)$`)
	windowTest = regexp.MustCompile(`(?i)(^|/)(tests?|spec|examples?|docs?|bench\w*|testdata|fixtures?|__tests__)(/|$)` +
		`|_test\.|\.test\.|\.spec\.|test_`)
	windowWord = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*`)
	windowStop = map[string]bool{}
)

func init() {
	for w := range strings.FieldsSeq(`the a an of to is in on for and or with that be not as it its by from when which does do
		are has have was if no than then this but at can must should could would will only very many more such because although
		those these into out up while`) {
		windowStop[w] = true
	}
}

// windowed is a file as the yardstick sees it.
type windowed struct {
	path   string
	lines  []string
	counts map[string]int
	length int
	score  float64
}

// Windows are the files of a checkout, by path.
type Windows map[string]*windowed

// Update reads the files that changed.
func (w Windows) Update(root *os.Root, changed []string) {
	for _, p := range changed {
		delete(w, p)
		if !windowCode.MatchString(p) || windowTest.MatchString(p) {
			continue
		}
		data, err := root.ReadFile(p)
		if err != nil {
			continue // it is gone
		}
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(Clean(string(data)))
		if len(text) > windowText {
			all := []rune(text)
			text = string(all[:min(windowText, len(all))])
		}
		f := &windowed{path: p, lines: strings.Split(text, "\n"), counts: subwords(text)}
		for _, n := range f.counts {
			f.length += n
		}
		w[p] = f
	}
}

// window is one of a file.
type window struct {
	Block
	score float64
}

// Pack fills each budget with windows that do not overlap.
func (w Windows) Pack(task string, budgets []int) (blocks [][]Block, spent []int) {
	found := w.best(task)
	prices := make([]int, len(found))
	for i, x := range found {
		prices[i] = tokens.Count(fmt.Sprintf("### `%s:%d-%d`\n```\n%s\n```\n", x.Path, x.Lines[0][0], x.Lines[0][1], x.Text))
	}
	for _, budget := range budgets {
		var some []Block
		used := 0
		for i, x := range found {
			if used+prices[i] > budget {
				if used*10 > budget*9 {
					break
				}
				continue
			}
			if !slices.ContainsFunc(some, func(b Block) bool {
				return b.Path == x.Path && b.Lines[0][0] <= x.Lines[0][1] && x.Lines[0][0] <= b.Lines[0][1]
			}) {
				some = append(some, x.Block)
				used += prices[i]
			}
		}
		blocks, spent = append(blocks, some), append(spent, used)
	}
	return blocks, spent
}

// best are the best windows of the best files.
func (w Windows) best(task string) []window {
	idf := map[string]float64{}
	for word := range subwords(task) {
		if windowStop[word] {
			continue
		}
		in := 0
		for _, f := range w {
			if f.counts[word] > 0 {
				in++
			}
		}
		if in > 0 {
			idf[word] = math.Log(1 + float64(len(w))/(float64(in)+.5))
		}
	}
	words := make([]string, 0, len(idf)) // in an order, on which sums of floats depend
	for word := range idf {
		words = append(words, word)
	}
	slices.Sort(words)
	files := make([]*windowed, 0, len(w))
	for _, f := range w {
		f.score = 0
		path := subwords(f.path)
		for _, word := range words {
			if n := float64(f.counts[word]); n > 0 {
				f.score += idf[word] * n * 2.2 / (n + 1.2*(.4+.6*float64(f.length)/windowMean))
			}
			if path[word] > 0 {
				f.score += 1.5 * idf[word]
			}
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *windowed) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path)) })
	var out []window
	for _, f := range files[:min(windowFiles, len(files))] {
		for i := 0; i < len(f.lines); i += windowStep {
			end := min(i+windowLines, len(f.lines))
			text := strings.Join(f.lines[i:end], "\n")
			counts, score := subwords(text), .25*f.score
			for _, word := range words {
				n := float64(counts[word])
				score += idf[word] * n / (n + 1)
			}
			out = append(out, window{Block{f.path, [][2]int{{i + 1, end}}, text}, score})
		}
	}
	slices.SortStableFunc(out, func(a, b window) int { return cmp.Compare(b.score, a.score) })
	return out[:min(maxWindows, len(out))]
}

// subwords counts the parts of a text's identifiers, without their endings.
func subwords(text string) map[string]int {
	out := map[string]int{}
	for _, at := range windowWord.FindAllStringIndex(text, -1) {
		for word := text[at[0]:at[1]]; word != ""; {
			n := subword(word)
			if n > 1 {
				out[unended(strings.ToLower(word[:n]))]++
			}
			word = word[n:]
		}
	}
	return out
}

// subword is the length of a word's first part: capitals up to one that begins a word of
// small letters, or small letters and digits with a capital before them.
func subword(word string) int {
	capitals := 0
	for capitals < len(word) && 'A' <= word[capitals] && word[capitals] <= 'Z' {
		capitals++
	}
	small := func(i int) bool { return i < len(word) && 'a' <= word[i] && word[i] <= 'z' }
	switch {
	case capitals > 0 && !small(capitals):
		return capitals
	case capitals > 1:
		return capitals - 1
	}
	n := max(1, capitals)
	for small(n) || n < len(word) && '0' <= word[n] && word[n] <= '9' {
		n++
	}
	return n
}

// unended takes an English ending off, if three letters stay.
func unended(word string) string {
	for _, ending := range []string{"ations", "ation", "ings", "ing", "ers", "er", "ies", "ied", "ed", "es", "s"} {
		if strings.HasSuffix(word, ending) && len(word)-len(ending) >= 3 {
			return word[:len(word)-len(ending)]
		}
	}
	return word
}
