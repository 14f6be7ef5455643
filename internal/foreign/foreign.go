// Package foreign leads the words of a question in German, French, Spanish, Portuguese, Chinese or Japanese to English ones.
//
// It knows one table for each language: a word's stem (characters in Chinese and Japanese) with the English words that stand
// for it in message catalogues of programs, and how well each does (bench/languages makes them; docs/ranking.md). A word
// without any tells nothing by itself: it helps to know the language. Nothing is known of grammar or of order: each word stands
// for itself. No list of this package was written by hand.
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

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"

	"github.com/brv-lsp/brv-lsp/internal/words"
)

// Word is a word of a text, or a run of characters where nothing marks words.
type Word struct {
	Start, End int      // bytes of the text
	English    []string // that stand for it, the best first
}

// Languages are the languages that have a table, with the stemmers of those whose words have spaces between them.
var Languages = map[string]func(*snowballstem.Env) bool{
	"de": german.Stem, "fr": french.Stem, "es": spanish.Stem, "pt-br": portuguese.Stem, "zh": nil, "ja": nil,
}

//go:embed tables/*.gz
var files embed.FS

// Table maps the keys of a language's words to English words, the best first, separated by spaces.
type Table map[string]string

var tables = func() map[string]func() Table {
	out := map[string]func() Table{}
	for language := range Languages {
		out[language] = sync.OnceValue(func() Table {
			packed, _ := files.ReadFile("tables/" + language + ".gz")
			return Decode(packed)
		})
	}
	return out
}()

// Exactly stands before keys that are words as they are written, in lower case.
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
	text, _ := io.ReadAll(io.LimitReader(in, maxTable)) // a damaged one ends early
	for line := range strings.Lines(string(text)) {
		key, english, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		out[key] = english
	}
	return out
}

// Key is the form in which a table has a word: its stem, in lower case and without accents.
func Key(language, word string) string {
	word = strings.ToLower(word)
	if stem := Languages[language]; stem != nil {
		env := snowballstem.NewEnv(word)
		stem(env)
		word = env.Current()
	}
	return words.Fold(word)
}

