package curate

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
)

// maxTitle bounds a title, in runes: one line in every list.
const maxTitle = 80

// maxStated bounds the title that is made of a statement, which stands in full below it.
const maxStated = 60

// Bounds of other texts on one line, in runes: an instruction in a reason, and a summary of one or
// two lines.
const (
	maxItem    = 300
	maxSummary = 200
)

// titleOf returns a title from the selection: a sentence of its author, or the name of what it defines; of prose its
// first line. It is "" where it says neither.
func titleOf(sel Selection) string {
	if sel.Statement != "" {
		first, _, _ := strings.Cut(sel.Statement, ". ")
		return capital(strings.TrimRight(shortenTo(strings.ReplaceAll(first, "`", ""), maxStated), "."))
	}
	first, comment := firstWords(sel.Text)
	symbol := shorten(sel.Symbol)
	if comment && strings.Contains(first, " ") {
		symbol = ""
	}
	if !comment && syntax.LanguageOf(sel.Path) != "" {
		first = "" // a line of code is no title
	}
	return cmp.Or(symbol, shorten(first))
}

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// firstWords is the first line that holds words, without its comment or heading
// marks, cut at the end of its first sentence; comment tells whether it had any.
func firstWords(text string) (words string, comment bool) {
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		stripped := strings.TrimSpace(strings.TrimLeft(bare, "/*#;-\"'!<>%"))
		stripped = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(stripped, "*/"), "-->"))
		if !strings.ContainsFunc(stripped, unicode.IsLetter) {
			continue
		}
		if stripped == bare {
			return strings.TrimRight(bare, " {:(;,="), false
		}
		if i := strings.Index(stripped, ". "); i > 0 {
			stripped = stripped[:i]
		}
		return strings.TrimRight(stripped, ".:"), true
	}
	return "", false
}

// shorten collapses white space and cuts a title at a word within [maxTitle].
func shorten(s string) string { return shortenTo(s, maxTitle) }

// shortenTo is shorten with another limit, in runes.
func shortenTo(s string, most int) string {
	s = oneLine(s)
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	cut := string([]rune(s)[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// oneLine is a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
