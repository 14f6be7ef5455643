package words

import (
	_ "embed"
	"sort"
	"strings"
	"sync"
)

// The list american-english-small of SCOWL, as Debian's package wamerican-small has it:
// grep -E '^[a-z]{4,}$' american-english-small | LC_ALL=C sort -u
//
//go:embed lexicon.txt
var lexiconList string

// lexicon has the correctly written words of English, in order.
var lexicon = sync.OnceValue(func() []string { return strings.Fields(lexiconList) })

// Lexicon lists the English words in lower case that begin with a prefix, in order. Shorter words than four letters and
// names are left out.
func Lexicon(prefix string) []string {
	all := lexicon()
	all = all[sort.SearchStrings(all, prefix):]
	return all[:sort.Search(len(all), func(i int) bool { return !strings.HasPrefix(all[i], prefix) })]
}
