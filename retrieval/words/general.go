package words

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
			out[Stem(strings.TrimSpace(line))] = true
		}
	}
	return out
})

// IsGeneral reports whether a term is that of a general English word.
func IsGeneral(term string) bool { return general()[term] }
