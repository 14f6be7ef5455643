package words

import (
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Stem is the term of one word that is no identifier.
func Stem(word string) string { return normalise(word).term }

// IsStop reports whether a word that is folded already is a stop word.
func IsStop(folded string) bool { return stopWords[folded] }

// Singular is a word in lower case without the ending of its plural. The stemmer is asked
// too, which knows that "news" and "https" are none; names it does not know, so that
// "williams" becomes "william".
func Singular(word string) string {
	if len(word) < 4 || !IsLowerASCII(word) || IsStop(word) || word == "windows" { // a system, not panes
		return word
	}
	if one := string(plurals.Filter(analysis.TokenStream{{Term: []byte(word)}})[0].Term); Stem(one) == Stem(word) {
		return one
	}
	return word
}

var plurals = en.NewEnglishPluralStemmerFilter()

// normalise turns one part into its term: lower case, accents folded, without a
// possessive, stemmed if it is an English-looking word.
func normalise(word string) stem {
	w := Fold(word)
	if i := strings.IndexAny(w, "'’"); i >= 0 {
		if tail := strings.TrimLeft(w[i:], "'’"); tail == "s" || tail == "" {
			w = w[:i]
		}
		w = strings.NewReplacer("'", "", "’", "").Replace(w)
	}
	if stopWords[w] {
		return stem{term: w, stop: true}
	}
	if len(w) < 3 || !IsLowerASCII(w) {
		return stem{term: w}
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return stem{term: env.Current()}
}

// stopWords are bleve's English stop words (the Snowball list) without their
// apostrophes, as normalise looks them up, and some words of questions that carry
// no subject either.
var stopWords = func() map[string]bool {
	list := analysis.NewTokenMap()
	if err := list.LoadBytes(en.EnglishStopWords); err != nil {
		panic(err) // the list is part of the program
	}
	out := make(map[string]bool, len(list))
	for w := range list {
		out[strings.ReplaceAll(w, "'", "")] = true
	}
	for _, w := range []string{"can", "will", "just", "also", "may", "us", "one"} {
		out[w] = true
	}
	for _, w := range []string{"ill", "shell", "hell", "wed", "well", "id"} {
		delete(out, w) // words of their own, not i'll, she'll, …
	}
	return out
}()
