package curate

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/brv-lsp/brv-lsp/codebase/syntax"
	"github.com/brv-lsp/brv-lsp/internal/lazyregexp"
	"github.com/brv-lsp/brv-lsp/internal/markdown"
	"github.com/brv-lsp/brv-lsp/tree/format"
	"github.com/brv-lsp/brv-lsp/tree/plan"
)

// render writes the entry.
func render(sel Selection, title string, related []string, now time.Time) string {
	h := format.Header{Title: title, Summary: shortenTo(sel.Statement, maxSummary), CreatedAt: now}
	if sel.Path != "" {
		h.Reason = reasonOf(sel)
	}
	return format.Render(h, contentOf(sel, title, related))
}

func reasonOf(sel Selection) string {
	return fmt.Sprintf("Kept from %s, %s.", code(sel.Path), lineRange(sel, "line ", "lines ", "–"))
}

// contentOf returns the content of a selection's entry.
func contentOf(sel Selection, title string, related []string) format.Content {
	c := format.Content{Lists: format.Lists{Keywords: keywords(sel)}, Relations: related, RawConcept: format.RawConcept{Task: plainLine(title)}}
	if sel.Entry == "" && sel.Path != "" {
		c.RawConcept.Files = []string{fileItem(sel)}
	}
	if sel.Statement != "" {
		c.RawConcept.Task = ""
		rule := "- " + prose(sel.Statement)
		if !strings.ContainsAny(rule[len(rule)-1:], ".!?") {
			rule += "."
		}
		if sel.Symbol != "" && !strings.Contains(sel.Statement, code(sel.Symbol)) {
			rule += " It is about " + code(sel.Symbol) + "."
		}
		c.Narrative = format.Narrative{Rules: rule}
		return c
	}
	c.Snippets = []string{markdown.Fenced(sel.Language, strings.Trim(sel.Text, "\n"))}
	return c
}

// keywords are the names that the entry should be found by.
func keywords(sel Selection) []string {
	if s := strings.TrimSpace(sel.Symbol); s != "" {
		return []string{s}
	}
	return nil
}

func lineRange(sel Selection, one, many, dash string) string {
	if sel.EndLine <= sel.StartLine {
		return fmt.Sprintf("%s%d", one, sel.StartLine)
	}
	return fmt.Sprintf("%s%d%s%d", many, sel.StartLine, dash, sel.EndLine)
}

// fileItem is the file with its lines; in backticks where the path alone could
// be read as a description.
func fileItem(sel Selection) string {
	item := sel.Path + ":" + lineRange(sel, "", "", "-")
	if plainPath.MatchString(sel.Path) {
		return item
	}
	return code(item)
}

// listed is a file as an item of a list.
func listed(p string) string {
	if plainPath.MatchString(p) {
		return p
	}
	return code(p)
}

// code is inline code; a backtick in a path becomes a quote, since no fence
// suits a list item.
func code(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }

// plainLine keeps a title from being read as markup: no relation, link or label
// begins in it.
func plainLine(title string) string {
	return strings.NewReplacer("@", `\@`, "[", `\[`, "*", `\*`, "`", "\\`").Replace(title)
}

// plainPath is a path that can only be read as one.
var plainPath = regexp.MustCompile(`^[\pL\pN_.][\pL\pN_./-]*$`)

// prose is text on one line of which nothing outside inline code is read as a relation:
// an at sign or a bracket in that place is taken for the text that it was.
func prose(s string) string { return inline(oneLine(s)) }

// inline is prose of a line that keeps its spaces. A backtick without a partner would open what other text closes.
func inline(s string) string {
	var b strings.Builder
	last := 0
	for _, c := range markdown.CodeSpans(s) {
		b.WriteString(unrelated(strings.ReplaceAll(s[last:c.At.Start], "`", "'")) + c.At.Of(s))
		last = c.At.End
	}
	return b.String() + unrelated(strings.ReplaceAll(s[last:], "`", "'"))
}

var (
	outward = lazyregexp.New(`\]\((https?://[^()\s<>]+)\)`)
	aside   = lazyregexp.New(`!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)`)
	at      = lazyregexp.New(`(^|[\s(])@([^\s()\[\]{}<>"'` + "`" + `|,;]*[/\\])`)
)

// unrelated keeps links that lead out of the project, and of others their text.
func unrelated(s string) string {
	s = outward().ReplaceAllString(s, "]\x00($1)")
	s = aside().ReplaceAllString(s, "$1")
	s = strings.ReplaceAll(strings.ReplaceAll(s, "](", "] ("), "]\x00(", "](")
	s = strings.ReplaceAll(s, "[[", "[ [")
	s = strings.ReplaceAll(s, "]:", "] :")
	return at().ReplaceAllString(s, `${1}\@${2}`)
}

// blunt takes every sign out of an operation that could be read as a relation, and what
// joins letters unseen: what it says stays readable.
func blunt(op *plan.Op) {
	plain := strings.NewReplacer("@", " at ", "[", "(", "]", ")", "\u200c", "", "\u200d", "", "`", "'", "<", "(", ">", ")")
	one := func(s *string) { *s = plain.Replace(*s) }
	all := func(list []string) {
		for i := range list {
			one(&list[i])
		}
	}
	one(&op.Summary)
	one(&op.Reason)
	c := &op.Content
	for _, r := range format.WordLists {
		all(*r.List(c))
	}
	one(&c.RawConcept.Task)
	all(c.RawConcept.Changes)
	one(&c.Narrative.Structure)
	one(&c.Narrative.Highlights)
}

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
