package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSubject bounds a subject (bytes); git's own advice is 50 to 72 characters.
const maxSubject = 120

// appendSubject appends the first line of a message: printable, valid UTF-8, cut at
// a rune.
func appendSubject(to []byte, message string) []byte {
	line, _, _ := strings.Cut(strings.TrimLeft(message, "\n "), "\n")
	start := len(to)
	for _, r := range line {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = ' '
		}
		if len(to)-start+utf8.RuneLen(r) > maxSubject {
			break
		}
		to = utf8.AppendRune(to, r)
	}
	for len(to) > start && to[len(to)-1] == ' ' {
		to = to[:len(to)-1]
	}
	return to
}

// clean removes the parts of a message that do not describe the change: lines of trailers behind the first
// line, the hosts of links, issue numbers and commit hashes.
func clean(message string) string {
	var out strings.Builder
	out.Grow(len(message))
	first := true
	for line := range strings.Lines(message) {
		line = strings.TrimRight(line, "\r\n")
		if !first && isTrailer(line) {
			continue
		}
		first = first && strings.TrimSpace(line) == ""
		for word := range strings.FieldsSeq(line) {
			out.WriteString(cleanWord(word))
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// isTrailer recognises "Signed-off-by: …", "PR-URL: …", "git-svn-id: …": a key of
// several words joined by hyphens, or one of a few, and a colon.
func isTrailer(line string) bool {
	key, _, ok := strings.Cut(line, ": ")
	if !ok || key == "" || strings.ContainsAny(key, " \t") {
		return false
	}
	switch strings.ToLower(key) {
	case "cc", "git-svn-id", "refs", "ref":
		return true
	}
	if !strings.Contains(key, "-") || key[0] < 'A' || key[0] > 'Z' {
		return false
	}
	for _, r := range key {
		if r != '-' && !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// cleanWord returns the significant part of a word: nothing of "#123", "(#123)", "GH-123" and a hash, the
// path of a link.
func cleanWord(word string) string {
	if at := strings.Index(word, "://"); at >= 0 {
		_, path, _ := strings.Cut(word[at+len("://"):], "/")
		word = word[:schemeStart(word[:at])] + " " + path
	}
	bare := strings.Trim(word, "()[]{}.,;:")
	switch {
	case isNumber(strings.TrimPrefix(bare, "#")) && strings.HasPrefix(bare, "#"):
		return ""
	case len(bare) > 3 && strings.EqualFold(bare[:3], "gh-") && isNumber(bare[3:]):
		return ""
	case (len(bare) == 40 || len(bare) == 64) && strings.Trim(bare, "0123456789abcdef") == "":
		return ""
	}
	return word
}

// schemeStart returns where the scheme at the end of s begins: 1 in "(https".
func schemeStart(s string) int {
	return len(strings.TrimRightFunc(s, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }))
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
