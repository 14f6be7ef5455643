package words

import "strings"

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
