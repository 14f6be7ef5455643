// Package foreign translates the words of a question in German, French, Spanish, Portuguese, Chinese or
// Japanese to English.
//
// It has one table for each language: a word's stem (characters in Chinese and Japanese) with its English
// translations in message catalogues of programs, best first (bench/languages makes them; docs/ranking.md). A
// word without a translation only helps to identify the language. Grammar and order are ignored: each word is
// translated alone. No list of this package was written by hand.
package foreign

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Word is a word of a text, or a run of characters where nothing marks words.
type Word struct {
	Start, End int      // bytes of the text
	English    []string // translations, the best first
}

// Spaced are the languages whose words have spaces between them; Languages are all that have a table.
var (
	Spaced    = []string{"de", "es", "fr", "pt-br"}
	Languages = append([]string{"ja", "zh"}, Spaced...)
)

//go:embed tables/*.gz
var files embed.FS

// Table maps the keys of a language's words to English words, the best first, separated by spaces.
type Table map[string]string

var tables = func() map[string]func() Table {
	out := map[string]func() Table{}
	for _, language := range Languages {
		out[language] = sync.OnceValue(func() Table {
			packed, _ := files.ReadFile("tables/" + language + ".gz")
			return Decode(packed)
		})
	}
	return out
}()

// Exactly is the prefix of keys that are whole words in lower case.
const Exactly = "="

// maxTable bounds a table, in bytes: many times the size of the largest.
const maxTable = 16 << 20

// Decode reads a table: compressed lines of a key and its English words. What cannot be read is left out.
func Decode(packed []byte) Table {
	out := Table{}
	in, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return out
	}
	text, _ := io.ReadAll(io.LimitReader(in, maxTable)) // a damaged table ends early
	for line := range strings.Lines(string(text)) {
		key, english, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		out[key] = english
	}
	return out
}

// Key is the form in which a table has a word: its stem, in lower case and without accents.
func Key(language, word string) string {
	return words.Fold(words.StemIn(language, strings.ToLower(word)))
}

// Unspaced reports whether a character is of a script that puts no spaces between words.
func Unspaced(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// Split calls emit with the words of a text as they are written: runs of letters, and runs of characters of scripts
// without spaces.
func Split(text string, emit func(start, end int, unspaced bool)) {
	const letters, characters = 1, 2
	start, last := 0, 0
	for i, r := range text + "\n" {
		kind := 0
		switch {
		case Unspaced(r):
			kind = characters
		case unicode.IsLetter(r), unicode.Is(unicode.Mn, r):
			kind = letters
		}
		if kind != last && last != 0 {
			emit(start, i, last == characters)
		}
		if kind != last {
			start, last = i, kind
		}
	}
}

// longestKey is the most bytes that a key of a language without spaces has: eight characters.
const longestKey = 24

// Cut calls emit with the longest keys in a run of characters, from its start; characters without a key are
// skipped.
func (t Table) Cut(run string, emit func(start, end int)) {
	for at := 0; at < len(run); {
		n := min(longestKey, len(run)-at)
		for ; n > 0; n-- {
			if _, ok := t[run[at:at+n]]; ok {
				emit(at, at+n)
				break
			}
		}
		at += max(n, 1)
	}
}

// A part of a compound has shortestPart bytes, a compound at most longestWhole. Own choices.
const (
	shortestPart = 4
	longestWhole = 64
)

// compound returns where a German word can be cut into two words of the table, so that the shorter one is as
// long as possible; 0 if nowhere.
func (t Table) compound(word string) (cut int) {
	for i := shortestPart; len(word) <= longestWhole && i <= len(word)-shortestPart; i++ {
		longer := min(i, len(word)-i) > min(cut, len(word)-cut)
		if longer && utf8.RuneStart(word[i]) && t[Key("de", word[:i])] != "" && t[Key("de", word[i:])] != "" {
			cut = i
		}
	}
	return cut
}

// Words calls emit with the words of a text, as a table of the language cuts it, and whether it has them.
func (t Table) Words(language, text string, emit func(w Word, known bool)) {
	Split(text, func(start, end int, unspaced bool) {
		say := func(from, to int, english string, known bool) {
			if from < to {
				emit(Word{from, to, strings.Fields(english)}, known)
			}
		}
		word, at := text[start:end], start
		if unspaced {
			t.Cut(word, func(from, to int) {
				say(at, start+from, "", false)
				at = start + to
				say(start+from, at, t[word[from:to]], true)
			})
			say(at, end, "", false)
			return
		}
		english, ok := t[Exactly+strings.ToLower(word)]
		if !ok {
			english, ok = t[Key(language, word)]
		}
		if !ok && language == "de" {
			if cut := t.compound(word); cut > 0 {
				say(start, start+cut, t[Key(language, word[:cut])], true)
				at, english, ok = start+cut, t[Key(language, word[cut:])], true
			}
		}
		say(at, end, english, ok)
	})
}

// Read returns the translations of those words of a text that known does not report as known, if the text is
// in one of the languages. For a language with spaces, two or more words must be only in its table, and they
// must outnumber the words that are English, or known and in the table. The result includes words without a
// meaning of their own but no names. It is nil if the text is in none of the languages.
func Read(text string, known func(word string) bool) (best []Word) {
	strange, most, least := 0, 0, 2 // words, of which one may be a name
	Split(text, func(start, end int, unspaced bool) {
		if word := text[start:end]; unspaced || !isName(text, start, end) && !isEnglish(word) && !known(word) {
			strange++
		}
	})
	languages, unspaced := Spaced, strings.ContainsFunc(text, Unspaced)
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }):
		languages, least = []string{"ja"}, 1
	case unspaced:
		languages, least = []string{"zh"}, 1
	case strange < least:
		return nil
	}
	for _, language := range languages {
		var found []Word
		own, others, says := 0, 0, false
		tables[language]().Words(language, text, func(w Word, ok bool) {
			word := text[w.Start:w.End]
			if r, _ := utf8.DecodeRuneInString(word); unspaced != Unspaced(r) || !unspaced && isName(text, w.Start, w.End) {
				return
			}
			english, known := isEnglish(word), known(word)
			switch {
			case english && !ok, known && !english && len(w.English) > 0:
				others++
			case ok && !english && !slices.Contains(w.English, strings.ToLower(word)):
				own++
			}
			if (ok || unspaced) && (!known || len(w.English) == 0 && ok) {
				found, says = append(found, w), says || len(w.English) > 0
			}
		})
		if says && own >= least && own-others > most {
			best, most = found, own-others
		}
	}
	return best
}

// isName reports whether a word is a part of an identifier, a path or an abbreviation, by its capitals and
// its neighbours.
func isName(text string, start, end int) bool {
	const joints = "_./\\@#0123456789"
	_, first := utf8.DecodeRuneInString(text[start:])
	return strings.ContainsFunc(text[start+first:end], unicode.IsUpper) || start > 0 && strings.IndexByte(joints, text[start-1]) >= 0 ||
		end+1 < len(text) && strings.IndexByte(joints, text[end]) >= 0 && text[end+1] > ' '
}

func isEnglish(word string) bool {
	folded := words.Fold(word)
	return words.IsStop(folded) || words.Frequency(words.Stem(folded)) > words.Rarest
}
