package words

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed synonyms.txt
var synonymList string

// Forms are the terms of a word's other forms, given its own: wrote, written and writes
// for write.
func Forms(term string) []string { return thesaurus()[term].forms }

// Synonyms are the terms of other words for a word: dir and folder for directory.
func Synonyms(term string) []string { return thesaurus()[term].synonyms }

// otherWords are the terms that a term is also looked for as.
type otherWords struct{ forms, synonyms []string }

// thesaurus is the word list by term. A word of two kinds is taken as a form.
var thesaurus = sync.OnceValue(func() map[string]otherWords {
	out := map[string]otherWords{}
	forms := true
	for line := range strings.Lines(synonymList) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '[':
			forms = line == "[forms]"
			continue
		}
		group := groupOf(line)
		for _, a := range group {
			w := out[a]
			for _, b := range group {
				switch {
				case a == b || slices.Contains(w.forms, b) || slices.Contains(w.synonyms, b):
				case forms:
					w.forms = append(w.forms, b)
				default:
					w.synonyms = append(w.synonyms, b)
				}
			}
			out[a] = w
		}
	}
	return out
})

// groupOf are the terms of a line, without stop words.
func groupOf(line string) []string {
	var out []string
	for _, word := range strings.Fields(line) {
		if st := normalise(word); !st.stop && !slices.Contains(out, st.term) {
			out = append(out, st.term)
		}
	}
	return out
}
