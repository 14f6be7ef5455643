package complete

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// vocabulary counts the words that entries have under the frontmatter keys which share
// words, in the tree that was asked for last. An edited entry costs one walk over the
// list of entries and its own words.
type vocabulary struct {
	mu      sync.Mutex      // guards the fields below
	entries []*format.Entry // what was counted
	tags    map[string]int  // how many entries have each
	keys    map[string]int
}

// vocabularies are the vocabularies of the open folders.
var vocabularies = workspace.NewMemory(func(*workspace.Workspace) *vocabulary { return &vocabulary{} })

// inUse lists the words of `tags` or `keywords` that begin with a prefix, the most
// frequent first, and tells how many entries have each. self does not count: its words are being typed.
func (v *vocabulary) inUse(t *tree.Snapshot, key, prefix string, self *format.Entry) (words []string, uses map[string]int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.countLocked(t.Entries())
	counts, own := v.tags, self.Tags
	if key == "keywords" {
		counts, own = v.keys, self.Keywords
	}
	uses = map[string]int{}
	for word, n := range counts {
		if !hasPrefixFold(word, prefix) {
			continue
		}
		if slices.Contains(own, word) {
			n--
		}
		if n > 0 {
			uses[word] = n
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(uses[b]-uses[a], strings.Compare(a, b)) })
	return words, uses
}

// countLocked brings the counts up to another list of entries; both are sorted by path.
func (v *vocabulary) countLocked(next []*format.Entry) {
	if v.tags == nil {
		v.tags, v.keys = map[string]int{}, map[string]int{}
	}
	old := v.entries
	for _, e := range next {
		for len(old) > 0 && old[0].Path < e.Path {
			v.addLocked(old[0], -1)
			old = old[1:]
		}
		if len(old) > 0 && old[0] == e {
			old = old[1:]
			continue
		}
		v.addLocked(e, 1)
	}
	for _, gone := range old {
		v.addLocked(gone, -1)
	}
	v.entries = next
}

func (v *vocabulary) addLocked(e *format.Entry, by int) {
	add := func(counts map[string]int, words []string) {
		slices.Sort(words)
		for _, word := range slices.Compact(words) {
			if counts[word] += by; counts[word] == 0 {
				delete(counts, word)
			}
		}
	}
	add(v.tags, slices.Clone(e.Tags))
	add(v.keys, slices.Clone(e.Keywords))
}
