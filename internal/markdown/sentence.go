package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations holds words whose full stop does not end a sentence.
var abbreviations = map[string]bool{"e.g": true, "i.e": true, "etc": true, "vs": true, "cf": true, "approx": true, "no": true,
	"fig": true, "resp": true, "incl": true}

// Sentences splits a paragraph after full stops, question marks and exclamation marks, if a new sentence may begin
// there. It does not split inline code.
func Sentences(s string) []string {
	var out []string
	code, start := CodeSpans(s), 0
	for i, mark := range s {
		if mark != '.' && mark != '!' && mark != '?' && mark != '。' && mark != '！' && mark != '？' {
			continue
		}
		end := i + utf8.RuneLen(mark)
		if !code.Holds(i) && endsSentence(s[start:i], mark, s[end:]) {
			out = append(out, strings.TrimSpace(s[start:end]))
			start = end
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

func endsSentence(before string, mark rune, behind string) bool {
	if mark > unicode.MaxASCII {
		return behind != ""
	}
	if behind == "" || behind[0] != ' ' && behind[0] != '\n' {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind[1:], "\"'(*_"))
	word := strings.ToLower(strings.TrimLeft(before[strings.LastIndexAny(before, " \n")+1:], "(\"'"))
	return !unicode.IsLower(next) && !(mark == '.' && (abbreviations[word] || utf8.RuneCountInString(word) == 1))
}
