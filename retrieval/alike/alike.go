// Package alike tells whether two questions ask the same, so that one answer serves both,
// and remembers answers for as long as what they rest on is unchanged.
//
//	was := alike.Read("expiry of refresh tokens", "")
//	is := alike.Read("Expiry of the refresh token?", "")
//	is.Alike(was) // true, but not of "expiry of access tokens" or "refresh token expiry"
//
// An answer to another question is worse than none that is remembered, and the tree itself
// answers in milliseconds; so every doubt is a no. Two questions are alike if they have the
// same words in the same order. What may differ is
//
//	case, width, accents, white space
//	punctuation: what ends a sentence, and a comma, colon or semicolon behind a word
//	plain words in lower case: plural or singular
//	the word "the": there or not ("a" is not "the", and may be a name: "team a")
//
// Stop words count like any other: they hold negation, direction, tense and what kind of
// thing is asked for. Numbers, flags, identifiers and all other signs count as they are
// written. A text with quotation marks, or too long for a question, is alike only
// itself. The first word counts as it is written, since it may name a folder of the tree.
//
// Of a word in lower case nobody knows whether it is a name: "williams" is taken for the
// plural of "william". What is measured is in testdata: of the pairs in nearmiss.txt none
// may be alike; those in otherword.txt, which mean the same, are the price of that.
package alike

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// maxNormal is the longest text that is normalised for a key, in bytes: a pasted file
// is compared as it is.
const maxNormal = 8 << 10

// Key is a hash of a normalised text and of its bounds.
type Key [sha256.Size]byte

// Question is a question in the forms in which it is compared. It is immutable.
type Question struct {
	Text  string // as it was asked
	Exact Key    // the same in texts that differ in case, width, accents, white space and end of sentence only
	like  Key    // the same in questions that are alike
}

// Read reads a question. bounds has everything besides the text that the answer depends on.
func Read(text, bounds string) Question {
	exact, like := text, text
	if len(text) <= maxNormal {
		exact, like = normalise(text)
	}
	return Question{text, keyOf(exact, bounds), keyOf(like, bounds)}
}

// Alike reports whether two questions ask the same in the same bounds.
func (q Question) Alike(o Question) bool { return q.Exact == o.Exact || q.like == o.like }

func keyOf(text, bounds string) (k Key) {
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(bounds))))
	h.Write([]byte(bounds))
	h.Write([]byte(text))
	h.Sum(k[:0])
	return k
}

// quotationMarks are the signs around what is quoted.
const quotationMarks = "\"`“”„«»"

// normalise returns two normal forms of a text: the first is equal for texts that differ only in case, width,
// accents and white space, and the second for like questions.
func normalise(text string) (exact, like string) {
	text = trimEnd(words.NFKC(text))
	inLower := strings.ContainsFunc(text, unicode.IsLower)
	written := strings.Fields(text)
	folded := make([]string, len(written))
	for i, w := range written {
		folded[i] = fold(w, inLower)
	}
	exact = strings.Join(folded, " ")
	if strings.ContainsAny(text, quotationMarks) {
		return exact, exact
	}
	var kept []string
	for i, w := range written {
		bare := trimPause(w)
		switch {
		case i == 0:
			kept = append(kept, folded[i])
		case w == "the" && i+1 < len(written):
		case words.IsLowerASCII(bare):
			kept = append(kept, singular(bare))
		default:
			kept = append(kept, fold(bare, inLower))
		}
	}
	return exact, strings.Join(kept, " ")
}

// fold is a word in lower case and without accents. A flag keeps its case, since -v is
// not -V, and so does a stop word in capitals among words that have none: IT is not it.
func fold(word string, inLower bool) string {
	f := words.Fold(word)
	if strings.HasPrefix(word, "-") || inLower && len(word) > 1 && words.IsStop(f) && strings.ToUpper(word) == word {
		return word
	}
	return f
}

// singular removes the plural ending of a word. It also asks the stemmer, which knows that "news" and "https"
// are not plurals; the stemmer does not know names, so that "williams" becomes "william".
func singular(word string) string {
	if len(word) < 4 || words.IsStop(word) || word == "windows" { // a system, not panes
		return word
	}
	one := string(plurals.Filter(analysis.TokenStream{{Term: []byte(word)}})[0].Term)
	if words.Stem(one) == words.Stem(word) {
		return one
	}
	return word
}

var plurals = en.NewEnglishPluralStemmerFilter()

// trimPause is a word without the comma, colon or semicolon behind it.
func trimPause(word string) string {
	if n := len(word) - 1; n > 0 && strings.Contains(",;:", word[n:]) && !strings.Contains(",;:", word[n-1:n]) {
		return word[:n]
	}
	return word
}

// trimEnd is a text without the punctuation of a sentence's end.
func trimEnd(text string) string {
	text = strings.TrimSpace(text)
	for {
		cut := strings.TrimRight(text, "?.…。？")
		if word := strings.TrimRight(cut, "!！"); word == strings.TrimRightFunc(word, unicode.IsSpace) {
			cut = word
		}
		cut = strings.TrimRightFunc(cut, unicode.IsSpace)
		if cut == text || cut == "" {
			return text
		}
		text = cut
	}
}
