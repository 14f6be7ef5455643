package retrieval

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// scanners keeps the scanners between texts: their memory of words is what
// makes scanning fast.
var scanners = sync.Pool{New: func() any { return newScanner() }}

// splitIdentifier appends the parts of text[start:end]: cut at joining signs, at
// underscores, and where the case changes (retryBudget, HTTPServer, XMFloat2).
// Digits stay with the letters before them: utf8, base64 and k8s are one part.
func splitIdentifier(parts []span, text string, start, end int) []span {
	from := -1 // start of the open part
	var prev rune
	upper := 0 // capitals in a row before the current rune
	for i := start; i < end; {
		r, n := utf8.DecodeRuneInString(text[i:end])
		switch {
		case !isWordRune(r) && r != utf8.RuneError || r == '_':
			if isApostrophe(r) && from >= 0 { // don't, user's: one part
				i += n
				continue
			}
			parts = closePart(parts, &from, i)
			upper = 0
		case from < 0:
			from, upper = i, capital(r, 0)
		case unicode.IsUpper(r) && !unicode.IsUpper(prev):
			parts = closePart(parts, &from, i)
			from, upper = i, 1
		case unicode.IsLower(r) && upper > 1 && !pluralS(text[i:end]):
			at := i - utf8.RuneLen(prev) // HTTPServer: the S opens the next part
			parts = closePart(parts, &from, at)
			from, upper = at, 0
		default:
			upper = capital(r, upper)
		}
		prev = r
		i += n
	}
	return closePart(parts, &from, end)
}

func closePart(parts []span, from *int, end int) []span {
	if *from >= 0 && *from < end {
		parts = append(parts, span{*from, end})
	}
	*from = -1
	return parts
}

func capital(r rune, upper int) int {
	if unicode.IsUpper(r) {
		return upper + 1
	}
	return 0
}

// pluralS reports whether s is the s of a plural acronym: IDs, URLs.
func pluralS(s string) bool {
	return s[0] == 's' && (len(s) == 1 || !isWordRune(rune(s[1])) || s[1] == '_')
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// normalise turns one part into its term: lower case, accents folded, without a
// possessive, stemmed if it is an English-looking word.
func normalise(word string) stem {
	w := fold(word)
	if i := strings.IndexAny(w, "'’"); i >= 0 {
		if tail := strings.TrimLeft(w[i:], "'’"); tail == "s" || tail == "" {
			w = w[:i]
		}
		w = strings.NewReplacer("'", "", "’", "").Replace(w)
	}
	if stopWords[w] {
		return stem{term: w, stop: true}
	}
	if len(w) < 3 || !isLowerASCII(w) {
		return stem{term: w}
	}
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return stem{term: env.Current()}
}

// fold lower-cases s and takes the accents off Latin letters, full-width forms
// included; combining marks vanish, so composed and decomposed text are equal.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= '！' && r <= '～': // full-width ASCII
			r -= '！' - '!'
		case r >= 0x300 && r <= 0x36F: // combining diacritical marks
			return -1
		}
		return unicode.ToLower(r)
	}, strings.ToValidUTF8(s, ""))
	return strings.ToLower(string(folding.Filter([]byte(s))))
}

var folding = asciifolding.New()

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
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
