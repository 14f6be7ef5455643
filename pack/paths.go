package pack

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/brv-lsp/brv-lsp/codebase"
)

// minPathWord is how many letters a word of the task has that is looked for in paths.
const minPathWord = 3

// rankPaths orders files by how many words of the task their paths hold: what can be
// said within a millisecond or two.
func (b *maker) rankPaths() (out []codebase.Ranked) {
	words := strings.FieldsFunc(strings.ToLower(b.task.Text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) < minPathWord })
	slices.Sort(words)
	words = slices.Compact(words)
	words = words[:min(len(words), maxPathWords)]
	for i, c := range b.in.Code.Chunks() {
		if i%pathsAtOnce == 0 && b.left() < -reserve {
			break
		}
		path, n := strings.ToLower(c.Path), 0
		for _, w := range words {
			if strings.Contains(path, w) {
				n++
			}
		}
		if n > 0 && b.wanted(c.Path) {
			out = append(out, codebase.Ranked{Path: c.Path, Score: float64(n) / float64(n+1), Reason: "its path contains words of the task"})
		}
	}
	slices.SortStableFunc(out, func(x, y codebase.Ranked) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(len(x.Path), len(y.Path)))
	})
	return out[:min(len(out), maxFiles)]
}

// pathsAtOnce is how many paths are read between two looks at the clock.
const pathsAtOnce = 256

// maxPathWords bounds the time that paths take.
const maxPathWords = 16
