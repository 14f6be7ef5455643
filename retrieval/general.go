package retrieval

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed general.txt
var generalList string

// general are the stems of general English words: "happens", "twice", "different".
// No stop list — where an entry holds one, it counts like any other word. But in a
// small tree most of them stand nowhere, and that tells nothing about its subjects.
var general = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(generalList) {
		if !strings.HasPrefix(line, "#") {
			out[normalise(strings.TrimSpace(line)).term] = true
		}
	}
	return out
})

// isGeneral reports whether a word of a query is a general English word.
func (w *word) isGeneral() bool { return w.kind == wordPlain && general()[w.term] }
