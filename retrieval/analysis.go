package retrieval

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Analysis turns text into terms, the same way for entries and for queries.
//
//	text        →  runs of letters and digits, joined by . _ - / \ : ' inside a word
//	identifier  →  its parts (retryBudget → retry, budget) and the whole (retrybudget)
//	part        →  lower case, accents folded, English stem
//	CJK         →  overlapping pairs of characters, because nothing marks words there
//
// An identifier's whole is written without its separators, so retryBudget,
// retry_budget, retry-budget and RetryBudget are one term. Backticks, brackets
// and every other sign only end a run: code in a sentence is ordinary text.

// maxWhole bounds the identifiers that are kept whole, in bytes: longer ones are
// URLs, hashes and encoded data, whose parts are enough.
const maxWhole = 64

// maxPart bounds one part, in bytes; what is longer is data, not a word.
const maxPart = 48

// token is one term at its place in the text.
type token struct {
	term       string
	start, end int
	stop       bool // an English stop word
	kind       wordKind
}

// wordKind tells how a term stands to the words of the text.
type wordKind int

const (
	wordPlain    wordKind = iota // a word, or one part of an identifier
	wordName                     // an identifier as a whole: retryBudget, RETRY_BUDGET
	wordCompound                 // words held together by - . / : as a whole: read-only, net/http
	wordPair                     // two words side by side, joined as an identifier would join them
)

// scanner cuts one text into tokens. It holds what lives across words so that
// scanning allocates per distinct word, not per word.
type scanner struct {
	stems map[string]stem // by the word as written
	buf   []byte
	parts []span
}

// span is a half-open byte range of the text being scanned.
type span struct{ start, end int }

func (s span) holds(t span) bool { return s.start <= t.start && t.end <= s.end }

// stem is the result of normalising one word.
type stem struct {
	term string
	stop bool
}

// maxStems bounds a scanner's memory of words; a full one starts anew.
const maxStems = 1 << 16

func newScanner() *scanner { return &scanner{stems: make(map[string]stem, 1<<10)} }

// scan calls emit for every token of text, in order of the words' places; an
// identifier's whole follows its parts.
func (s *scanner) scan(text string, emit func(token)) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && !isASCIIWord[c] {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isUnspaced(r):
			i = s.pairs(text, i, emit)
		case isWordRune(r):
			end := wordEnd(text, i)
			s.word(text, i, end, emit)
			i = end
		default:
			i += n
		}
	}
}

// wordEnd returns the end of the word that starts at i: letters, digits and
// marks, with single joining signs between them.
func wordEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		if c < utf8.RuneSelf {
			if isASCIIWord[c] {
				i++
				continue
			}
			n := joinLen(text[i:])
			if n == 0 || !startsWord(text[i+n:]) {
				return i
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isUnspaced(r):
			return i
		case isWordRune(r):
			i += n
		case r == '’' && startsWord(text[i+n:]):
			i += n
		default:
			return i
		}
	}
	return i
}

// joinLen is the length of the joining sign that s starts with, 0 if none.
func joinLen(s string) int {
	switch s[0] {
	case '.', '-', '/', '\\', '\'':
		return 1
	case ':':
		if len(s) > 1 && s[1] == ':' {
			return 2
		}
		return 1
	}
	return 0
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r != '_' && isWordRune(r) && !isUnspaced(r)
}

// word emits the tokens of text[start:end], one run of letters and joining signs.
func (s *scanner) word(text string, start, end int, emit func(token)) {
	s.parts = splitIdentifier(s.parts[:0], text, start, end)
	first := 0  // first part of the current name
	joins := "" // what stands between its parts
	for i, p := range s.parts {
		s.part(text, p, emit)
		between := ""
		if i+1 < len(s.parts) {
			between = text[p.end:s.parts[i+1].start]
		}
		if between == "" && i+1 < len(s.parts) || between == "_" {
			continue
		}
		if i > first {
			s.whole(text, s.parts[first:i+1], wordName, emit)
		}
		joins += between
		first = i + 1
	}
	if joins != "" {
		s.whole(text, s.parts, wordCompound, emit)
	}
}

// part emits one part's term.
func (s *scanner) part(text string, p span, emit func(token)) {
	if p.end-p.start > maxPart {
		return
	}
	word := text[p.start:p.end]
	st, ok := s.stems[word]
	if !ok {
		if len(s.stems) >= maxStems {
			clear(s.stems)
		}
		word = strings.Clone(word) // neither key nor term may hold the text
		st = normalise(word)
		s.stems[word] = st
	}
	if st.term != "" {
		emit(token{term: st.term, start: p.start, end: p.end, stop: st.stop})
	}
}

// whole emits the joined form of several parts.
func (s *scanner) whole(text string, parts []span, kind wordKind, emit func(token)) {
	start, end := parts[0].start, parts[len(parts)-1].end
	if end-start > maxWhole {
		return
	}
	s.buf = s.buf[:0]
	numeric := true
	for i, p := range parts {
		word := text[p.start:p.end]
		numeric = numeric && isDigits(word)
		if numeric && i > 0 {
			s.buf = append(s.buf, '.') // 1.23 is not 12.3
		}
		s.buf = append(s.buf, word...)
	}
	if term := fold(string(s.buf)); term != "" {
		emit(token{term: term, start: start, end: end, kind: kind})
	}
}

// pairs emits the overlapping pairs of the run of unspaced script at i and
// returns the run's end. A run of one character is its own term.
func (s *scanner) pairs(text string, i int, emit func(token)) int {
	prev := -1
	for {
		r, n := utf8.DecodeRuneInString(text[i:])
		if n == 0 || !isUnspaced(r) {
			return i
		}
		next, _ := utf8.DecodeRuneInString(text[i+n:])
		switch {
		case prev >= 0:
			emit(token{term: text[prev : i+n], start: prev, end: i + n})
		case !isUnspaced(next):
			emit(token{term: text[i : i+n], start: i, end: i + n})
		}
		prev = i
		i += n
	}
}

// isASCIIWord tells the ASCII bytes that words are made of.
var isASCIIWord = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 0 && isASCIIWord[r]
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// unspaced lists the scripts written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// firstUnspaced is the lowest code point of those scripts (Thai).
const firstUnspaced = 0x0E00

func isUnspaced(r rune) bool {
	if r < firstUnspaced {
		return false
	}
	return r == 'ー' || (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r, unspaced...)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return len(s) > 0
}

// joinLines emits the joined form of every two neighbouring words of a line and
// of the line as a whole.
func (s *scanner) joinLines(text string, emit func(token)) {
	for line := range strings.Lines(text) {
		var words []string
		s.scan(line, func(t token) {
			if t.kind == wordPlain {
				words = append(words, line[t.start:t.end])
			}
		})
		for i := 1; i < len(words); i++ {
			if pair := words[i-1] + words[i]; len(pair) <= maxWhole {
				emit(token{term: fold(pair), kind: wordPair})
			}
		}
		if whole := strings.Join(words, ""); len(words) > 2 && len(whole) <= maxWhole {
			emit(token{term: fold(whole), kind: wordPair})
		}
	}
}
