package terms

import (
	"strings"
	"sync/atomic"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// The lengths of the words that have a stem: shorter ones have no endings, and longer ones
// are no words.
const (
	shortestWord = 3
	longestWord  = 32
)

// partTerm is the term of a part whose letters hash to h: that of its stem (Porter2), if it
// has only letters of English, so that "pipelines" in a question finds Pipeline. What this
// gains is in docs/ranking.md.
func partTerm(part string, letters bool, h Term) Term {
	if !letters || len(part) < shortestWord || len(part) > longestWord {
		return h
	}
	slot := &stems[h%uint32(len(stems))]
	if s := slot.Load(); s != nil && strings.EqualFold(s.word, part) {
		return s.term
	}
	word := strings.ToLower(part)
	s := &stem{strings.Clone(word), Name(words.Porter2(word))} // a copy: the text is not kept for it
	slot.Store(s)
	return s.term
}

// stem is a word in lower case with the term of its stem.
type stem struct {
	word string
	term Term
}

// stems are words met last, by their hash: stemming takes a hundred times as long as
// looking here, and a text repeats its words.
var stems [1 << 14]atomic.Pointer[stem]
