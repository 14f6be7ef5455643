package alike

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/retrieval/words"
)

// lexeme is a word of the text before it is understood.
type lexeme struct {
	raw, low  string
	code      bool // stands in quotes alone
	ends      bool // followed by a comma or the like
	possesses bool // has a possessive 's
	initial   bool // starts the text
}

const (
	openers = `([{"'` + "`" + "“‘«„"
	closers = `)]}"'` + "`" + "”’»“"
	quoting = `"'` + "`" + "“”‘’«»„"
	pauses  = ",;:.?!…。，？！；："
)

// lex cuts a text at white space, and the signs around words away. It returns the
// quoted texts of several words, too. Hyphenated words are one, or several if apart.
func lex(text string, apart bool) (out []lexeme, quotes []string) {
	var quoted []string
	inQuote := false
	title := !hasLower(text) || isTitled(text)
	chunks := strings.Fields(text)
	for i, chunk := range chunks {
		raw := strings.TrimLeft(chunk, openers)
		opens := strings.ContainsAny(chunk[:len(chunk)-len(raw)], quoting)
		raw, ends, closes := trimEnd(raw)
		if opens && !closes {
			inQuote, quoted = true, nil
		}
		if raw == "" && (strings.ContainsAny(chunk, "()[]{}!") || len(chunk) > 1 && i+1 < len(chunks)) {
			raw = chunk // [] and the like are what is asked about
		}
		if raw == "" {
			if len(out) > 0 && ends {
				out[len(out)-1].ends = true
			}
			continue
		}
		if inQuote {
			quoted = append(quoted, words.Fold(raw))
			if closes {
				quotes = append(quotes, strings.Join(quoted, " "))
				inQuote = false
			}
		}
		l := lexeme{raw: raw, low: strings.ReplaceAll(words.Fold(raw), "’", "'"), ends: ends, code: opens && closes, initial: i == 0 || title}
		if strings.Trim(raw, "-–—•·") == "" { // a dash between words
			if len(out) > 0 {
				out[len(out)-1].ends = true
			}
			continue
		}
		out = l.unfold(out, apart)
	}
	return out, quotes
}

// trimEnd takes closing signs off a word and tells whether one of them ends a
// phrase, or a quote.
func trimEnd(raw string) (word string, ends, closes bool) {
	for raw != "" {
		r, n := utf8.DecodeLastRuneInString(raw)
		rest := raw[:len(raw)-n]
		switch {
		case strings.ContainsRune(pauses, r):
			ends = true
		case r == ')' && strings.HasSuffix(rest, "("): // a call
			rest = rest[:len(rest)-1]
		case r == ')' && strings.Contains(rest, "("), r == ']' && strings.Contains(rest, "["), r == '}' && strings.Contains(rest, "{"):
			return raw, ends, closes
		case strings.ContainsRune(closers, r):
			closes = closes || strings.ContainsRune(quoting, r)
		default:
			return raw, ends, closes
		}
		raw = rest
	}
	return raw, ends, closes
}

// unfold appends a lexeme, short forms written out.
func (l lexeme) unfold(out []lexeme, apart bool) []lexeme {
	each := func(long string) []lexeme {
		fields := strings.Fields(long)
		for i, w := range fields {
			part := lexeme{raw: w, low: w, initial: true, ends: l.ends && i == len(fields)-1}
			out = append(out, part)
		}
		return out
	}
	if l.code {
		return append(out, l)
	}
	if long, ok := contractions[strings.ReplaceAll(l.low, "'", "")]; ok {
		return each(long)
	}
	if base, end, ok := strings.Cut(l.low, "'"); ok && base != "" {
		if strings.HasSuffix(l.low, "n't") {
			return each(strings.TrimSuffix(l.low, "n't") + " not")
		}
		switch end {
		case "s":
			if isQuestionWord(base) || base == "it" || base == "he" || base == "she" || base == "there" || base == "that" {
				return each(base + " is")
			}
			l.raw, l.low, l.possesses = cutApostrophe(l.raw), base, true
		case "m", "re":
			return each(base + " is")
		case "ve":
			return each(base)
		case "d":
			return each(base + " would")
		case "ll":
			return each(base + " will")
		}
	}
	if apart && isHyphenated(l.low) {
		raws, lows := strings.Split(l.raw, "-"), strings.Split(l.low, "-")
		if len(raws) == len(lows) {
			for i := range lows {
				out = append(out, lexeme{raw: raws[i], low: lows[i], initial: true, ends: l.ends && i == len(lows)-1})
			}
			return out
		}
	}
	return append(out, l)
}

func cutApostrophe(s string) string {
	if i := strings.IndexAny(s, "'’"); i >= 0 {
		return s[:i]
	}
	return s
}

// isHyphenated reports whether a word is letters joined by single hyphens.
func isHyphenated(s string) bool {
	parts := strings.Split(s, "-")
	for _, p := range parts {
		if p == "" || strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return false
		}
	}
	return len(parts) > 1
}

func hasLower(s string) bool { return strings.ContainsFunc(s, unicode.IsLower) }

// isTitled reports whether most words have a capital, so that one tells nothing.
func isTitled(text string) bool {
	capital, all := 0, 0
	for i, w := range strings.Fields(text) {
		if r, _ := utf8.DecodeRuneInString(w); i > 0 && len(w) > 3 && unicode.IsLetter(r) {
			all++
			if unicode.IsUpper(r) {
				capital++
			}
		}
	}
	return all > 0 && capital*3 > all*2
}

// stripRequests takes requests and thanks off both ends.
func stripRequests(l []lexeme) []lexeme {
	for again := true; again; {
		again = false
		for len(l) > 1 && (leadWords[l[0].low] || l[0].low == "please") {
			l, again = l[1:], true
		}
		if len(l) > 3 && modals[l[0].low] != "" && askable[l[1].low] && errands[l[2].low] { // could you explain
			l, again = l[2:], true
		}
		for _, r := range requestOpeners {
			if n := startsWith(l, r); n > 0 && n < len(l) {
				l, again = l[n:], true
				break
			}
		}
	}
	for len(l) > 1 && tailWords[l[len(l)-1].low] {
		l = l[:len(l)-1]
	}
	return l
}

// startsWith returns how many lexemes a request takes, 0 if it does not stand there.
func startsWith(l []lexeme, request []string) int {
	n := 0
	for _, w := range request {
		if w == "." {
			if len(l) < 2 || modals[l[0].low] == "" || !askable[l[1].low] {
				return 0
			}
			n = 2
			continue
		}
		if n >= len(l) || l[n].low != w {
			return 0
		}
		n++
	}
	return n
}

// foldedWords are a text's words without the signs around them.
func foldedWords(text string) string {
	var b strings.Builder
	for chunk := range strings.FieldsSeq(text) {
		word, _, _ := trimEnd(strings.TrimLeft(chunk, openers))
		b.WriteString(" " + words.Fold(word))
	}
	return b.String() + " "
}
