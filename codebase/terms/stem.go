package terms

import (
	"strings"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// The lengths of words that get a stem. Shorter ones have no endings, and longer ones are no words.
const (
	shortestWord = 3
	longestWord  = 32
)

// partTerm returns the term of a part whose letters have the hash h. If the part has only English letters, it is
// the term of its stem (Porter2), so that "pipelines" in a question finds Pipeline. docs/ranking.md has the gain.
func partTerm(part string, letters bool, h Term) Term {
	if !letters || len(part) < shortestWord || len(part) > longestWord {
		return h
	}
	slot := &stems[h%uint32(len(stems))]
	if s := slot.Load(); s != nil && strings.EqualFold(s.word, part) {
		return s.term
	}
	word := strings.ToLower(part)
	s := &stem{strings.Clone(word), Name(words.Porter2(word))} // a copy, so that the text is not kept in memory
	slot.Store(s)
	return s.term
}

// stem is a word in lower case with the term of its stem.
type stem struct {
	word string
	term Term
}

// stems caches the stems of recent words, by hash. Stemming takes a hundred times as long as a look-up, and texts
// repeat their words.
var stems [1 << 14]atomic.Pointer[stem]
