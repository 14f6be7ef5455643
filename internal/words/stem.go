package words

import (
	_ "embed"
	"iter"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"
)

// Stem is the term of one word that is no identifier.
func Stem(word string) string { return normalise(word).term }

// IsStop reports whether a word that is folded already is a stop word.
func IsStop(folded string) bool { return stopWords[folded] }

// stem is the result of normalising one word.
type stem struct {
	term string
	stop bool
}

// normalise turns one part into its term: lower case, accents folded, without a
// possessive, stemmed if it is an English-looking word.
func normalise(word string) stem {
	w := Fold(word)
	if i := strings.IndexByte(w, '\''); i >= 0 {
		if tail := strings.TrimLeft(w[i:], "'"); tail == "s" || tail == "" {
			w = w[:i]
		}
		w = strings.ReplaceAll(w, "'", "")
	}
	if stopWords[w] {
		return stem{term: w, stop: true}
	}
	if len(w) < 3 || !IsLowerASCII(w) {
		return stem{term: w}
	}
	return stem{term: Porter2(w)}
}

// Porter2 is the English stem of a word in lower case, which may be a part of it.
func Porter2(word string) string {
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}

// stemmers has the stemmers of other languages, by their tags.
var stemmers = map[string]func(*snowballstem.Env) bool{"de": german.Stem, "es": spanish.Stem, "fr": french.Stem, "pt-br": portuguese.Stem}

// StemIn is the stem of a word in lower case in another language; the word itself where that has no stemmer here.
func StemIn(language, word string) string {
	stem := stemmers[language]
	if stem == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

//go:embed stop.txt
var stopList string

var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for w := range listed(stopList) {
		out[w] = true
	}
	return out
}()

// listed are the words of a list, line by line, without its comments.
func listed(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(list) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			for w := range strings.FieldsSeq(line) {
				if !yield(w) {
					return
				}
			}
		}
	}
}
