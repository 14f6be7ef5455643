package complete

import (
	"cmp"
	"slices"
	"strings"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
)

// inUse lists the words of `tags` or `keywords` that begin with a prefix, the most
// frequent first, and tells how many entries have each. self does not count: its words are being typed.
func inUse(t *tree.Snapshot, key, prefix string, self *format.Entry) (words []string, uses map[string]int) {
	uses = map[string]int{}
	for _, e := range t.Entries() {
		list := e.Tags
		if key == "keywords" {
			list = e.Keywords
		}
		for i, word := range list {
			if !hasPrefixFold(word, prefix) || e == self || slices.Contains(list[:i], word) {
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
