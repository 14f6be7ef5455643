package codeaction

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/brv-lsp/brv-lsp/tree"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/workspace"
)

// maxNamesakes bounds the entries that are offered as duplicates.
const maxNamesakes = 3

// sameTitle is the share of the words of two titles, of those that either has, from which
// they are offered as one: three words of four.
const sameTitle = 0.75

// titles knows which entries on disk have a word in their titles.
type titles struct {
	mu     sync.Mutex // guards the fields below
	of     *tree.Snapshot
	byWord map[string][]*titled
}

// titlesOnDisk are the titles on disk of the open folders.
var titlesOnDisk = workspace.NewMemory(func(*workspace.Workspace) *titles { return &titles{} })

// titled is an entry with the words of its title.
type titled struct {
	*format.Entry
	words []string // sorted
}

// titleWords are the words of a title, each once, sorted.
func titleWords(title string) []string {
	words := strings.Split(format.Slug(title), "_")
	slices.Sort(words)
	return slices.Compact(words)
}

// having returns, for each word, the entries that have it, by an index that is made once
// for each state of the disk.
func (t *titles) having(s *tree.Snapshot, words []string) [][]*titled {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of != s {
		t.of, t.byWord = s, map[string][]*titled{}
		for _, e := range s.Entries() {
			if e.Role != format.RoleEntry {
				continue
			}
			of := &titled{e, titleWords(e.Title)}
			for _, word := range of.words {
				t.byWord[word] = append(t.byWord[word], of)
			}
		}
	}
	out := make([][]*titled, len(words))
	for i, word := range words {
		out[i] = t.byWord[word]
	}
	return out
}

// namesakes lists the entries whose titles have nearly the same words, the most alike
// first. They are those on disk: that is where a merge looks for them.
func namesakes(v *workspace.View, e *format.Entry) []*format.Entry {
	words := titleWords(e.Title)
	lists := titlesOnDisk.Of(v).having(v.Disk(), words)
	slices.SortFunc(lists, func(a, b []*titled) int { return cmp.Compare(len(a), len(b)) })
	// What shares enough words has one of the rarest: the common ones, in every title, are
	// not looked at.
	need := int(math.Ceil(sameTitle * float64(len(words))))
	share := map[*format.Entry]float64{}
	for _, list := range lists[:len(words)-need+1] {
		for _, other := range list {
			if other.Path != e.Path {
				share[other.Entry] = overlap(words, other.words)
			}
		}
	}
	var out []*format.Entry
	for other, n := range share {
		if n >= sameTitle {
			out = append(out, other)
		}
	}
	slices.SortFunc(out, func(a, b *format.Entry) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), cmp.Compare(a.Path, b.Path))
	})
	return workspace.FirstOf(out, maxNamesakes)
}

// overlap is the share of the words of two sorted lists that both have.
func overlap(a, b []string) float64 {
	both := 0
	for _, word := range a {
		if _, ok := slices.BinarySearch(b, word); ok {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
