package words

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// maxWhole bounds the identifiers that are kept whole, in bytes: longer ones are
// URLs, hashes and encoded data, whose parts are enough.
const maxWhole = 64

// maxPart bounds one part, in bytes; what is longer is data, not a word.
const maxPart = 48

// maxParts bounds the parts of one run of letters and joining signs: a longer run is data.
// An identifier that is kept whole has fewer.
const maxParts = 256

// Scanner cuts one text at a time into tokens. It remembers the stems of words across
// texts, so that scanning allocates per distinct word, not per word. The zero Scanner
// is ready for use, by one goroutine.
type Scanner struct {
	stems map[string]stem // by the word as written
	buf   []byte
	parts []span
}

// scanners keeps Scanners for reuse. The words that they remember make scanning fast.
var scanners = sync.Pool{New: func() any { return new(Scanner) }}

// Borrow takes a Scanner that has read other texts, if there is one. Whoever borrows
// it calls [Scanner.Return].
func Borrow() *Scanner { return scanners.Get().(*Scanner) }

// Return gives a Scanner back, with all it remembers.
func (s *Scanner) Return() { scanners.Put(s) }

// maxStems bounds a scanner's memory of words; a full one starts anew.
const maxStems = 1 << 16

// Each calls emit for every token of a text, as [Scanner.Scan] does.
func Each(text string, emit func(Token)) {
	s := Borrow()
	defer s.Return()
	s.Scan(text, emit)
}

// Scan calls emit for every token of text, in order of the words' places; an
// identifier's whole follows its parts.
func (s *Scanner) Scan(text string, emit func(Token)) { s.Seek(text, nil, emit) }

// Seek is Scan without the words in which nothing can be wanted; nil wants all.
func (s *Scanner) Seek(text string, wanted *Filter, emit func(Token)) {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if isASCIIWord[c] {
				i = s.run(text, i, wanted, emit)
			} else {
				i++
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case isUnspaced(r):
			i = s.pairs(text, i, emit)
		case IsWordRune(r):
			i = s.run(text, i, wanted, emit)
		default:
			if isSymbol(r) {
				emit(Token{Term: text[i : i+n], Start: i, End: i + n})
			}
			i += n
		}
	}
}

// run emits the tokens of the run that starts at i, and returns its end.
func (s *Scanner) run(text string, i int, wanted *Filter, emit func(Token)) int {
	end := i
	for end < len(text) && (steps[text[end]] == stepInside || end == i && steps[text[i]] == stepCapital) {
		end++
	}
	alone := end == len(text) || steps[text[end]] == stepEnd ||
		steps[text[end]] == stepJoin && !startsWord(text[end+joinLen(text[end:]):])
	if alone && end > i { // nearly all: one part, no sign
		s.part(text, span{i, end}, wanted, emit)
		return end
	}
	end = wordEnd(text, i)
	s.word(text, i, end, wanted, emit)
	return end
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
		case IsWordRune(r):
			i += n
		case r == '’' && startsWord(text[i+n:]):
			i += n
		default:
			return i
		}
	}
	return i
}

// word emits the tokens of text[start:end], one run of letters and joining signs.
func (s *Scanner) word(text string, start, end int, wanted *Filter, emit func(Token)) {
	s.parts = splitIdentifier(s.parts[:0], text, start, end)
	first := 0      // first part of the current name
	joined := false // a sign other than "_" stands between two parts
	for i, p := range s.parts {
		s.part(text, p, wanted, emit)
		between := ""
		if i+1 < len(s.parts) {
			between = text[p.end:s.parts[i+1].start]
		}
		if between == "" && i+1 < len(s.parts) || between == "_" {
			continue
		}
		if i > first {
			s.whole(text, s.parts[first:i+1], Name, emit)
		}
		joined = joined || between != ""
		first = i + 1
	}
	if joined {
		s.whole(text, s.parts, Compound, emit)
	}
}

// part emits one part's term.
func (s *Scanner) part(text string, p span, wanted *Filter, emit func(Token)) {
	word := text[p.start:p.end]
	if len(word) > maxPart || wanted != nil && !wanted.mayHave(word) {
		return
	}
	st, ok := s.stems[word]
	if !ok {
		switch {
		case s.stems == nil:
			s.stems = make(map[string]stem, 1<<10)
		case len(s.stems) >= maxStems:
			clear(s.stems)
		}
		word = strings.Clone(word) // neither key nor term may hold the text
		st = normalise(word)
		s.stems[word] = st
	}
	if st.term != "" {
		emit(Token{Term: st.term, Start: p.start, End: p.end, Stop: st.stop})
	}
}

// whole emits the joined form of several parts.
func (s *Scanner) whole(text string, parts []span, kind Kind, emit func(Token)) {
	start, end := parts[0].start, parts[len(parts)-1].end
	if end-start > maxWhole {
		return
	}
	s.buf = s.buf[:0]
	numeric := true
	for i, p := range parts {
		word := text[p.start:p.end]
		numeric = numeric && IsDigits(word)
		if numeric && i > 0 {
			s.buf = append(s.buf, '.') // 1.23 is not 12.3
		}
		s.buf = append(s.buf, word...)
	}
	if term := Fold(string(s.buf)); term != "" {
		emit(Token{Term: term, Start: start, End: end, Kind: kind})
	}
}

// pairs emits the overlapping pairs of the run of unspaced script at i and
// returns the run's end. A run of one character is its own term.
func (s *Scanner) pairs(text string, i int, emit func(Token)) int {
	prev := -1
	for {
		r, n := utf8.DecodeRuneInString(text[i:])
		if n == 0 || !isUnspaced(r) {
			return i
		}
		next, _ := utf8.DecodeRuneInString(text[i+n:])
		switch {
		case prev >= 0:
			emit(Token{Term: text[prev : i+n], Start: prev, End: i + n})
		case !isUnspaced(next):
			emit(Token{Term: text[i : i+n], Start: i, End: i + n})
		}
		prev = i
		i += n
	}
}

// Words that stand side by side may be one identifier elsewhere: who writes of the
// retry budget may mean retryBudget. A pair has the term of that identifier.

// Join joins two neighbouring tokens of a text. It reports false if they are not set
// apart by one space, or the first is a stop word or none.
func Join(text string, a, b Token) (Token, bool) {
	if a.Term == "" || a.Stop || b.Start != a.End+1 || text[a.End] != ' ' || b.End-a.Start > maxWhole {
		return Token{}, false
	}
	term := Fold(text[a.Start:a.End] + text[b.Start:b.End])
	return Token{Term: term, Start: a.Start, End: b.End, Kind: Pair}, true
}

// JoinLines emits the joined form of every two neighbouring words of a line and of the
// line as a whole, without their places.
func (s *Scanner) JoinLines(text string, emit func(Token)) {
	for line := range strings.Lines(text) {
		var words []string
		s.Scan(line, func(t Token) {
			if t.Kind == Plain {
				words = append(words, line[t.Start:t.End])
			}
		})
		for i := 1; i < len(words); i++ {
			if pair := words[i-1] + words[i]; len(pair) <= maxWhole {
				emit(Token{Term: Fold(pair), Kind: Pair})
			}
		}
		if whole := strings.Join(words, ""); len(words) > 2 && len(whole) <= maxWhole {
			emit(Token{Term: Fold(whole), Kind: Pair})
		}
	}
}