// Unspaced reports whether a character is of a script that puts no spaces between words.
func Unspaced(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// Split calls emit with the words of a text as they are written: runs of letters, and runs of characters of scripts
// without spaces.
func Split(text string, emit func(start, end int)) {
	start, last := -1, 0 // kinds: 1 letters, 2 unspaced
	for i, r := range text + "\n" {
		kind := 0
		switch {
		case Unspaced(r):
			kind = 2
		case unicode.IsLetter(r), unicode.Is(unicode.Mn, r):
			kind = 1
		}
		if kind != last {
			if last != 0 {
				emit(start, i)
			}
			start, last = i, kind
		}
	}
}

// longest is the most characters that a key of a language without spaces has.
const longest = 8

// Cut calls emit with the keys of a run of characters, the longest first that the table has; what it has not is passed over.
func (t Table) Cut(run string, emit func(start, end int)) {
	for at := 0; at < len(run); {
		end, n := at, 0
		for i, r := range run[at:] {
			if n++; n > longest {
				break
			}
			if _, ok := t[run[at:at+i+utf8.RuneLen(r)]]; ok {
				end = at + i + utf8.RuneLen(r)
			}
		}
		if end > at {
			emit(at, end)
			at = end
			continue
		}
		_, size := utf8.DecodeRuneInString(run[at:])
		at += size
	}
}

// A part of a compound has shortestPart letters, a compound at most longestWhole bytes. Own choices.
const (
	shortestPart = 4
	longestWhole = 64
)

// look returns what a table has for a word, or for the two parts of a compound whose shorter one is the longest.
func (t Table) look(language, word string, emit func(start, end int, english string, known bool)) {
	english, ok := t[Exactly+strings.ToLower(word)]
	if !ok {
		english, ok = t[Key(language, word)]
	}
	cut := 0
	for i := shortestPart; !ok && language == "de" && len(word) <= longestWhole && i <= len(word)-shortestPart; i++ {
		if utf8.RuneStart(word[i]) && min(i, len(word)-i) > min(cut, len(word)-cut) && t[Key(language, word[:i])] != "" &&
			t[Key(language, word[i:])] != "" {
			cut = i
		}
	}
	if cut > 0 {
		emit(0, cut, t[Key(language, word[:cut])], true)
		emit(cut, len(word), t[Key(language, word[cut:])], true)
		return
	}
	emit(0, len(word), english, ok)
}

// Words calls emit with the words of a text, as a table of the language cuts it, and with what that has for them.
func (t Table) Words(language, text string, emit func(w Word, known bool)) {
	Split(text, func(start, end int) {
		if !isUnspaced(text[start:end]) {
			t.look(language, text[start:end], func(from, to int, english string, known bool) {
				emit(Word{start + from, start + to, strings.Fields(english)}, known)
			})
			return
		}
		at := start
		t.Cut(text[start:end], func(from, to int) {
			if from += start; from > at {
				emit(Word{at, from, nil}, false)
			}
			at = to + start
			emit(Word{from, at, strings.Fields(t[text[from:at]])}, true)
		})
		if at < end {
			emit(Word{at, end, nil}, false)
		}
	})
}

func isUnspaced(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return Unspaced(r)
}

// Read returns what the words of a text mean that known does not report as known, where the text is in one of the languages:
// two or more of its words are only in that table, and more than are English, or known and in that table. One character of a
// script does. Words that mean nothing by themselves are among what is returned; names are not. Nil where the text is in none
// of the languages. No table is opened for a text of which more than two thirds are English or known.
func Read(text string, known func(word string) bool) []Word {
	strange, plain, unspaced, kana := 0, 0, false, false
	Split(text, func(start, end int) {
		switch word := text[start:end]; {
		case isUnspaced(word):
			unspaced = true
			kana = kana || strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
		case isName(text, start, end):
		case isEnglish(word) || known(word):
			plain++
		default:
			strange++
		}
	})
	languages := []string{"de", "es", "fr", "pt-br"}
	switch {
	case kana:
		languages = []string{"ja"}
	case unspaced:
		languages = []string{"zh"}
	case strange < 2, 2*strange < plain:
		return nil
	}
	var best []Word
	most := 0
	for _, language := range languages {
		var found []Word
		own, others := 0, 0
		tables[language]().Words(language, text, func(w Word, ok bool) {
			word := text[w.Start:w.End]
			if unspaced != isUnspaced(word) || !unspaced && isName(text, w.Start, w.End) {
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
				found = append(found, w)
			}
		})
		says := slices.ContainsFunc(found, func(w Word) bool { return len(w.English) > 0 })
		if says && own-others > most && (own > 1 || unspaced) {
			best, most = found, own-others
		}
	}
	return best
}

// isName reports whether a word is, or is a part of, what has the form of an identifier, a path or an abbreviation.
func isName(text string, start, end int) bool {
	from, to := strings.LastIndexAny(text[:start], " \n")+1, len(text)
	if i := strings.IndexAny(text[end:], " \n"); i >= 0 {
		to = end + i
	}
	_, first := utf8.DecodeRuneInString(text[start:])
	around := strings.Trim(text[from:start], quotes) + "x" + strings.Trim(text[end:to], quotes)
	return strings.ContainsAny(around, "_./\\:@#0123456789") || strings.ContainsFunc(text[start+first:end], unicode.IsUpper)
}

// quotes are what may stand around a word that is no part of a name.
const quotes = "\"'`()[]{}.,:;!?¿¡«»“”„"

func isEnglish(word string) bool {
	folded := words.Fold(word)
	return words.IsStop(folded) || words.Frequency(words.Stem(folded)) > words.Rarest
}
