package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// span is a half-open byte range of the text being scanned.
type span struct{ start, end int }

// splitIdentifier appends the parts of text[start:end]: cut at joining signs, at
// underscores, and where the case changes (retryBudget, HTTPServer, XMFloat2).
// Digits stay with the letters before them: utf8, base64 and k8s are one part.
// What follows the first maxParts parts is left out.
func splitIdentifier(parts []span, text string, start, end int) []span {
	from := -1 // start of the open part
	var prev rune
	upper := 0 // capitals in a row before the current rune
	for i := start; i < end && len(parts) < maxParts; {
		r, n := utf8.DecodeRuneInString(text[i:end])
		switch {
		case !IsWordRune(r) && r != utf8.RuneError || r == '_':
			if isApostrophe(r) && from >= 0 && isContraction(text[from:i], text[i+n:end]) {
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
	if len(parts) == maxParts {
		return parts
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
	return s[0] == 's' && (len(s) == 1 || !IsWordRune(rune(s[1])) || s[1] == '_')
}

// isContraction reports whether an English word goes on behind an apostrophe: don't, I'll, user's. Elsewhere it stands
// between words, as in l'utilisateur.
func isContraction(before, behind string) bool {
	if n := strings.IndexFunc(behind, func(r rune) bool { return !IsWordRune(r) }); n >= 0 {
		behind = behind[:n]
	}
	if len(before) > maxPart || len(behind) > 2 {
		return false
	}
	before, behind = Fold(before), Fold(behind)
	return behind == "s" || stopWords[before] || stopWords[before+behind]
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }
