package complete

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// inUse lists the words of a list that begin with a prefix, the most frequent first, with the number of
// entries for each. self does not count: its words are being typed.
func inUse(t *tree.Snapshot, list format.PartRow, prefix string, self *format.Entry) (words []string, uses map[string]int) {
	uses = map[string]int{}
	for _, e := range t.Entries() {
		has := *list.Words(&e.Lists)
		for i, word := range has {
			if !hasPrefixFold(word, prefix) || e == self || slices.Contains(has[:i], word) {
				continue
			}
			if uses[word]++; uses[word] == 1 {
				words = append(words, word)
			}
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(uses[b]-uses[a], strings.Compare(a, b)) })
	return words, uses
}
